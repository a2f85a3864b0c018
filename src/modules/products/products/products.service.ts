import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { NamesOf } from '../../../platform/http/row-names.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  UndoesItself,
} from '../../action-ledger/index.js';
import { OrganizationSettingsService } from '../../organization/index.js';
import { TaxCodesService } from '../../taxes/index.js';
import { cutoffOf } from './cutoff.dto.js';
import { type CopyProduct, type CreateProduct, type ListProducts, UpdateProduct } from './product.dto.js';
import { Product, type ProductChanges } from './product.entity.js';
import type { ProductDefaults } from './product-defaults.js';
import { ProductListener } from './product-listener.js';
import { ProductExtra } from './product-extra.entity.js';
import { ProductOption } from './product-option.entity.js';
import { ProductUnit } from './product-unit.entity.js';
import { ProductsRepository } from './products.repository.js';

mapConstraint('products_pkey', () =>
  conflict('product_id_taken', 'Another product already has this ID', { field: 'id' }),
);

type Verb = 'create' | 'update' | 'activate' | 'archive' | 'copy';

/** Products, the master of what departures, allotments and documents of the catalog name by a product ID. */
@Injectable()
export class ProductsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ProductsRepository,
    private readonly taxCodes: TaxCodesService,
    private readonly settings: OrganizationSettingsService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create({ id = newId('prod'), ...input }: CreateProduct): Promise<Product> {
    const product = newProduct(id, input, this.clock.now());
    return this.database.transaction(async () => {
      await this.assertReferences(product, { facilityId: null, taxCodeId: null });
      await this.repository.products.insert(product);
      this.record('create', product, { before: null, after: product.auditImage() });
      return product;
    });
  }

  @NamesOf('productId')
  async listNames(ids: readonly string[]): Promise<{ id: string; name: string }[]> {
    return this.database.query('select id, name as name from products where id = any($1)', [ids]);
  }

  async list(query: ListProducts): Promise<{ rows: Product[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<Product> {
    return this.repository.products.get(id);
  }

  @UndoesItself('products.product.update', UpdateProduct)
  async update(id: string, body: UpdateProduct, expected: ExpectedVersions): Promise<Product> {
    return this.change('update', { id, expected }, async (product) => {
      const { facilityId, taxCodeId } = product;
      product.change(changesOf(body), this.clock.now());
      await this.assertReferences(product, { facilityId, taxCodeId });
    });
  }

  async activate(id: string, expected: ExpectedVersions): Promise<Product> {
    return this.change('activate', { id, expected }, (product) => product.activate(this.clock.now()));
  }

  /** Throws 409 `product_in_use` while another module needs the product. */
  async archive(id: string, expected: ExpectedVersions): Promise<Product> {
    return this.change('archive', { id, expected }, async (product) => {
      product.archive(this.clock.now());
      await this.listeners.call(ProductListener, (listener) => listener.archiving?.(id));
    });
  }

  @Reverses('products.product.archive', { effect: 'products.product.activate' })
  async reverseArchival(entry: RecordedAction): Promise<ReversalResult> {
    const product = await this.repository.products.lock(entry.subjectId);
    assertUnchangedSince(entry, product);
    const before = product.auditImage();
    product.restore(this.clock.now());
    await this.repository.products.update(product);
    this.publish(product);
    return { before, after: product.auditImage() };
  }

  /** Creates a draft with the options, units and extras of a product, which may be archived. */
  async copy(sourceId: string, { id = newId('prod'), name }: CopyProduct): Promise<Product> {
    return this.database.transaction(async () => {
      const source = await this.repository.products.lock(sourceId);
      const [options, units] = [await this.repository.optionsOf(sourceId), await this.repository.unitsOf(sourceId)];
      const extras = await this.repository.extrasOf(sourceId);
      const createdAt = this.clock.now();
      const reset = { version: 1, createdAt, updatedAt: createdAt };
      const draft = { status: 'draft', activatedAt: null, archivedAt: null } as const;
      const product = make(Product, { ...source, id, name: name ?? source.name, ...draft, ...reset });
      product.derive();
      const ids = new Map([
        ...units.map((unit) => [unit.id, newId('punt')] as const),
        ...options.map((option) => [option.id, newId('popt')] as const),
      ]);
      const idOf = (partId: string) => ids.get(partId) ?? partId;
      const copies = {
        options: options.map((one) => make(ProductOption, { ...one, id: idOf(one.id), productId: id, ...reset })),
        units: units.map((one) => {
          const accompaniedBy = one.accompaniedBy.map(idOf);
          return make(ProductUnit, { ...one, id: idOf(one.id), productId: id, accompaniedBy, ...reset });
        }),
        extras: extras.map((one) => {
          const optionIds = one.optionIds?.map(idOf) ?? null;
          return make(ProductExtra, { ...one, id: newId('pxtr'), productId: id, optionIds, ...reset });
        }),
      };
      await this.repository.products.insert(product);
      await this.repository.options.insertAll(copies.options);
      await this.repository.units.insertAll(copies.units);
      await this.repository.extras.insertAll(copies.extras);
      const after = {
        ...product.auditImage(),
        sourceId,
        options: copies.options.map((option) => option.auditImage()),
        units: copies.units.map((unit) => unit.auditImage()),
        extras: copies.extras.map((extra) => extra.auditImage()),
      };
      this.record('copy', product, { before: null, after });
      return product;
    });
  }

  /** Null if the product has no record. */
  async findDefaults(id: string): Promise<ProductDefaults | null> {
    return this.repository.products.find(id);
  }

  /** The title in the language; null if the product has no record. */
  async findTitle(id: string, language: string | null): Promise<string | null> {
    return (await this.repository.products.find(id))?.titleIn(language) ?? null;
  }

  /** Throws 409 if there is a record of the product and it is archived. */
  async assertNotArchived(id: string): Promise<void> {
    (await this.repository.products.find(id))?.assertNotArchived();
  }

  /**
   * Checks the product of a new departure or allotment: it must not be archived, and needs a record only if the settings of the
   * organization require one.
   */
  async assertUsable(id: string): Promise<void> {
    const product = await this.repository.products.find(id);
    product?.assertNotArchived();
    if (!product && (await this.settings.get()).productsRequired) throw notFound({ field: 'productId' });
  }

  /** Locks a product whose options or units are about to change. Throws 404, and 409 if it is archived. */
  async lockOpen(id: string): Promise<Product> {
    const product = await this.repository.products.lock(id);
    product.assertNotArchived();
    return product;
  }

  publish({ id: productId, status }: Product): void {
    this.outbox.add({ channel: 'products', event: 'product.changed', data: { productId, status } });
  }

  private async change(
    verb: Verb,
    { id, expected }: { id: string; expected: ExpectedVersions },
    work: (product: Product) => Promise<void> | void,
  ): Promise<Product> {
    return this.database.transaction(async () => {
      const product = await this.repository.products.lock(id);
      assertVersion(expected, product);
      const before = product.auditImage();
      await work(product);
      await this.repository.products.update(product);
      this.record(verb, product, { before, after: product.auditImage() });
      return product;
    });
  }

  private async assertReferences(
    { facilityId, taxCodeId }: Product,
    former: { facilityId: string | null; taxCodeId: string | null },
  ): Promise<void> {
    if (taxCodeId !== null && taxCodeId !== former.taxCodeId) await this.taxCodes.assertUsable(taxCodeId);
    if (facilityId === null || facilityId === former.facilityId) return;
    await this.listeners.call(ProductListener, (listener) => listener.facilityChosen?.(facilityId));
  }

  private record(verb: Verb, product: Product, images: { before: object | null; after: object }): void {
    this.ledger.record(`products.product.${verb}`, { subjectType: 'product', subjectId: product.id, ...images });
    this.publish(product);
  }
}

function newProduct(id: string, input: Omit<CreateProduct, 'id'>, createdAt: Date): Product {
  const { cutoff, resourceNeeds = [], texts = [], media = [] } = changesOf(input);
  const product = make(Product, {
    id,
    name: input.name,
    kind: input.kind,
    status: 'draft',
    timeZone: input.timeZone,
    durationMinutes: input.durationMinutes,
    defaultCapacity: input.defaultCapacity,
    facilityId: input.facilityId,
    taxCodeId: input.taxCodeId,
    cutoff,
    minParticipants: input.minParticipants,
    decideDaysBefore: input.decideDaysBefore,
    requiredContactFields: input.requiredContactFields ?? [],
    requiredTravelerFields: input.requiredTravelerFields ?? [],
    resourceNeeds,
    bufferBeforeMinutes: input.bufferBeforeMinutes ?? 0,
    bufferAfterMinutes: input.bufferAfterMinutes ?? 0,
    issueVouchers: input.issueVouchers ?? 'on_confirmation',
    texts,
    media,
    searchTerms: '',
    createdAt,
  });
  product.derive();
  return product;
}

/** The changes of a request, with the default of each member that an element of a list lacks. */
function changesOf({ cutoff, resourceNeeds, texts, media, ...fields }: UpdateProduct): ProductChanges {
  return {
    ...fields,
    ...(cutoff !== undefined && { cutoff: cutoffOf(cutoff) }),
    ...(resourceNeeds && { resourceNeeds: resourceNeeds.map(({ type, quantity = 1 }) => ({ type, quantity })) }),
    ...(texts && {
      texts: texts.map(({ locale, title = null, summary = null, description = null }) => ({
        ...{ locale, title, summary, description },
      })),
    }),
    ...(media && { media: media.map(({ url, kind = 'image', caption = null }) => ({ url, kind, caption })) }),
  };
}
