import { createHash } from 'node:crypto';
import sanitizeHtml from 'sanitize-html';

/** Longest text that a draft may have, in characters. Made harmless it can be six times as long: `"` is `&quot;` then. */
export const MAX_BODY = 200_000;
export const MAX_FROZEN_BODY = 6 * MAX_BODY;

/** The sanitizer's work grows with the square of the nesting: so many tags take it a tenth of a second at worst. */
const MAX_TAGS = 20_000;
const NESTING_LIMIT = 100;
const LINES = /^[^\p{Cc}]*(?:[\t\n\r][^\p{Cc}]*)*$/u;

/** What a document is made of. No images, styles or classes: what was agreed must not look different tomorrow. */
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

/** Whether this can be a contract's text: no control characters but tabs and line breaks, no unreasonable count of tags. */
export function isContractText(text: string): boolean {
  return LINES.test(text) && text.split('<').length <= MAX_TAGS;
}

/** The text without anything that could run, load or restyle. */
export function sanitizeBody(html: string): string {
  return sanitizeHtml(html, ALLOWED);
}

/** SHA-256 of the text's UTF-8, in hexadecimal. */
export function digestOf(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}
