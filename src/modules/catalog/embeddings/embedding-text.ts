import { createHash } from 'node:crypto';
import { plainText } from '../../../search-engine/index.js';

/** The model ignores longer texts, and its time grows with the length. */
const MAX_WORDS = 80;
const MAX_CHARACTERS = 256;
const LISTS = ['tagLabels', 'tags', 'categories', 'cities', 'regions', 'countries', 'waterways', 'themes', 'ports'];

/**
 * The texts that the vector of a document is computed from: its name, and its name with descriptions and lists. The vector
 * is the mean of both, which finds more than one vector of all text (docs/adr/0021). Empty if the document has no text.
 */
export function embeddingTexts(fields: Record<string, unknown>): string[] {
  const name = textOf(fields['name']);
  const about = [
    name,
    textOf(fields['shortDescription']),
    [...new Set(LISTS.flatMap((field) => listOf(fields[field])))].join(', '),
    textOf(fields['description']),
  ];
  const words = about.filter(Boolean).join('. ').split(/\s+/u).slice(0, MAX_WORDS).join(' ');
  return [...new Set([modelText(name), modelText(words)])].filter(Boolean);
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
  return createHash('sha256').update(embeddingTexts(fields).join('\0')).digest();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? plainText(value) : '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').map((item) => plainText(item)) : [];
}
