import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger, parentIn, Undoes } from '../../action-ledger/index.js';
import { TaxCodesService } from '../../taxes/index.js';
import { CreateProductUnit, type ListProductUnits, UpdateProductUnit } from './product-unit.dto.js';
import { ProductUnit } from './product-unit.entity.js';
import { partAfter, type ProductPart } from './product-part.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

const MAX_UNITS = 50;

/** The units of products. Each change locks the product, because units refer to each other. */
@Injectable()
export class ProductUnitsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ProductsRepository,
    private readonly products: ProductsService,
    private readonly taxCodes: TaxCodesService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Restores a deleted unit under its id and with its next version, so that no entry before the deletion has it. */
  @Undoes('products.unit.delete', {
    effect: 'products.unit.create',
    values: async (entry) =>
      [
        parentIn(entry, 'productId'),
        await checkedAs(CreateProductUnit, entry.before),
        { id: entry.subjectId, version: Number(entry.before?.['version']) + 1 },
      ] as const,
  })
  async create(
    productId: string,
    input: CreateProductUnit,
    { id = newId('punt'), version = 1 }: { id?: string; version?: number } = {},
  ): Promise<ProductUnit> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const others = await this.repository.unitsOf(productId);
      if (others.length >= MAX_UNITS) {
        throw conflict('too_many_units', `A product has at most ${MAX_UNITS} units`, { limit: MAX_UNITS });
      }
      const unit = make(ProductUnit, {
        id,
        version,
        productId,
        type: input.type,
        name: input.name,
        position: input.position ?? (others.at(-1)?.position ?? 0) + 1,
        minAge: input.minAge,
        maxAge: input.maxAge,
        paxCount: input.paxCount ?? 1,
        seats: input.seats ?? 1,
        minQuantity: input.minQuantity,
        maxQuantity: input.maxQuantity,
        accompaniedBy: input.accompaniedBy ?? [],
        idRequired: input.idRequired ?? false,
        taxCodeId: input.taxCodeId,
        costCents: input.costCents,
        costCurrency: input.costCurrency,
        createdAt: this.clock.now(),
      });
      unit.assertConsistent();
      assertKnown(unit.accompaniedBy, others);
      if (unit.taxCodeId !== null) await this.taxCodes.assertUsable(unit.taxCodeId);
      await this.repository.units.insert(unit);
      this.record('create', unit, { before: null, after: unit.auditImage() });
      this.products.publish(product);
      return unit;
    });
  }

  async list(productId: string, query: ListProductUnits): Promise<{ rows: ProductUnit[]; total: number }> {
    const page = await this.repository.listUnits(productId, query);
    if (page.total === 0) await this.products.get(productId);
    return page;
  }

  async get(productId: string, id: string): Promise<ProductUnit> {
    return this.repository.getUnit(productId, id);
  }

  @Undoes('products.unit.update', {
    effect: 'products.unit.update',
    values: async (entry) => [partAfter(entry), await checkedAs(UpdateProductUnit, entry.before)] as const,
  })
  async update({ productId, id, expected }: ProductPart, changes: UpdateProductUnit): Promise<ProductUnit> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const unit = await this.repository.getUnit(productId, id);
      assertVersion(expected, unit);
      const [before, { taxCodeId }] = [unit.auditImage(), unit];
      unit.change(changes, this.clock.now());
      if (changes.accompaniedBy) assertKnown(unit.accompaniedBy, await this.repository.unitsOf(productId));
      if (unit.taxCodeId !== null && unit.taxCodeId !== taxCodeId) await this.taxCodes.assertUsable(unit.taxCodeId);
      await this.repository.units.update(unit);
      this.record('update', unit, { before, after: unit.auditImage() });
      this.products.publish(product);
      return unit;
    });
  }

  /** Throws 409 while another unit must be accompanied by it. */
  @Undoes('products.unit.create', { effect: 'products.unit.delete', values: (entry) => [partAfter(entry)] })
  async delete({ productId, id, expected }: ProductPart): Promise<ProductUnit> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const unit = await this.repository.getUnit(productId, id);
      assertVersion(expected, unit);
      const others = await this.repository.unitsOf(productId);
      const unitIds = others.filter(({ accompaniedBy }) => accompaniedBy.includes(id)).map((one) => one.id);
      if (unitIds.length > 0) throw conflict('unit_in_use', 'Other units must be accompanied by the unit', { unitIds });
      await this.repository.deleteUnit(unit);
      this.record('delete', unit, { before: unit.auditImage(), after: null });
      this.products.publish(product);
      return unit;
    });
  }

  private record(
    verb: 'create' | 'update' | 'delete',
    { id }: ProductUnit,
    images: { before: object | null; after: object | null },
  ): void {
    this.ledger.record(`products.unit.${verb}`, { subjectType: 'product_unit', subjectId: id, ...images });
  }
}

function assertKnown(unitIds: readonly string[], units: readonly ProductUnit[]): void {
  const unknown = unitIds.find((id) => !units.some((unit) => unit.id === id));
  if (unknown !== undefined) throw notFound({ field: 'accompaniedBy', id: unknown });
}
