import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import {
  conflict,
  invalidField,
  invalidRequest,
  type Issue,
  MAX_ISSUES,
  notFound,
} from '../../../platform/errors/app-error.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Cron, Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { Consumes } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertSameSince,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
} from '../../action-ledger/index.js';
import { DeparturesService } from '../../operations/index.js';
import { AdvertisedProductsService } from '../../products/index.js';
import { contentHash } from '../embeddings/embedding-text.js';
import { EmbeddingsService } from '../embeddings/embeddings.service.js';
import { canonicalLocale } from '../slices/locale.js';
import { type OpenSlice, type SliceKey, sliceName, SlicesService } from '../slices/slices.service.js';
import { DERIVED_FIELDS, isVertical, type Vertical } from '../slices/verticals.js';
import { changedDepartures, type DepartureChange, parseDepartureChange, shownDeparture } from './departure-changed.js';
import { issuesOfFields, MAX_ITEMS } from './document-fields.js';
import { DOCUMENT_ID } from './document-path.js';
import {
  type BatchDocument,
  type BatchResult,
  type ListDocuments,
  PutDocument,
  PutDocuments,
  type Variant,
} from './document.dto.js';
import {
  DocumentsRepository,
  type ManagedDocument,
  type NewDocument,
  type PlacedDocument,
  type PreviousDocument,
  type StoredDocument,
} from './documents.repository.js';
import { copiesOf } from './product-copies.js';

/** Rejects the change of a variant because of its stored state or its absence. */
type Check = (existing: PreviousDocument | null) => void;

const DEPARTURE_JOB = 'catalog.departure-changed';
const PRODUCT_JOB = 'catalog.product-changed';
/** Products whose refresh one statement requests. */
const REFRESHED_AT_ONCE = 500;
/** Kept for processes that were not running when a document was deleted. */
const DELETED_KEPT_SECONDS = 24 * 3_600;

