import {
  type ParsedQuery,
  QueryParser,
  type Sort,
  type SynonymMap,
  type Token,
  type Tokenizer,
  Vocabulary,
} from '../../../search-engine/index.js';
import { lexeme, strongLexeme } from './index-row.js';
import { variantsOf } from './index-statistics.js';
import { frequencyOf, type MatchedTerm, type TermMatch } from './term-sql.js';
import type { SearchStatements } from './search-statements.js';

const MAX_QUERY_LENGTH = 2_048;
const MAX_TERMS = 64;
const MAX_TERMS_BY_SCORE = 16;
const MAX_TERMS_BY_FIELD = 5;
const MAX_CORRECTED = 8;
const MAX_COMPLETIONS = 48;
/** Two edits change at most this share of the trigrams of a word of eight letters. */
const MIN_SIMILARITY = 0.2;
const MIN_LENGTH_OF_TWO_EDITS = 8;
const MAX_SIMILAR = 400;

const STEMS = `
  select lexeme, documents from catalog_search_stem where index_id = $1 and lexeme = any($2) and documents > 0`;

const SURFACES = `
  select surface from catalog_search_word where index_id = $1 and surface = any($2)`;

const COMPLETIONS = `
  select word.surface, stem.documents
  from catalog_search_word as word
  join catalog_search_stem as stem on stem.index_id = word.index_id and stem.lexeme = word.index_id || '_' || word.stem
  where word.index_id = $1 and word.surface > $2 and word.surface < $3 and stem.documents > 0
  order by stem.documents desc, word.surface limit ${MAX_COMPLETIONS}`;

const NEAR = `
  select word.surface, stem.documents
  from catalog_search_word as word
  join catalog_search_stem as stem on stem.index_id = word.index_id and stem.lexeme = word.index_id || '_' || word.stem
  where word.index_id = $1 and stem.documents > 0`;

const ONE_EDIT = `${NEAR} and word.variants && $2::text[]`;

const TWO_EDITS = `${NEAR} and word.surface % $2 and length(word.surface) between $3 and $4
  order by word.surface <-> $2 limit ${MAX_SIMILAR}`;

interface KnownWord {
  readonly surface: string;
  readonly documents: number;
}

/** The index for which a query is parsed. */
export interface WordContext {
  readonly indexId: string;
  readonly documents: number;
  readonly tokenizer: Tokenizer;
  readonly synonyms: SynonymMap;
}

/** Parses a query with the words of the index that it could mean. Runs in a transaction. */
export async function parseQuery(database: SearchStatements, context: WordContext, text: string): Promise<ParsedQuery> {
  const { tokenizer, synonyms, indexId } = context;
  const tokens = tokenizer.tokenize(text, MAX_QUERY_LENGTH);
  const ruled = synonyms.rulesFor(tokens).flatMap(({ stems }) => stems);
  const known = await documentsOf(database, indexId, [...tokens.map(({ stem }) => stem), ...ruled]);
  const surfaces = await database.query<{ surface: string }>(SURFACES, [indexId, tokens.map(({ surface }) => surface)]);
  const vocabulary = new Vocabulary();
  // A word whose stem has no document is no longer in the index.
  for (const { surface } of surfaces) {
    const stem = tokens.find((token) => token.surface === surface)?.stem ?? '';
    if (known.has(lexeme(indexId, stem))) vocabulary.add(surface);
  }
  const unknown = (token: Token) => !known.has(lexeme(indexId, token.stem)) && !vocabulary.has(token.surface);
  const candidates = [
    ...(await completions(database, indexId, tokens.at(-1))),
    ...(await corrections(database, indexId, distinct(tokens).filter(unknown))),
  ];
  for (const { surface, documents } of candidates) if (!vocabulary.has(surface)) vocabulary.add(surface, documents);
  const index = { has: (stem: string) => known.has(lexeme(indexId, stem)) };
  return new QueryParser(tokenizer, vocabulary, index, synonyms).parse(text);
}

