import type { SliceKey } from '../slices/slices.service.js';

/** A document as it lies in its slice. */
export interface StoredDocument extends SliceKey {
  readonly id: string;
  readonly fields: Record<string, unknown>;
  readonly version: number;
  /** Whether it has a vector of the model that its slice is searched with. */
  readonly embedded: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What is to be stored. */
export interface NewDocument extends SliceKey {
  readonly id: string;
  readonly fields: Record<string, unknown>;
}

const EMBEDDED = `
  exists (select from catalog_embedding as e
    where e.content_hash = document.content_hash and e.model = slice.embedding_model and e.vector is not null)`;

export const SELECT_DOCUMENTS = `
  select slice.vertical, slice.locale, slice.market, document.id, document.fields, document.version,
    ${EMBEDDED} as embedded, document.created_at as "createdAt", document.updated_at as "updatedAt"
  from catalog_document as document join catalog_slice as slice on slice.id = document.slice_id
  where document.deleted_at is null`;

/** $1 slices, $2 ids, $3 fields, $4 hashes, $5 generations, $6 now. A deleted one comes back under its number. */
export const UPSERT = `
  insert into catalog_document as document
    (slice_id, id, fields, content_hash, generation, version, created_at, updated_at)
  select slice_id, id, fields, content_hash, generation, 1, $6, $6
  from unnest($1::bigint[], $2::text[], $3::jsonb[], $4::bytea[], $5::bigint[])
    as given (slice_id, id, fields, content_hash, generation)
  order by slice_id, id
  on conflict (slice_id, id) do update set
    fields = excluded.fields, content_hash = excluded.content_hash, generation = excluded.generation,
    version = document.version + 1, updated_at = excluded.updated_at, deleted_at = null,
    created_at = case when document.deleted_at is null then document.created_at else excluded.created_at end`;

/** $1 slices, $2 ids: those that are there. */
export const EXISTING = `
  select slice_id as "sliceId", id, version, fields from catalog_document
  where deleted_at is null and (slice_id, id) in (select * from unnest($1::bigint[], $2::text[]))`;

/** $1 slices, $2 their generations, $3 id, $4 now. */
export const REMOVE = `
  update catalog_document as document
  set deleted_at = $4, updated_at = $4, version = version + 1, generation = s.generation
  from unnest($1::bigint[], $2::bigint[]) as s (id, generation)
  where document.slice_id = s.id and document.id = $3 and deleted_at is null`;