/** Catalog documents, which the storefront searches. */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly database: Database,
    private readonly repository: DocumentsRepository,
    private readonly slices: SlicesService,
    private readonly embeddings: EmbeddingsService,
    private readonly products: AdvertisedProductsService,
    private readonly departures: DeparturesService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Creates the document or replaces all of its fields. The error of invalid fields lists every issue. */
  async put(
    target: { vertical: Vertical; id: string },
    body: PutDocument,
    expected: ExpectedVersions,
  ): Promise<{ document: StoredDocument; isNew: boolean }> {
    return this.store(target, body, (existing) => assertVersion(expected, existing ?? { version: 0 }));
  }

  /** Stores all of the documents or none, in one generation. The error lists the issues of all documents. */
  async putAll(given: readonly BatchDocument[], subjectId = newId('cbat')): Promise<BatchResult> {
    const documents = this.validateAll(given);
    return this.database.transaction(async () => {
      const previous = await this.write(documents, keepOwned);
      await this.requestCopiesOfNew(documents, previous);
      const result = { created: documents.length - previous.length, replaced: previous.length };
      const after = { ...result, documents: documents.map(nameOf) };
      this.ledger.record('catalog.documents.put', { subjectType: 'catalog_batch', subjectId, after });
      return result;
    });
  }

  async list(query: ListDocuments): Promise<{ documents: StoredDocument[]; total: number }> {
    return this.repository.page(query);
  }

  async get(vertical: Vertical, id: string, variant: Variant): Promise<StoredDocument> {
    return (await this.repository.find({ vertical, ...this.resolve(variant) }, id)) ?? throwNotFound();
  }

  /** Deletes one variant, or all if none is named. */
  async remove(
    target: { vertical: Vertical; id: string; variant: Variant },
    expected: ExpectedVersions,
  ): Promise<void> {
    await this.delete(target, (document) => assertVersion(expected, document ?? { version: 0 }));
  }

  /** Stores the fields that a variant had before it was put, or deletes it if it was new. */
  @Undoes('catalog.document.put', {
    effect: 'catalog.document.delete',
    values: async (entry) => {
      const fields = entry.before && (await checkedAs(PutDocument, entry.before)).fields;
      const check: Check = (existing) => {
        assertUnchangedSince(entry, existing ?? { version: 0 });
        if (existing) assertSameSince(entry, existing);
      };
      return [variantIn(entry), fields, check] as const;
    },
  })
  async restore(
    { vertical, id, ...variant }: SliceKey & { id: string },
    fields: Record<string, unknown> | null,
    check: Check,
  ): Promise<void> {
    if (fields === null) await this.delete({ vertical, id, variant }, check);
    else await this.store({ vertical, id }, { fields: withoutDerived(fields), ...variant }, check);
  }

  /** Stores the deleted variants again, unless one of them has been stored since. */
  @Reverses('catalog.document.delete', { effect: 'catalog.document.put' })
  async reverseDeletion({ before }: RecordedAction): Promise<ReversalResult> {
    const { documents } = await checkedAs(PutDocuments, before);
    const restored = this.validateAll(documents);
    await this.write(restored, (document, existing) => {
      if (existing) throw conflict('document_exists', 'The document was stored again', { version: existing.version });
      return keepOwned(document, existing);
    });
    await this.requestCopiesOfNew(restored, []);
    return { before: null, after: { documents } };
  }

  /**
   * Updates the departures in the documents of a product. If a departure changed several times, only the last change is
   * applied.
   */
  @Job(DEPARTURE_JOB)
  @Consumes({ event: 'departure.changed', job: DEPARTURE_JOB, subjectOf: ({ departureId }) => String(departureId) })
  async followDeparture(payload: unknown): Promise<void> {
    const departure = parseDepartureChange(payload);
    if (!departure || !DOCUMENT_ID.test(departure.productId)) return;
    await this.database.transaction(() => this.changeDeparture(departure));
  }

  /** Makes the documents of a product what its record says; documents of an ID without a record stay as they are. */
  @Job(PRODUCT_JOB)
  @Consumes({ event: 'product.changed', job: PRODUCT_JOB, subjectOf: ({ productId }) => String(productId) })
  async followProduct(payload: unknown): Promise<void> {
    const productId: unknown =
      typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'productId') : undefined;
    if (typeof productId !== 'string' || !DOCUMENT_ID.test(productId)) return;
    await this.database.transaction(() => this.copyProduct(productId));
  }

  /** Prices of the coming year change with the day, and with the periods of sale of price lists. */
  @Cron('catalog.refresh-products', '37 1 * * *')
  async refreshProducts(): Promise<void> {
    for (let after = ''; ;) {
      const ids = await this.products.listActive(after, REFRESHED_AT_ONCE);
      await this.requestCopies(ids);
      const last = ids.at(-1);
      if (last === undefined || ids.length < REFRESHED_AT_ONCE) return;
      after = last;
    }
  }

  /** Copies these products soon after the running transaction. */
  async requestCopies(productIds: readonly string[]): Promise<void> {
    await this.jobs.addAll(
      productIds.map((productId) => ({
        ...{ name: PRODUCT_JOB, payload: { productId }, queue: PRODUCT_JOB, key: `${PRODUCT_JOB}:${productId}` },
      })),
    );
  }

  @Cron('catalog.purge', '17 * * * *')
  async purgeDeleted(): Promise<void> {
    await this.repository.purgeDeleted(this.clock.inSeconds(-DELETED_KEPT_SECONDS));
  }

  private async store(
    { vertical, id }: { vertical: Vertical; id: string },
    { fields, ...variant }: PutDocument,
    check: Check,
  ): Promise<{ document: StoredDocument; isNew: boolean }> {
    const key = { ...this.resolve(variant), vertical };
    const issues = issuesOfFields(vertical, fields, 'fields');
    if (issues.length > 0) throw invalidRequest(issues);
    return this.database.transaction(async () => {
      const [previous] = await this.write([{ ...key, id, fields: withoutDerived(fields) }], (given, existing) => {
        check(existing);
        return keepOwned(given, existing);
      });
      await this.requestCopiesOfNew([{ ...key, id, fields }], previous ? [previous] : []);
      const document = (await this.repository.find(key, id)) ?? throwNotFound();
      const images = {
        before: previous ? { fields: previous.fields } : null,
        after: { fields: document.fields, version: document.version, createdAt: document.createdAt },
      };
      const subject = { subjectType: 'catalog_document', subjectId: nameOf(document) };
      this.ledger.record('catalog.document.put', { ...subject, ...images });
      return { document, isNew: previous === undefined };
    });
  }

  private async delete(
    { vertical, id, variant }: { vertical: Vertical; id: string; variant: Variant },
    check: Check,
  ): Promise<void> {
    const isNamed = variant.locale !== undefined || variant.market !== undefined;
    const named = isNamed ? [{ vertical, ...this.resolve(variant) }] : null;
    await this.database.transaction(async () => {
      const slices = await this.slices.openExisting(named ?? (await this.repository.listVariants(id, vertical)));
      const sliceIds = slices.map((slice) => slice.id);
      const previous = await this.repository.listPrevious(
        sliceIds,
        sliceIds.map(() => id),
      );
      if (previous.length === 0) throwNotFound();
      for (const document of previous) {
        check(document);
        assertUnmanaged(document);
      }
      await this.markDeleted(id, slices);
      const subjectId = [vertical, ...(named ?? []).flatMap(({ locale, market }) => [locale, market]), id].join('/');
      const keys = new Map(slices.map(({ id: sliceId, ...key }) => [sliceId, key]));
      const documents = previous.map(({ sliceId, fields }) => {
        const { locale, market } = keys.get(sliceId) ?? {};
        return { vertical, id, locale, market, fields };
      });
      const before = { documents };
      this.ledger.record('catalog.document.delete', { subjectType: 'catalog_document', subjectId, before });
    });
  }

  private async changeDeparture(departure: DepartureChange): Promise<void> {
    const { productId } = departure;
    // A copy that adds documents has read the departures before.
    await this.repository.lockCopies(productId);
    const documents = await this.repository.listVariants(productId);
    if (documents.length === 0) return;
    await this.slices.lock(documents);
    // Reads them again, because another transaction may have changed them before the lock.
    const changed = (await this.repository.listVariants(productId)).flatMap((document): ManagedDocument[] => {
      const departures = changedDepartures(document.fields['departures'], departure);
      return departures ? [{ ...document, fields: { ...document.fields, departures } }] : [];
    });
    if (changed.length === 0) return;
    await this.write(changed, (document) => document);
    const subject = { subjectType: 'catalog_document', subjectId: `products/${productId}` };
    const after = { departure, documents: changed.map(nameOf) };
    this.ledger.record('catalog.document.follow_departure', { ...subject, after });
  }

  private async copyProduct(productId: string): Promise<void> {
    await this.repository.lockCopies(productId);
    const { markets } = this.slices;
    const product = await this.products.find(productId, [...new Set(markets.map(({ currency }) => currency))]);
    if (!product) return;
    const stored = await this.repository.listVariants(productId);
    const planned = copiesOf(product, { markets, stored, departures: [] });
    const keys = [...planned.written, ...planned.deleted];
    if (keys.length === 0) return;
    await this.slices.lock(keys);
    // Compares again, because another transaction may have changed the documents before the lock.
    const { written, deleted } = copiesOf(product, {
      markets,
      stored: await this.repository.listVariants(productId),
      departures: planned.isGrowing ? await this.departuresOf(productId) : [],
    });
    if (written.length > 0) await this.write(written, (copy) => copy);
    if (deleted.length > 0) await this.markDeleted(productId, await this.slices.openExisting(deleted));
    if (written.length + deleted.length === 0) return;
    const { status, version } = product;
    const after = { product: { status, version }, documents: written.map(nameOf), deleted: deleted.map(nameOf) };
    const subject = { subjectType: 'catalog_document', subjectId: `products/${productId}` };
    this.ledger.record('catalog.document.follow_product', { ...subject, after });
  }

  private async departuresOf(productId: string): Promise<Record<string, unknown>[]> {
    return (await this.departures.listUpcoming(productId, MAX_ITEMS)).map(
      ({ id: departureId, startsAt, endsAt, bookableUntil, available }) =>
        shownDeparture({
          ...{ departureId, startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString(), available },
          bookableUntil: bookableUntil?.toISOString() ?? null,
        }),
    );
  }

  private async markDeleted(id: string, slices: readonly OpenSlice[]): Promise<void> {
    await this.repository.markDeleted(id, slices, this.clock.now());
    await this.slices.publish(slices.map((slice) => ({ slice, documents: 1, growth: -1 })));
  }

  /** New documents of a product get the fields that it owns from the next copy. */
  private async requestCopiesOfNew(documents: readonly NewDocument[], previous: readonly PreviousDocument[]) {
    const replaced = new Set(previous.map(({ id }) => id));
    const ids = new Set(documents.flatMap(({ id }) => (replaced.has(id) ? [] : [id])));
    if (ids.size > 0) await this.requestCopies(await this.products.listKnown([...ids]));
  }

  /**
   * Creates or replaces documents in the running transaction, each as `completed` with its predecessor. Returns the replaced ones.
   */
  private async write<Document extends NewDocument>(
    documents: readonly Document[],
    completed: (document: Document, existing: PreviousDocument | null) => ManagedDocument,
  ): Promise<PreviousDocument[]> {
    const slices = new Map((await this.slices.open(documents)).map((slice) => [sliceName(slice), slice]));
    const targets = documents.map((document) => {
      const slice = slices.get(sliceName(document));
      if (!slice) throw new Error(`The slice ${sliceName(document)} was not opened`);
      return { slice, document };
    });
    const previous = await this.repository.listPrevious(
      targets.map(({ slice }) => slice.id),
      documents.map(({ id }) => id),
    );
    const known = new Map(previous.map((one) => [`${one.sliceId}/${one.id}`, one]));
    const placed = targets.map(({ slice, document }): PlacedDocument => {
      const managed = completed(document, known.get(`${slice.id}/${document.id}`) ?? null);
      return { slice, document: managed, contentHash: contentHash(managed.fields) };
    });
    await this.repository.save(placed, this.clock.now());
    await this.slices.publish(
      [...slices.values()].map((slice: OpenSlice) => {
        const written = placed.filter((one) => one.slice === slice).length;
        const replaced = previous.filter(({ sliceId }) => sliceId === slice.id).length;
        return { slice, documents: written, growth: written - replaced };
      }),
    );
    await this.embeddings.requestEmbedding();
    return previous;
  }

  /** The loop stops at `MAX_ISSUES`. */
  private validateAll(given: readonly BatchDocument[]): NewDocument[] {
    const issues: Issue[] = [];
    const names = new Set<string>();
    const documents: NewDocument[] = [];
    for (const [index, { vertical, id, fields, ...variant }] of given.entries()) {
      if (issues.length >= MAX_ISSUES) break;
      const path = `documents.${index}`;
      const key = this.resolve(variant, `${path}.market`);
      const document = { ...key, vertical, id, fields: withoutDerived(fields) };
      const name = nameOf(document);
      const duplicate = { path: `${path}.id`, message: `${path}.id is a duplicate`, code: 'duplicate' as const };
      if (names.has(name)) issues.push(duplicate);
      names.add(name);
      issues.push(...issuesOfFields(vertical, fields, `${path}.fields`));
      documents.push(document);
    }
    if (issues.length > 0) throw invalidRequest(issues);
    return documents;
  }

  /** The language and market of a variant with defaults. */
  private resolve({ locale, market }: Variant, path = 'market'): Pick<SliceKey, 'locale' | 'market'> {
    const found = market === undefined ? this.slices.defaultMarket : this.slices.findMarket(market);
    if (!found) throw invalidField(path, `${path} must be a configured market`, 'unknown_market');
    return { market: found.code, locale: (locale === undefined ? null : canonicalLocale(locale)) ?? found.locale };
  }
}