/** The terms of a parsed query with the inverse document frequencies of their stems. */
export async function weighTerms(
  database: SearchStatements,
  { indexId, documents }: Pick<WordContext, 'indexId' | 'documents'>,
  query: ParsedQuery,
): Promise<MatchedTerm[]> {
  const stems = [...new Set(query.flatMap((alternatives) => alternatives.flatMap((one) => one.stems)))];
  const known = await documentsOf(database, indexId, stems);
  const idf = (frequency: number) => Math.log(1 + Math.max(0, documents - frequency + 0.5) / (frequency + 0.5));
  return query.map((alternatives) => {
    const matches = alternatives.flatMap((alternative): TermMatch[] => {
      const words = alternative.stems.map((stem) => {
        const [any, strong] = [lexeme(indexId, stem), strongLexeme(indexId, stem)];
        const frequency = known.get(any) ?? 0;
        const strongFrequency = known.get(strong) ?? 0;
        return { any, strong, frequency, strongFrequency, weight: alternative.weight * idf(frequency) };
      });
      return words.every(({ frequency }) => frequency > 0) ? [{ words }] : [];
    });
    return { matches };
  });
}

/**
 * Returns the terms that a search evaluates, in order: the rarest ones. Each additional term costs time per document, and the
 * most frequent words of a long query say least. A search by a field needs all combinations of its terms.
 */
export function evaluatedTerms(query: ParsedQuery, terms: readonly MatchedTerm[], sort: Sort): ParsedQuery {
  const most = sort === 'relevance' ? MAX_TERMS_BY_SCORE : MAX_TERMS_BY_FIELD;
  if (query.length <= most) return query;
  const rarest = [...terms.keys()]
    .filter((index) => (terms[index]?.matches.length ?? 0) > 0)
    .sort((a, b) => frequencyAt(terms, a) - frequencyAt(terms, b) || a - b)
    .slice(0, most);
  return query.filter((_, index) => rarest.includes(index));
}

function frequencyAt(terms: readonly MatchedTerm[], index: number): number {
  const term = terms[index];
  return term ? frequencyOf(term) : 0;
}

async function documentsOf(
  database: SearchStatements,
  indexId: string,
  stems: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (stems.length === 0) return new Map();
  const lexemes = stems.flatMap((stem) => [lexeme(indexId, stem), strongLexeme(indexId, stem)]);
  const rows = await database.query<{ lexeme: string; documents: number }>(STEMS, [indexId, lexemes]);
  return new Map(rows.map((row) => [row.lexeme, row.documents]));
}

/** Finds words that start with the last word of the query. */
async function completions(database: SearchStatements, indexId: string, last: Token | undefined): Promise<KnownWord[]> {
  if (!last || last.surface.length < 2) return [];
  // In the order of bytes, all words with the prefix are below the prefix with the highest character.
  return database.query(COMPLETIONS, [indexId, last.surface, `${last.surface}\u{10ffff}`]);
}

/** Finds words that a misspelled word may stand for, and a few others; the vocabulary computes the distances. */
async function corrections(database: SearchStatements, indexId: string, words: readonly Token[]): Promise<KnownWord[]> {
  const found: KnownWord[] = [];
  for (const { surface } of words.slice(0, MAX_CORRECTED)) {
    if (surface.length < 3) continue;
    const near = await database.query<KnownWord>(ONE_EDIT, [indexId, variantsOf(surface)]);
    found.push(...near);
    if (surface.length < MIN_LENGTH_OF_TWO_EDITS || hasOneEdit(near, surface)) continue;
    const bounds = [surface.length - 2, surface.length + 2];
    await database.execute(`set local pg_trgm.similarity_threshold = ${MIN_SIMILARITY}`);
    found.push(...(await database.query<KnownWord>(TWO_EDITS, [indexId, surface, ...bounds])));
  }
  return found;
}

function hasOneEdit(near: readonly KnownWord[], surface: string): boolean {
  const vocabulary = new Vocabulary();
  for (const word of near) vocabulary.add(word.surface);
  return vocabulary.corrections(surface).length > 0;
}

function distinct(tokens: readonly Token[]): Token[] {
  return [...new Map(tokens.map((token) => [token.stem, token])).values()].slice(0, MAX_TERMS);
}
