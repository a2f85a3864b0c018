import { createHash } from 'node:crypto';
import { plainText } from '../../../search-engine/index.js';

/** The model ignores longer texts, and its time grows with the length. */
const MAX_WORDS = 80;
const MAX_CHARACTERS = 256;
const LISTS = ['tagLabels', 'tags', 'categories', 'cities', 'regions', 'countries', 'waterways', 'themes', 'ports'];

/**
 * Builds the text from which the vector of a document is computed: its name with descriptions and lists. Empty if the document
 * has no text. A second vector, of the name alone, would double the work and rank worse (docs/adr/0021).
 */
export function embeddingText(fields: Record<string, unknown>): string {
  const about = [
    textOf(fields['name']),
    textOf(fields['shortDescription']),
    [...new Set(LISTS.flatMap((field) => listOf(fields[field])))].join(', '),
    textOf(fields['description']),
  ];
  return modelText(about.filter(Boolean).join('. ').split(/\s+/u).slice(0, MAX_WORDS).join(' '));
}

/**
 * A text as it is passed to a model. The model normalizes its input, so the length is limited after normalization: U+FDFA
 * alone becomes 18 characters.
 */
export function modelText(text: string): string {
  return text.normalize('NFKC').slice(0, MAX_CHARACTERS).toWellFormed().trim();
}

/** The key of a vector: the same text is embedded only once. */
export function contentHash(fields: Record<string, unknown>): Buffer {
  return createHash('sha256').update(embeddingText(fields)).digest();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? plainText(value) : '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').map((item) => plainText(item)) : [];
}