/** Reads the variant from the ledger entry of its storing. */
function variantIn({ subjectId }: RecordedAction): SliceKey & { id: string } {
  const [vertical = '', locale = '', market = '', id = ''] = subjectId.split('/');
  if (!isVertical(vertical)) throw new Error(`${subjectId} is not a document`);
  return { vertical, locale, market, id };
}

/**
 * Keeps the fields that the product owns, also those that the client omits. Throws 409 `document_managed` if it changes one of
 * them.
 */
function keepOwned(given: NewDocument, existing: PreviousDocument | null): ManagedDocument {
  const former: Record<string, unknown> = existing?.fields ?? {};
  const productFields = existing?.productFields ?? [];
  const changed = productFields.filter(
    (name) => name in given.fields && !isDeepStrictEqual(given.fields[name], former[name]),
  );
  if (changed.length > 0) {
    const details = { document: nameOf(given), changed };
    throw conflict('document_managed', 'The product owns these fields of the document', details);
  }
  const owned = Object.fromEntries(productFields.map((name) => [name, former[name]]));
  return { ...given, fields: { ...given.fields, ...owned }, productFields };
}

/** The next copy would write the document again. */
function assertUnmanaged({ id, fields, productFields }: PreviousDocument): void {
  if (!productFields.includes('name') || fields['status'] !== 'active') return;
  throw conflict('document_managed', 'The document is a copy of an active product', { productId: id });
}

/** Departures override the fields derived from them. */
function withoutDerived(fields: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(fields['departures'])) return fields;
  const isDerived = (name: string) => DERIVED_FIELDS.some((derived) => derived === name);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isDerived(name)));
}

function nameOf(document: SliceKey & { id: string }): string {
  return `${sliceName(document)}/${document.id}`;
}

function throwNotFound(): never {
  throw notFound();
}
