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
import { CreateProductExtra, extraTextsOf, type ListProductExtras, UpdateProductExtra } from './product-extra.dto.js';
import { ProductExtra } from './product-extra.entity.js';
import { partAfter, type ProductPart } from './product-part.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

const MAX_EXTRAS = 50;

/** The extras of products. Each change locks the product, so that the options of an extra stay meanwhile. */
@Injectable()
export class ProductExtrasService {
  constructor(
    private readonly database: Database,
    private readonly repository: ProductsRepository,
    private readonly products: ProductsService,
    private readonly taxCodes: TaxCodesService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Restores a deleted extra under its id and with its next version, so that no entry before the deletion has it. */
  @Undoes('products.extra.delete', {
    effect: 'products.extra.create',
    values: async (entry) =>
      [
        parentIn(entry, 'productId'),
        await checkedAs(CreateProductExtra, entry.before),
        { id: entry.subjectId, version: Number(entry.before?.['version']) + 1 },
      ] as const,
  })
  async create(
    productId: string,
    input: CreateProductExtra,
    { id = newId('pxtr'), version = 1 }: { id?: string; version?: number } = {},
  ): Promise<ProductExtra> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const others = await this.repository.extrasOf(productId);
      if (others.length >= MAX_EXTRAS) {
        throw conflict('too_many_extras', `A product has at most ${MAX_EXTRAS} extras`, { limit: MAX_EXTRAS });
      }
      const extra = make(ProductExtra, {
        id,
        version,
        productId,
        name: input.name,
        texts: extraTextsOf(input.texts ?? []),
        kind: input.kind,
        pricing: input.pricing,
        prices: input.prices ?? [],
        taxCodeId: input.taxCodeId,
        required: input.required ?? false,
        minQuantity: input.minQuantity,
        maxQuantity: input.maxQuantity,
        optionIds: input.optionIds,
        position: input.position ?? (others.at(-1)?.position ?? 0) + 1,
        active: input.active ?? true,
        createdAt: this.clock.now(),
      });
      extra.assertConsistent();
      await this.assertOptions(extra);
      if (extra.taxCodeId !== null) await this.taxCodes.assertUsable(extra.taxCodeId);
      await this.repository.extras.insert(extra);
      this.record('create', extra, { before: null, after: extra.auditImage() });
      this.products.publish(product);
      return extra;
    });
  }

  async list(productId: string, query: ListProductExtras): Promise<{ rows: ProductExtra[]; total: number }> {
    const page = await this.repository.listExtras(productId, query);
    if (page.total === 0) await this.products.get(productId);
    return page;
  }

  async get(productId: string, id: string): Promise<ProductExtra> {
    return this.repository.getExtra(productId, id);
  }

  @Undoes('products.extra.update', {
    effect: 'products.extra.update',
    values: async (entry) => [partAfter(entry), await checkedAs(UpdateProductExtra, entry.before)] as const,
  })
  async update(
    { productId, id, expected }: ProductPart,
    { texts, ...fields }: UpdateProductExtra,
  ): Promise<ProductExtra> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const extra = await this.repository.getExtra(productId, id);
      assertVersion(expected, extra);
      const [before, { taxCodeId }] = [extra.auditImage(), extra];
      extra.change({ ...fields, ...(texts && { texts: extraTextsOf(texts) }) }, this.clock.now());
      if (fields.optionIds) await this.assertOptions(extra);
      if (extra.taxCodeId !== null && extra.taxCodeId !== taxCodeId) await this.taxCodes.assertUsable(extra.taxCodeId);
      await this.repository.extras.update(extra);
      this.record('update', extra, { before, after: extra.auditImage() });
      this.products.publish(product);
      return extra;
    });
  }

  @Undoes('products.extra.create', { effect: 'products.extra.delete', values: (entry) => [partAfter(entry)] })
  async delete({ productId, id, expected }: ProductPart): Promise<ProductExtra> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const extra = await this.repository.getExtra(productId, id);
      assertVersion(expected, extra);
      await this.repository.deleteExtra(extra);
      this.record('delete', extra, { before: extra.auditImage(), after: null });
      this.products.publish(product);
      return extra;
    });
  }

  private async assertOptions({ productId, optionIds }: ProductExtra): Promise<void> {
    if (optionIds === null) return;
    const options = await this.repository.optionsOf(productId);
    const index = optionIds.findIndex((optionId) => !options.some(({ id }) => id === optionId));
    if (index >= 0) throw notFound({ field: `optionIds.${index}` });
  }

  private record(
    verb: 'create' | 'update' | 'delete',
    { id }: ProductExtra,
    images: { before: object | null; after: object | null },
  ): void {
    this.ledger.record(`products.extra.${verb}`, { subjectType: 'product_extra', subjectId: id, ...images });
  }
}
