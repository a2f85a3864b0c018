import type { Scalar } from '../../../search-engine/index.js';
import type { Database } from '../../../platform/database/database.js';
import type { IndexRow } from './index-row.js';

/** The parts of a removed row that the statistics need. */
export interface RemovedRow {
  readonly length: number;
  readonly lexemes: readonly string[];
  /** PostgreSQL's form of bigint. */
  readonly keys: readonly string[];
}

/** The rows that a write has removed and added. */
export interface RowChanges {
  readonly removed: readonly RemovedRow[];
  readonly rows: readonly IndexRow[];
}

const ADD_TOTALS = `
  update catalog_search_index set documents = documents + $2, total_length = total_length + $3 where id = $1`;

const ADD_STEMS = `
  insert into catalog_search_stem as stem (index_id, lexeme, documents)
  select $1, lexeme, documents from unnest($2::text[], $3::int[]) as given (lexeme, documents) order by lexeme
  on conflict (index_id, lexeme) do update set documents = stem.documents + excluded.documents`;

const ADD_WORDS = `
  insert into catalog_search_word (index_id, surface, stem, variants)
  select $1, surface, stem, string_to_array(variants, ' ')
  from unnest($2::text[], $3::text[], $4::text[]) as given (surface, stem, variants) order by surface
  on conflict do nothing`;

const ADD_VALUES = `
  insert into catalog_search_value as known (index_id, key, kind, value, number, documents)
  select $1, key, kind, value, number, documents
  from unnest($2::bigint[], $3::text[], $4::text[], $5::float8[], $6::int[]) as given (key, kind, value, number, documents)
  order by key
  on conflict (index_id, key) do update set documents = known.documents + excluded.documents`;

/** The removed values are already known; only values of facets are counted. */
const SUBTRACT_VALUES = `
  update catalog_search_value as known set documents = known.documents - given.documents
  from unnest($2::bigint[], $3::int[]) as given (key, documents)
  where known.index_id = $1 and known.key = given.key`;

/** One statement writes up to this many words; a vocabulary may be larger. */
const MAX_ROWS = 20_000;
const MAX_KNOWN_WORDS = 500_000;

/** Changes of the statistics of one index, summed up before they are written: a rebuild writes them rarely. */
export class IndexStatistics {
  private documents = 0;
  private length = 0;
  private stems = new Map<string, number>();
  private words = new Map<string, string>();
  private values = new Map<bigint, { value: Scalar; documents: number }>();
  private removedValues = new Map<string, number>();
  /** Words that this process has already written. */
  private knownWords = new Set<string>();

  constructor(private readonly indexId: string) {}

  /** The number of changes that are not written yet. */
  get size(): number {
    return this.stems.size + this.words.size + this.values.size;
  }

  count({ removed, rows }: RowChanges): void {
    for (const row of removed) this.remove(row);
    for (const row of rows) this.add(row);
  }

  private add({ length, lexemes, surfaces, facetValues }: IndexRow): void {
    this.documents += 1;
    this.length += length;
    for (const lexeme of lexemes) this.stems.set(lexeme, (this.stems.get(lexeme) ?? 0) + 1);
    for (const [surface, stem] of surfaces) if (!this.knownWords.has(surface)) this.words.set(surface, stem);
    for (const [key, value] of facetValues) {
      const known = this.values.get(key);
      if (known) known.documents += 1;
      else this.values.set(key, { value, documents: 1 });
    }
  }

  private remove({ length, lexemes, keys }: RemovedRow): void {
    this.documents -= 1;
    this.length -= length;
    for (const lexeme of lexemes) this.stems.set(lexeme, (this.stems.get(lexeme) ?? 0) - 1);
    for (const key of keys) this.removedValues.set(key, (this.removedValues.get(key) ?? 0) + 1);
  }

  /** Writes the changes in the running transaction. */
  async write(database: Database): Promise<void> {
    const { indexId } = this;
    await database.execute(ADD_TOTALS, [indexId, this.documents, this.length]);
    for (const part of parts([...this.stems].filter(([, change]) => change !== 0))) {
      await database.execute(ADD_STEMS, [indexId, part.map(([lexeme]) => lexeme), part.map(([, change]) => change)]);
    }
    for (const part of parts([...this.words])) {
      const variants = part.map(([surface]) => variantsOf(surface).join(' '));
      const [surfaces, stems] = [part.map(([surface]) => surface), part.map(([, stem]) => stem)];
      await database.execute(ADD_WORDS, [indexId, surfaces, stems, variants]);
    }
    for (const part of parts([...this.values])) await database.execute(ADD_VALUES, [indexId, ...valueColumns(part)]);
    for (const part of parts([...this.removedValues])) {
      await database.execute(SUBTRACT_VALUES, [indexId, part.map(([key]) => key), part.map(([, count]) => count)]);
    }
  }

  /** Forgets the changes after they were committed. */
  clear(): void {
    if (this.knownWords.size > MAX_KNOWN_WORDS) this.knownWords = new Set();
    for (const surface of this.words.keys()) this.knownWords.add(surface);
    [this.documents, this.length] = [0, 0];
    this.stems = new Map();
    this.words = new Map();
    this.values = new Map();
    this.removedValues = new Map();
  }
}

/** Returns a word, and its variants without one letter. Two words that are one edit apart have a variant in common. */
export function variantsOf(word: string): string[] {
  const letters = [...word];
  return [
    ...new Set([
      word,
      ...letters.map((_, index) => [...letters.slice(0, index), ...letters.slice(index + 1)].join('')),
    ]),
  ].filter(Boolean);
}

function valueColumns(values: readonly [bigint, { value: Scalar; documents: number }][]): unknown[][] {
  return [
    values.map(([key]) => String(key)),
    values.map(([, { value }]) => typeof value),
    values.map(([, { value }]) => String(value)),
    values.map(([, { value }]) => (typeof value === 'number' ? value : null)),
    values.map(([, { documents }]) => documents),
  ];
}

function parts<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / MAX_ROWS);
  return Array.from({ length: count }, (_, index) => items.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS));
}
