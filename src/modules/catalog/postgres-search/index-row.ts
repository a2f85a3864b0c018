import {
  countTerms,
  DEFAULT_RANKING,
  type DocumentView,
  type IndexedDocument,
  type Scalar,
  scalarsOf,
  type Schema,
  sortValuesOf,
  type Tokenizer,
  viewOf,
} from '../../../search-engine/index.js';
import type { FieldKeys } from './field-keys.js';
import { isStrong, positionsOf } from './impacts.js';

const { k1, b } = DEFAULT_RANKING;

/** The inputs for computing the rows of one index. */
export interface RowContext {
  readonly indexId: string;
  readonly schema: Schema;
  readonly currency: string;
  readonly tokenizer: Tokenizer;
  readonly keys: FieldKeys;
  /** The weighted length of a typical document; impacts are relative to it. */
  readonly typicalLength: number;
}

/** A row of `catalog_search_document`, and its contribution to the statistics of the index. */
export interface IndexRow {
  readonly seq: number;
  readonly id: string;
  readonly fields: string;
  /** The literal of a tsvector. */
  readonly words: string;
  readonly keys: readonly bigint[];
  readonly bounds: readonly bigint[];
  readonly length: number;
  readonly price: number;
  readonly priceDown: number;
  readonly newest: number;
  readonly merit: number;
  readonly departure: number;
  readonly start: number;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Expiry in milliseconds; null if the view of the document does not expire. */
  readonly expiresAt: number | null;
  readonly lexemes: readonly string[];
  /** The words as written, with their stems. */
  readonly surfaces: ReadonlyMap<string, string>;
  readonly facetValues: ReadonlyMap<bigint, Scalar>;
}

/** Null for a document that customers do not find. */
export function rowOf(document: IndexedDocument, context: RowContext, now: number): IndexRow | null {
  const view = viewOf(document, context.schema, now);
  if (!view) return null;
  const { schema, keys, currency, tokenizer } = context;
  const { fields, id, seq, expiresAt } = view;
  const { weighted, surfaces, length } = wordsOf(view, context);
  const lexemes = [...weighted].map(([stem, impact]) => lexemeOf(context.indexId, stem, impact));
  const { keys: valueKeys, facetValues } = keys.keysOf(fields);
  const nameKey = keys.key('', nameWords(tokenizer, String(fields['name'])));
  const { price, publishedAt, nextDeparture, startDate, merit } = sortValuesOf(fields, currency);
  return {
    seq,
    id,
    fields: JSON.stringify(fields),
    words: lexemes.map(({ literal }) => literal).join(' '),
    // The field of this key has the highest number.
    keys: [...valueKeys, nameKey],
    bounds: keys.boundsOf(fields),
    length,
    price: orLast(price),
    priceDown: orLast(-price),
    newest: orLast(-publishedAt),
    merit: -merit,
    departure: orLast(nextDeparture),
    start: orLast(startDate),
    latitude: numberIn(schema, fields, 'latitude'),
    longitude: numberIn(schema, fields, 'longitude'),
    expiresAt: expiresAt === Infinity ? null : expiresAt,
    lexemes: lexemes.flatMap(({ texts }) => texts),
    surfaces,
    facetValues,
  };
}

/** The words of a name as one text: names with the same words are equal. */
export function nameWords(tokenizer: Tokenizer, name: string): string {
  return tokenizer
    .tokenize(name)
    .map(({ surface }) => surface)
    .join(' ');
}

/** The weighted number of words of a document; 0 for one that customers do not find. */
export function lengthOf(document: IndexedDocument, { schema, tokenizer }: RowContext, now: number): number {
  const view = viewOf(document, schema, now);
  return view ? countTerms(searchedTokens(view, schema, tokenizer)).length : 0;
}

function wordsOf(view: DocumentView, { schema, tokenizer, typicalLength }: RowContext) {
  const searched = [...searchedTokens(view, schema, tokenizer)];
  const { frequencies, length } = countTerms(searched);
  const constant = k1 * (1 - b + (b * length) / typicalLength);
  const weighted = new Map<string, number>();
  for (const [stem, frequency] of frequencies) {
    weighted.set(stem, ((k1 + 1) * frequency) / (frequency + constant));
  }
  const surfaces = new Map<string, string>();
  for (const { tokens } of searched) for (const { surface, stem } of tokens) surfaces.set(surface, stem);
  return { weighted, surfaces, length };
}

function searchedTokens({ fields }: DocumentView, schema: Schema, tokenizer: Tokenizer) {
  return [...schema].flatMap(([name, field]) => {
    const { weight } = field;
    if (weight === 0 || fields[name] === undefined) return [];
    return scalarsOf(field, fields[name]).map((text) => ({ tokens: tokenizer.tokenize(String(text)), weight }));
  });
}

/** The index id is part of a lexeme, so that each index has its own posting lists. */
export function lexeme(indexId: string, stem: string): string {
  return `${indexId}_${stem}`;
}

/** Returns the lexeme of documents in which the word is strong. */
export function strongLexeme(indexId: string, stem: string): string {
  return `${indexId}_${stem}_`;
}

/** A stem consists of letters and digits, so it needs no escape. */
function lexemeOf(indexId: string, stem: string, impact: number): { literal: string; texts: string[] } {
  const text = lexeme(indexId, stem);
  const literal = `'${text}':${positionsOf(impact)}`;
  if (!isStrong(impact)) return { literal, texts: [text] };
  const strong = strongLexeme(indexId, stem);
  return { literal: `${literal} '${strong}'`, texts: [text, strong] };
}

function numberIn(schema: Schema, fields: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = fields[name];
  return schema.has(name) && typeof value === 'number' ? value : null;
}

/** Uses MAX_VALUE, because JSON has no infinity and sort keys are part of cursors. */
function orLast(key: number): number {
  return Number.isNaN(key) ? Number.MAX_VALUE : key;
}
