import { unprocessable } from '../../../platform/errors/app-error.js';

/** In characters. */
export const MAX_SUBJECT = 200;
export const MAX_TEXT = 10_000;
/** In characters: the longest text of a message. */
const MAX_OUTPUT = 20_000;
const MAX_ROWS = 100;

/** The placeholders of a template, and of each row of a list. */
export interface Placeholders {
  values: readonly string[];
  lists: Readonly<Record<string, readonly string[]>>;
}

/** What placeholders stand for; null if it is not known. A list has one map for each row. */
export interface TemplateValues {
  values: ReadonlyMap<string, string | null>;
  lists: ReadonlyMap<string, readonly ReadonlyMap<string, string | null>[]>;
}

type Part =
  { kind: 'text'; text: string } | { kind: 'value'; name: string } | { kind: 'list'; name: string; parts: Part[] };

/** `{{name}}`, `{{#list}}` and `{{/list}}`; anything else between double braces is an error. */
const TAG = /\{\{([^{}]*)\}\}/g;
const INSIDE = /^([#/]?)\s*([A-Za-z][A-Za-z0-9.]{0,49})$/;
/** Controls, line separators, and characters that change the direction of the text after them. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** The text would be longer than a message may be. */
export class OutputTooLong extends Error {}

/**
 * Throws 422 `placeholder_unknown` for a placeholder that is not in the list, and 422 `section_invalid` for a list inside another one
 * or without its end. `path` is the member of the body.
 */
export function checkTemplate(text: string, placeholders: Placeholders, path: string): void {
  parse(text, placeholders, path);
}

/**
 * Replaces the placeholders of a checked text. Values are one line each and cannot add placeholders. `missing` are the names of
 * placeholders without a value, each once. Throws `OutputTooLong`.
 */
export function render(text: string, values: TemplateValues, placeholders: Placeholders) {
  const missing = new Set<string>();
  let length = 0;
  const write = (parts: readonly Part[], row: ReadonlyMap<string, string | null>): string =>
    parts
      .map((part) => {
        if (part.kind === 'list') {
          const rows = values.lists.get(part.name) ?? [];
          if (rows.length === 0) missing.add(part.name);
          return rows
            .slice(0, MAX_ROWS)
            .map((one) => write(part.parts, one))
            .join('');
        }
        const written = part.kind === 'text' ? part.text : valueOf(part.name, row);
        length += written.length;
        if (length > MAX_OUTPUT) throw new OutputTooLong('The message is too long');
        return written;
      })
      .join('');
  const valueOf = (name: string, row: ReadonlyMap<string, string | null>): string => {
    const value = row.get(name) ?? values.values.get(name) ?? null;
    if (value === null || value.trim() === '') missing.add(name);
    return oneLine(value ?? '');
  };
  return { text: write(parse(text, placeholders, 'text'), new Map()), missing: [...missing] };
}

/** A value cannot begin a new line, and so no header and no paragraph. */
export function oneLine(value: string): string {
  return value.replace(UNSAFE, ' ').trim();
}

/** The same text for readers that prefer HTML: paragraphs at empty lines. All characters of the text are text. */
export function htmlOf(text: string): string {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  const blocks = paragraphs.map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>\n')}</p>`);
  return `<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head><body>\n${blocks.join('\n')}\n</body></html>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function parse(text: string, { values, lists }: Placeholders, path: string): Part[] {
  const parts: Part[] = [];
  let list: { name: string; parts: Part[] } | null = null;
  let end = 0;
  for (const { 0: tag, 1: inside = '', index } of text.matchAll(TAG)) {
    const into: Part[] = list?.parts ?? parts;
    if (index > end) into.push({ kind: 'text', text: text.slice(end, index) });
    end = index + tag.length;
    const [, sign, name = ''] = INSIDE.exec(inside.trim()) ?? [];
    if (sign === '#') {
      if (list !== null || !Object.hasOwn(lists, name))
        throw list ? invalidSection(path, name) : unknown(path, inside, Object.keys(lists));
      list = { name, parts: [] };
      parts.push({ kind: 'list', ...list });
    } else if (sign === '/') {
      if (list?.name !== name) throw invalidSection(path, name);
      list = null;
    } else {
      const known = [...values, ...(list === null ? [] : (lists[list.name] ?? []))];
      if (!known.includes(name)) throw unknown(path, inside, known);
      into.push({ kind: 'value', name });
    }
  }
  if (list !== null) throw invalidSection(path, list.name);
  const rest = text.slice(end);
  if (rest !== '') parts.push({ kind: 'text', text: rest });
  if (/\{\{\{|\}\}\}/.test(text) || /\{\{|\}\}/.test(text.replace(TAG, ''))) throw unknown(path, '');
  return parts;
}

function unknown(path: string, inside: string, allowed?: readonly string[]) {
  const placeholder = inside.trim().slice(0, 60);
  const details = { field: path, path, placeholder, ...(allowed && { allowed }) };
  return unprocessable('placeholder_unknown', 'The text contains a placeholder that does not exist', details);
}

function invalidSection(path: string, list: string) {
  const details = { field: path, path, list: list.slice(0, 60) };
  return unprocessable(
    'section_invalid',
    'A list must end before another one begins, and before the text ends',
    details,
  );
}
