import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { directionOf } from '../../../platform/database/sort-rows.js';
import type { IndexedDocument } from '../../../search-engine/index.js';
import type { OpenSlice, Slice, SliceKey } from '../slices/slices.service.js';
import type { Vertical } from '../slices/verticals.js';
import type { ListDocuments } from './document.dto.js';

/** The content of a document, and the slice in which it is stored. */
export interface NewDocument extends SliceKey {
  readonly id: string;
  readonly fields: Record<string, unknown>;
}

/** A document with the names of the fields that its product owns. */
export interface ManagedDocument extends NewDocument {
  readonly productFields: readonly string[];
}

/** A document as it is stored. */
export interface StoredDocument extends ManagedDocument {
  readonly version: number;
  /** Whether it has a vector of the model that searches its slice. */
  readonly embedded: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A document before a change. */
export interface PreviousDocument {
  readonly sliceId: string;
  readonly id: string;
  readonly version: number;
  readonly fields: Record<string, unknown>;
  readonly productFields: readonly string[];
  readonly createdAt: Date;
}

/** A document to be written into an open slice. */
export interface PlacedDocument {
  readonly slice: OpenSlice;
  readonly document: ManagedDocument;
  readonly contentHash: Buffer;
}

const SELECT = `
  select slice.vertical, slice.locale, slice.market, document.id, document.fields, document.version,
    document.product_fields as "productFields",
    exists (select from catalog_embedding as e
      where e.content_hash = document.content_hash and e.model = slice.embedding_model and e.vector is not null
    ) as embedded,
    document.created_at as "createdAt", document.updated_at as "updatedAt"
  from catalog_document as document join catalog_slice as slice on slice.id = document.slice_id
  where document.deleted_at is null`;

const MATCHING = `${SELECT}
  and ($1::text[] is null or slice.vertical = any($1)) and ($2::text is null or lower(slice.locale) = lower($2))
  and ($3::text is null or lower(slice.market) = lower($3))
  and ($4::text[] is null or coalesce(document.fields ->> 'status', 'active') = any($4))
  and ($5::text is null or document.id ilike $5 or document.fields ->> 'name' ilike $5)`;

const PREVIOUS = `
  select slice_id as "sliceId", id, version, fields, product_fields as "productFields", created_at as "createdAt" from catalog_document
  where deleted_at is null and (slice_id, id) in (select * from unnest($1::bigint[], $2::text[]))`;

/** A deleted document is replaced under its old sequence number. */
const UPSERT = `
  insert into catalog_document as document
    (slice_id, id, fields, content_hash, generation, version, created_at, updated_at, product_fields)
  select slice_id, id, fields, content_hash, generation, 1, $6, $6,
    array(select jsonb_array_elements_text(product_fields))
  from unnest($1::bigint[], $2::text[], $3::jsonb[], $4::bytea[], $5::bigint[], $7::jsonb[])
    as given (slice_id, id, fields, content_hash, generation, product_fields)
  order by slice_id, id
  on conflict (slice_id, id) do update set
    fields = excluded.fields, content_hash = excluded.content_hash, generation = excluded.generation,
    version = document.version + 1, updated_at = excluded.updated_at, deleted_at = null,
    product_fields = excluded.product_fields,
    created_at = case when document.deleted_at is null then document.created_at else excluded.created_at end`;

const DELETE = `
  update catalog_document as document
  set deleted_at = $4, updated_at = $4, version = version + 1, generation = s.generation
  from unnest($1::bigint[], $2::bigint[]) as s (id, generation)
  where document.slice_id = s.id and document.id = $3 and deleted_at is null`;

const PURGE = `
  with purged as (
    delete from catalog_document where deleted_at < $1 returning slice_id, generation
  ), newest as (select slice_id, max(generation) as generation from purged group by slice_id)
  update catalog_slice as slice set purged_generation = greatest(purged_generation, newest.generation)
  from newest where slice.id = newest.slice_id`;

const INDEXED = `
  select document.seq::float8 as seq, document.id, document.fields::text as fields,
    document.generation::float8 as generation, document.deleted_at is not null as deleted,
    (extract(epoch from document.created_at) * 1000)::float8 as "createdAt",
    (extract(epoch from document.updated_at) * 1000)::float8 as "updatedAt", embedding.vector
  from catalog_document as document
  left join catalog_embedding as embedding on embedding.content_hash = document.content_hash and embedding.model = $2
  where document.slice_id = $1`;

/** Reading a large slice at once would block the process. */
const PAGE_SIZE = 500;

type IndexedRow = IndexedDocument & { generation: number };

/** Reads and writes catalog documents. One statement writes a set of documents of any size. */
@Injectable()
export class DocumentsRepository {
  constructor(private readonly database: Database) {}

