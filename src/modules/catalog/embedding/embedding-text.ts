import { createHash } from 'node:crypto';
import { plainText } from '../../../search-engine/index.js';

/** The model forgets what comes later, and its time grows with every word and every character. */
const MAX_WORDS = 80;
const MAX_CHARACTERS = 256;
const LISTS = ['tagLabels', 'tags', 'categories', 'cities', 'regions', 'countries', 'waterways', 'themes', 'ports'];

/**
 * What a document's vector is made of: its name, and a text of what else tells what it is about. The vector is the mean of
 * the two, which finds more than one vector of everything does (docs/adr/0021). None where there is no text.
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
 * A text as a model may get it. The model normalises too, so the text must be cut after that: U+FDFA alone becomes 18
 * characters.
 */
export function modelText(text: string): string {
  return text.normalize('NFKC').slice(0, MAX_CHARACTERS).toWellFormed().trim();
}

/** The same text is never embedded twice: its hash is the vector's name. */
export function contentHash(fields: Record<string, unknown>): Buffer {
  return createHash('sha256').update(embeddingTexts(fields).join('\0')).digest();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? plainText(value) : '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string').map((item) => plainText(item)) : [];
}
