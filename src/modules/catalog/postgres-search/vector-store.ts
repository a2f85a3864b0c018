import type { Database } from '../../../platform/database/database.js';
import { DEFAULT_FLOOR, MAX_FLOOR } from '../../../search-engine/index.js';

/** With fewer documents the similarity is not meaningful. */
const MIN_DOCUMENTS_OF_FLOOR = 16;
/** All pairs of these documents are compared. */
const SAMPLED = 64;

const EXISTS = `select to_regclass('catalog_search_vector') is not null as "exists"`;

const CREATE = `insert into catalog_search_vector_index (index_id, model, floor) values ($1, $2, ${DEFAULT_FLOOR})`;

const LOCK = 'select dimensions from catalog_search_vector_index where index_id = $1 for update';

/** Vectors of the index's model. A row may be written again without a change of its document. */
const COMPUTED = `
  select document.id, embedding.vector
  from catalog_search_vector_index as known
  join catalog_search_index as index on index.id = known.index_id
  join catalog_document as document on document.slice_id = index.slice_id
  join catalog_embedding as embedding on embedding.content_hash = document.content_hash and embedding.model = known.model
  where known.index_id = $1 and document.id = any($2) and embedding.vector is not null`;

const SET_DIMENSIONS = `
  with created as materialized (select catalog_search_index_vectors($2))
  update catalog_search_vector_index set dimensions = $2 from created where index_id = $1`;

const REMOVE = 'delete from catalog_search_vector where index_id = $1 and id = any($2)';

const INSERT = `
  insert into catalog_search_vector (index_id, id, embedding)
  select $1, id, embedding::halfvec from unnest($2::text[], $3::text[]) as given (id, embedding)`;

const COUNT = `
  update catalog_search_vector_index set documents = documents + $2 where index_id = $1
  returning documents >= greatest(${MIN_DOCUMENTS_OF_FLOOR}, 2 * documents_at_floor) as "hasDoubled"`;

/** The similarity that one in ten pairs of documents exceeds, as in the in-memory engine. */
const SET_FLOOR = `
  with chosen as (
    select embedding from catalog_search_vector where index_id = $1 order by md5(id) limit ${SAMPLED}
  ), sample as materialized (select embedding, row_number() over () as place from chosen)
  update catalog_search_vector_index set documents_at_floor = documents, floor = least(${MAX_FLOOR}, (
    select percentile_disc(0.9) within group (order by -(one.embedding <#> other.embedding))
    from sample as one join sample as other on one.place < other.place))
  where index_id = $1`;

/** The vectors of the stored indexes, on a server with pgvector (docs/adr/0029). Writes run in the transaction of the caller. */
export class VectorStore {
  /** Whether the database has tables for vectors; known after `find`. They are not added while a process runs. */
  exists = false;
  private found: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  /** Looks for the tables once. */
  find(): Promise<void> {
    this.found ??= this.database.query<{ exists: boolean }>(EXISTS).then(
      ([row]) => void (this.exists = row?.exists === true),
      (error: unknown) => {
        this.found = null;
        throw error;
      },
    );
    return this.found;
  }

  /** The tables of this store whose rows belong to an index. */
  get tables(): string[] {
    return this.exists ? ['vector', 'vector_index'] : [];
  }

  /** Prepares an index for the vectors of a model; otherwise it has none. */
  async create(indexId: string, model: string | null): Promise<void> {
    if (this.exists && model !== null) await this.database.execute(CREATE, [indexId, model]);
  }

  /** Replaces the vectors of documents that customers may find. */
  async replace(indexId: string, ids: readonly string[], foundIds: readonly string[]): Promise<void> {
    if (!this.exists) return;
    const [index] = await this.database.query<{ dimensions: number | null }>(LOCK, [indexId]);
    if (!index) return;
    const computed = await this.database.query<{ id: string; vector: Uint8Array }>(COMPUTED, [indexId, foundIds]);
    const vectors = computed.flatMap(({ id, vector: bytes }) => {
      const vector = unitVectorOf(bytes);
      return vector ? [{ id, vector }] : [];
    });
    const dimensions = index.dimensions ?? vectors[0]?.vector.length;
    if (dimensions === undefined) return;
    if (index.dimensions === null) await this.database.execute(SET_DIMENSIONS, [indexId, dimensions]);
    const { count: removed } = await this.database.execute(REMOVE, [indexId, ids]);
    // The first vector determines the number of dimensions, as in memory.
    const kept = vectors.filter(({ vector }) => vector.length === dimensions);
    const columns = [kept.map(({ id }) => id), kept.map(({ vector }) => vectorLiteral(vector))];
    if (kept.length > 0) await this.database.execute(INSERT, [indexId, ...columns]);
    const [counted] = await this.database.query<{ hasDoubled: boolean }>(COUNT, [indexId, kept.length - removed]);
    if (counted?.hasDoubled === true) await this.database.execute(SET_FLOOR, [indexId]);
  }
}

/** The text of a vector with the precision of a half-precision number. */
export function vectorLiteral(vector: Float32Array): string {
  return `[${Array.from(vector, (value) => value.toPrecision(6)).join(',')}]`;
}

/** Null if the vector has no direction. */
function unitVectorOf(bytes: Uint8Array): Float32Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = Float32Array.from({ length: bytes.byteLength / 4 }, (_, index) => view.getFloat32(index * 4, true));
  const length = Math.hypot(...vector);
  return length > 0 && length < Infinity ? vector.map((value) => value / length) : null;
}
