import { createHash } from 'node:crypto';
import sanitizeHtml from 'sanitize-html';

/** Maximum length of a draft in characters. Sanitized it can be six times as long: `"` becomes `&quot;`. */
export const MAX_BODY = 200_000;
export const MAX_FROZEN_BODY = 6 * MAX_BODY;

export const TEXT_RULE =
  '$property must be HTML of at most 20000 tags and 500 open elements, without control characters';

/** For each end tag the sanitizer searches all open elements; 20,000 tags and 500 open elements take 20 ms. */
const MAX_TAGS = 20_000;
const MAX_OPEN_ELEMENTS = 500;
const NESTING_LIMIT = 100;
const MAX_PASSES = 5;
const TAG = /<(\/?)([a-z][a-z0-9]*)/gi;
const WITHOUT_END_TAG = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col', 'link', 'meta']);
const LINES = /^[^\p{Cc}]*(?:[\t\n\r][^\p{Cc}]*)*$/u;

/** Pictures, styles and classes are not allowed, because an agreed text must not look different later. */
const ALLOWED = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'section', 'blockquote', 'pre', 'hr', 'br'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
    ...['a', 'abbr', 'b', 'cite', 'code', 'em', 'i', 'q', 's', 'small', 'span', 'strong', 'sub', 'sup', 'u'],
  ],
  allowedAttributes: {
    a: ['href', 'title'],
    abbr: ['title'],
    ol: ['start', 'type'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  nestingLimit: NESTING_LIMIT,
};

/**
 * Returns whether this can be the text of a contract or policy: it has limited tags and open elements, and no control
 * characters except tabs and line breaks.
 */
export function isDocumentText(text: string): boolean {
  return LINES.test(text) && text.split('<').length <= MAX_TAGS && openElements(text) <= MAX_OPEN_ELEMENTS;
}

/** Returns an upper bound of the number of open elements; a parser closes some elements itself. */
function openElements(html: string): number {
  const counts = new Map<string, number>();
  let [open, most] = [0, 0];
  for (const [, slash, tag = ''] of html.matchAll(TAG)) {
    const name = tag.toLowerCase();
    const count = counts.get(name) ?? 0;
    const change = slash === '' ? (WITHOUT_END_TAG.has(name) ? 0 : 1) : count > 0 ? -1 : 0;
    counts.set(name, count + change);
    open += change;
    most = Math.max(most, open);
  }
  return most;
}

/**
 * Removes everything that runs, loads or changes the style. A removed element can leave a paragraph in a paragraph, which the next
 * parser closes itself, so the result is sanitized until it stays the same; the second pass was the last to change one of 60,000
 * random texts.
 */
export function sanitizeBody(html: string): string {
  let body = html;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const sanitized = sanitizeHtml(body, ALLOWED);
    if (sanitized === body) return body;
    body = sanitized;
  }
  return body;
}

/** Returns the SHA-256 of the text's UTF-8, in hexadecimal. */
export function digestOf(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}
