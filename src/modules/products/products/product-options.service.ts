import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger, parentIn, Undoes } from '../../action-ledger/index.js';
import { cutoffOf } from './cutoff.dto.js';
import { CreateProductOption, type ListProductOptions, UpdateProductOption } from './product-option.dto.js';
import { ProductOption } from './product-option.entity.js';
import { partAfter, type ProductPart } from './product-part.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

const MAX_OPTIONS = 50;

/** The options of products. Each change locks the product, so that exactly one of them is its default. */
@Injectable()
export class ProductOptionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ProductsRepository,
    private readonly products: ProductsService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Restores a deleted option under its id and with its next version, so that no entry before the deletion has it. */
  @Undoes('products.option.delete', {
    effect: 'products.option.create',
    values: async (entry) =>
      [
        parentIn(entry, 'productId'),
        await checkedAs(CreateProductOption, entry.before),
        { id: entry.subjectId, version: Number(entry.before?.['version']) + 1 },
      ] as const,
  })
  async create(
    productId: string,
    input: CreateProductOption,
    { id = newId('popt'), version = 1 }: { id?: string; version?: number } = {},
  ): Promise<ProductOption> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const others = await this.repository.optionsOf(productId);
      if (others.length >= MAX_OPTIONS) {
        throw conflict('too_many_options', `A product has at most ${MAX_OPTIONS} options`, { limit: MAX_OPTIONS });
      }
      const option = make(ProductOption, {
        id,
        version,
        productId,
        name: input.name,
        isDefault: others.length === 0 || (input.isDefault ?? false),
        position: input.position ?? (others.at(-1)?.position ?? 0) + 1,
        startTimes: input.startTimes ?? [],
        minUnits: input.minUnits,
        maxUnits: input.maxUnits,
        cutoff: cutoffOf(input.cutoff ?? null),
        active: input.active ?? true,
        createdAt: this.clock.now(),
      });
      option.assertConsistent();
      const formerDefaultId = option.isDefault ? await this.endDefault(others) : null;
      await this.repository.options.insert(option);
      this.record('create', option, { before: null, after: { ...option.auditImage(), formerDefaultId } });
      this.products.publish(product);
      return option;
    });
  }

  async list(productId: string, query: ListProductOptions): Promise<{ rows: ProductOption[]; total: number }> {
    const page = await this.repository.listOptions(productId, query);
    if (page.total === 0) await this.products.get(productId);
    return page;
  }

  async get(productId: string, id: string): Promise<ProductOption> {
    return this.repository.getOption(productId, id);
  }

  @Undoes('products.option.update', {
    effect: 'products.option.update',
    values: async (entry) => [partAfter(entry), await checkedAs(UpdateProductOption, entry.before)] as const,
  })
  async update(
    { productId, id, expected, formerDefaultId }: ProductPart,
    { cutoff, ...fields }: UpdateProductOption,
  ): Promise<ProductOption> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const option = await this.repository.getOption(productId, id);
      assertVersion(expected, option);
      const [before, wasDefault] = [option.auditImage(), option.isDefault];
      const changes = { ...fields, ...(cutoff !== undefined && { cutoff: cutoffOf(cutoff) }) };
      const others = await this.repository.optionsOf(productId);
      const successor = wasDefault && changes.isDefault === false && others.find((one) => one.id === formerDefaultId);
      if (successor) option.isDefault = false;
      option.change(changes, this.clock.now());
      const formerId = option.isDefault && !wasDefault ? await this.endDefault(others) : null;
      await this.repository.options.update(option);
      if (successor) await this.setDefault(successor, true);
      this.record('update', option, { before, after: { ...option.auditImage(), formerDefaultId: formerId } });
      this.products.publish(product);
      return option;
    });
  }

  /** The default option can be deleted only as the last one. */
  @Undoes('products.option.create', { effect: 'products.option.delete', values: (entry) => [partAfter(entry)] })
  async delete({ productId, id, expected, formerDefaultId }: ProductPart): Promise<ProductOption> {
    return this.database.transaction(async () => {
      const product = await this.products.lockOpen(productId);
      const option = await this.repository.getOption(productId, id);
      assertVersion(expected, option);
      const others = (await this.repository.optionsOf(productId)).filter((one) => one.id !== id);
      const successor = others.find((one) => one.id === formerDefaultId);
      if (option.isDefault && others.length > 0 && !successor) {
        throw conflict('option_is_default', 'Make another option the default before this one is deleted');
      }
      const extras = await this.repository.extrasOf(productId);
      const extraIds = extras.filter(({ optionIds }) => optionIds?.includes(id)).map((extra) => extra.id);
      if (extraIds.length > 0) throw conflict('option_in_use', 'Extras are sold with the option', { extraIds });
      await this.repository.deleteOption(option);
      if (option.isDefault && successor) await this.setDefault(successor, true);
      this.record('delete', option, { before: option.auditImage(), after: null });
      this.products.publish(product);
      return option;
    });
  }

  /** Returns the id of the option that was the default. */
  private async endDefault(options: readonly ProductOption[]): Promise<string | null> {
    const former = options.find(({ isDefault }) => isDefault);
    if (former) await this.setDefault(former, false);
    return former?.id ?? null;
  }

  private async setDefault(option: ProductOption, isDefault: boolean): Promise<void> {
    const before = option.auditImage();
    Object.assign(option, { isDefault, updatedAt: this.clock.now() });
    await this.repository.options.update(option);
    this.record('update', option, { before, after: { ...option.auditImage(), formerDefaultId: null } });
  }

  private record(
    verb: 'create' | 'update' | 'delete',
    { id }: ProductOption,
    images: { before: object | null; after: object | null },
  ): void {
    this.ledger.record(`products.option.${verb}`, { subjectType: 'product_option', subjectId: id, ...images });
  }
}