  async find({ vertical, locale, market }: SliceKey, id: string): Promise<StoredDocument | null> {
    const text = `${SELECT} and slice.vertical = $1 and slice.locale = $2 and slice.market = $3 and document.id = $4`;
    const [document] = await this.database.query<StoredDocument>(text, [vertical, locale, market, id]);
    return document ?? null;
  }

  /** The variants of a document, of all verticals or of one. */
  async listVariants(id: string, vertical: Vertical | null = null): Promise<StoredDocument[]> {
    const text = `${SELECT} and document.id = $1 and ($2::text is null or slice.vertical = $2)`;
    return this.database.query<StoredDocument>(text, [id, vertical]);
  }

  async page(query: ListDocuments): Promise<{ documents: StoredDocument[]; total: number }> {
    const { vertical = null, locale = null, market = null, status = null, search } = query;
    const { limit, offset } = pageBounds(query);
    const values = [vertical, locale, market, status, search === undefined ? null : containing(search)];
    const { sort = 'vertical' } = query;
    const columns = sort.endsWith('id') ? ['document.id', 'slice.vertical'] : ['slice.vertical', 'document.id'];
    const order = [...columns, 'slice.locale', 'slice.market'].map((column) => `${column} ${directionOf(sort)}`);
    const page = `${MATCHING} order by ${order.join(', ')} limit $6 offset $7`;
    const documents = await this.database.query<StoredDocument>(page, [...values, limit, offset]);
    const count = `select count(*)::int as total from (${MATCHING}) as found`;
    const [counted] = await this.database.query<{ total: number }>(count, values);
    return { documents, total: counted?.total ?? 0 };
  }

  /** Returns the existing ones of these documents before they are changed. The two lists run in parallel. */
  async listPrevious(sliceIds: readonly string[], ids: readonly string[]): Promise<PreviousDocument[]> {
    return this.database.query<PreviousDocument>(PREVIOUS, [sliceIds, ids]);
  }

  async save(placed: readonly PlacedDocument[], now: Date): Promise<void> {
    await this.database.execute(UPSERT, [
      placed.map(({ slice }) => slice.id),
      placed.map(({ document }) => document.id),
      placed.map(({ document }) => JSON.stringify(document.fields)),
      placed.map(({ contentHash }) => contentHash),
      placed.map(({ slice }) => slice.generation),
      now,
      placed.map(({ document }) => JSON.stringify(document.productFields)),
    ]);
  }

  /** The copies of a product are written by one transaction at a time, each from what was committed before. */
  async lockCopies(productId: string): Promise<void> {
    await this.database.query('select pg_advisory_xact_lock(7120061, hashtext($1))', [productId]);
  }

  /** Marks the document as deleted in these slices, so that the indexes of other processes learn of it. */
  async markDeleted(id: string, slices: readonly OpenSlice[], now: Date): Promise<void> {
    const generations = slices.map(({ generation }) => generation);
    await this.database.execute(DELETE, [slices.map((slice) => slice.id), generations, id, now]);
  }

  /** Removes documents marked as deleted before this instant. */
  async purgeDeleted(before: Date): Promise<void> {
    await this.database.execute(PURGE, [before]);
  }

  /** Pages of the documents that changed after a generation, up to the generation of the slice. */
  async *changesSince({ id, model, generation }: Slice, after: number): AsyncGenerator<IndexedDocument[]> {
    const text = `${INDEXED} and (document.generation, document.seq) > ($3, $4) and document.generation <= $5
      order by document.generation, document.seq limit ${PAGE_SIZE}`;
    let [last, seq] = [after, Number.MAX_SAFE_INTEGER];
    for (;;) {
      const rows = await this.database.query<IndexedRow>(text, [id, model, last, seq, generation]);
      if (rows.length > 0) yield rows;
      const end = rows.at(-1);
      if (!end || rows.length < PAGE_SIZE) return;
      [last, seq] = [end.generation, end.seq];
    }
  }

  /** Pages of all documents of a slice. */
  async *allIn({ id, model }: Slice): AsyncGenerator<IndexedDocument[]> {
    const text = `${INDEXED} and deleted_at is null and document.seq > $3 order by document.seq limit ${PAGE_SIZE}`;
    for (let seq = 0; ;) {
      const rows = await this.database.query<IndexedRow>(text, [id, model, seq]);
      if (rows.length > 0) yield rows;
      const end = rows.at(-1);
      if (!end || rows.length < PAGE_SIZE) return;
      seq = end.seq;
    }
  }
}
