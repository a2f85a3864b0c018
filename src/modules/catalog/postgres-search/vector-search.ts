import {
  DEFAULT_RANKING,
  type Filter,
  MAX_DISTANCE_FROM_BEST,
  NEAREST_NEIGHBOURS,
  type SearchMode,
} from '../../../search-engine/index.js';
import type { FieldKeys } from './field-keys.js';
import { filterSql } from './filter-sql.js';
import { SqlParameters } from './sql-parameters.js';
import { vectorLiteral } from './vector-store.js';
import type { SearchStatements } from './search-statements.js';

/** If at most this many documents meet the filters, each is compared; otherwise the HNSW index finds the nearest. */
const MAX_COMPARED = 20_000;
/**
 * Later pages match all documents that are as near as the matches of the first page, so that new documents do not displace
 * others.
 */
const MAX_OF_LATER_PAGES = 1_000;
/** The longest vectors that can have an HNSW index. */
const MAX_INDEXED_DIMENSIONS = 4_000;

/** If 2 % of all documents meet the filter, enough remain; the rest of the list improves the result. */
const INDEX_SETTINGS = `
  set local hnsw.ef_search = 400;
  set local hnsw.iterative_scan = relaxed_order;
  set local hnsw.max_scan_tuples = 40000`;

/** The values that a search compares with the vectors of its index. */
interface VectorQuery {
  readonly indexId: string;
  readonly keys: FieldKeys;
  /** A unit vector. */
  readonly vector: Float32Array;
  readonly mode: SearchMode;
  /** Documents below this similarity do not match. */
  readonly floor: number;
  /** The number of documents of the index. */
  readonly documents: number;
  readonly isSortedByField: boolean;
  /** The similarity that later pages require; null if no document reaches it, undefined for the first page. */
  readonly minSimilarity: number | null | undefined;
}

/** The documents that match by vector. */
interface NearDocuments {
  readonly ids: readonly string[];
  /** Their lowest similarity; null if there are none. */
  readonly minSimilarity: number | null;
}

interface NearRow {
  readonly id: string;
  readonly similarity: number;
}

/** Compares the vector of a query with the vectors of one stored index, by the rules of the in-memory engine. */
export class VectorSearch {
  private readonly literal: string;

  constructor(
    private readonly database: SearchStatements,
    private readonly query: VectorQuery,
    private readonly maxCompared = MAX_COMPARED,
  ) {
    this.literal = vectorLiteral(query.vector);
  }

  /** The nearest documents that meet the filters. */
  async nearest(filters: readonly Filter[]): Promise<NearDocuments> {
    const { isSortedByField, minSimilarity } = this.query;
    if (minSimilarity === null) return { ids: [], minSimilarity };
    const rows = await ((await this.areFew(filters)) ? this.compared(filters) : this.indexed(filters));
    const [best] = rows;
    const isFirstPage = minSimilarity === undefined;
    const least = isFirstPage && isSortedByField && best ? best.similarity - MAX_DISTANCE_FROM_BEST : -1;
    const near = rows.filter(({ similarity }) => similarity >= least);
    return {
      ids: near.map(({ id }) => id),
      minSimilarity: isFirstPage ? (near.at(-1)?.similarity ?? null) : minSimilarity,
    };
  }

  /** A join of the vectors `v` to the rows of a table with ids. */
  join(table: string, parameters: SqlParameters): string {
    const indexId = parameters.add(this.query.indexId);
    return `left join catalog_search_vector as v on v.index_id = ${indexId} and v.id = ${table}.id`;
  }

  /** The cosine of a row `v`; 0 without a vector. */
  similarity(parameters: SqlParameters): string {
    return `coalesce(${this.cosine(parameters)}, 0)`;
  }

  /** The score of a row with the columns `keyword` and `similarity`, among all rows that are scored. */
  get score(): string {
    if (this.query.mode === 'semantic') return '(1 + similarity) / 2';
    const { vectorWeight } = DEFAULT_RANKING;
    const { floor } = this.query;
    return `${1 - vectorWeight} * keyword / coalesce(nullif(max(keyword) over (), 0), 1)
      + ${vectorWeight / (1 - floor)} * greatest(0, similarity - ${floor})`;
  }

  private get limit(): number {
    return this.query.minSimilarity === undefined ? NEAREST_NEIGHBOURS : MAX_OF_LATER_PAGES;
  }

  private get least(): number {
    return this.query.minSimilarity ?? this.query.floor;
  }

  private cosine(parameters: SqlParameters): string {
    return `-(v.embedding <#> ${parameters.add(this.literal)}::halfvec)`;
  }

  private async areFew(filters: readonly Filter[]): Promise<boolean> {
    const { documents, indexId, keys, vector } = this.query;
    if (documents <= this.maxCompared || vector.length > MAX_INDEXED_DIMENSIONS) return true;
    if (filters.length === 0) return false;
    const parameters = new SqlParameters();
    const conditions = filters.map((filter) => filterSql(filter, keys, parameters));
    const text = `select from catalog_search_document as d
      where d.index_id = ${parameters.add(indexId)} and ${conditions.join(' and ')} limit ${this.maxCompared + 1}`;
    const [row] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from (${text}) as filtered`,
      parameters.values,
    );
    return (row?.count ?? 0) <= this.maxCompared;
  }

  /** Compares all documents that meet the filters. The order by a negated product cannot use an HNSW index. */
  private compared(filters: readonly Filter[]): Promise<NearRow[]> {
    const parameters = new SqlParameters();
    const text = `
      with compared as materialized (
        select v.id, ${this.cosine(parameters)} as similarity from ${this.filtered(filters, parameters)}
      )
      select id, similarity from compared where similarity >= ${parameters.add(this.least)}
      order by similarity desc, id limit ${this.limit}`;
    return this.database.query(text, parameters.values);
  }

  private async indexed(filters: readonly Filter[]): Promise<NearRow[]> {
    const parameters = new SqlParameters();
    // The text contains the length of the vectors, by which the server finds the index.
    const { length } = this.query.vector;
    const product = `v.embedding::halfvec(${length}) <#> ${parameters.add(this.literal)}::halfvec(${length})`;
    const text = `
      with near as materialized (
        select v.id, -(${product}) as similarity from ${this.filtered(filters, parameters)}
          and vector_dims(v.embedding) = ${length}
        order by ${product} limit ${this.limit}
      )
      select id, similarity from near where similarity >= ${parameters.add(this.least)} order by similarity desc, id`;
    await this.database.write({ text: INDEX_SETTINGS });
    return this.database.query(text, parameters.values);
  }

  private filtered(filters: readonly Filter[], parameters: SqlParameters): string {
    const { indexId, keys } = this.query;
    const documents = 'join catalog_search_document as d on d.index_id = v.index_id and d.id = v.id';
    const conditions = filters.map((filter) => ` and (${filterSql(filter, keys, parameters)})`).join('');
    return `catalog_search_vector as v ${filters.length > 0 ? documents : ''}
      where v.index_id = ${parameters.add(indexId)}${conditions}`;
  }
}
