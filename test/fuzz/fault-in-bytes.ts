import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { recordMutation, type Draft } from './draft.js';
import { textOf } from './json.js';
import type { Random } from './random.js';

const MIB = 1024 * 1024;
/** Small when compressed, 64 MiB uncompressed. */
let bomb: Buffer | null = null;

interface Way {
  mutation: string;
  isRejected?: boolean;
  change(draft: Draft, text: string): void;
}

const WAYS: readonly Way[] = [
  { mutation: 'gzip', change: (draft, text) => encoded(draft, 'gzip', gzipSync(text)) },
  { mutation: 'GZIP in capitals', change: (draft, text) => encoded(draft, 'GZIP', gzipSync(text)) },
  { mutation: 'identity', change: (draft, text) => encoded(draft, 'identity', Buffer.from(text)) },
  { mutation: 'a gzip bomb', isRejected: true, change: (draft) => encoded(draft, 'gzip', bombOf()) },
  {
    mutation: 'a gzip bomb in a text',
    isRejected: true,
    change: (draft) => encoded(draft, 'gzip', gzipSync(`{"name":"${' '.repeat(8 * MIB)}"}`)),
  },
  {
    mutation: 'a gzip that breaks off',
    isRejected: true,
    change: (draft, text) => encoded(draft, 'gzip', gzipSync(text).subarray(0, -6)),
  },
  {
    mutation: 'invalid gzip',
    isRejected: true,
    change: (draft, text) => encoded(draft, 'gzip', Buffer.from(text)),
  },
  {
    mutation: 'gzip with something behind it',
    change: (draft, text) => encoded(draft, 'gzip', Buffer.concat([gzipSync(text), Buffer.from('rest')])),
  },
  {
    mutation: 'gzip in gzip',
    isRejected: true,
    change: (draft, text) => encoded(draft, 'gzip, gzip', gzipSync(gzipSync(text))),
  },
  { mutation: 'deflate', isRejected: true, change: (draft, text) => encoded(draft, 'deflate', deflateSync(text)) },
  { mutation: 'brotli', isRejected: true, change: (draft, text) => encoded(draft, 'br', brotliCompressSync(text)) },
  {
    mutation: 'an unknown encoding',
    isRejected: true,
    change: (draft, text) => encoded(draft, 'x', Buffer.from(text)),
  },
  { mutation: 'nothing at all', change: (draft) => (draft.bytes = Buffer.alloc(0)) },
  { mutation: 'white space', change: (draft) => (draft.bytes = Buffer.from(' \n\t')) },
  { mutation: 'a body that breaks off', isRejected: true, change: (draft, text) => raw(draft, text.slice(0, -1)) },
  { mutation: 'a body with a bracket too many', isRejected: true, change: (draft, text) => raw(draft, `${text}}`) },
  { mutation: 'two bodies', isRejected: true, change: (draft, text) => raw(draft, text + text) },
  { mutation: 'no JSON', isRejected: true, change: (draft) => raw(draft, "{'a': undefined}") },
  { mutation: 'NaN', isRejected: true, change: (draft) => raw(draft, 'NaN') },
  { mutation: 'a comment', isRejected: true, change: (draft, text) => raw(draft, `${text}// end`) },
  { mutation: '40,000 brackets', isRejected: true, change: (draft) => raw(draft, '['.repeat(40_000)) },
  { mutation: '300,000 brackets in balance', isRejected: true, change: (draft) => raw(draft, nested(150_000)) },
  { mutation: 'a byte order mark', change: (draft, text) => raw(draft, `\ufeff${text}`) },
  {
    mutation: 'UTF-16',
    isRejected: true,
    change: (draft, text) => (draft.bytes = Buffer.from(`\ufeff${text}`, 'utf16le')),
  },
  { mutation: 'a lone byte FF', isRejected: true, change: (draft, text) => inText(draft, text, [0xff]) },
  { mutation: 'an overlong slash', isRejected: true, change: (draft, text) => inText(draft, text, [0xc0, 0xaf]) },
  {
    mutation: 'a surrogate in UTF-8',
    isRejected: true,
    change: (draft, text) => inText(draft, text, [0xed, 0xa0, 0x80]),
  },
  { mutation: 'a bare NUL', isRejected: true, change: (draft, text) => inText(draft, text, [0]) },
  { mutation: 'a bare line break in a text', isRejected: true, change: (draft, text) => inText(draft, text, [10]) },
  { mutation: 'more than 1 MiB', isRejected: true, change: (draft) => raw(draft, `{"name":"${'x'.repeat(MIB)}"}`) },
  { mutation: 'chunked', change: (draft) => (draft.isChunked = true) },
  { mutation: 'no content type', isRejected: true, change: (draft) => (draft.contentType = null) },
];

const TYPES: readonly [type: string, isRefused: boolean][] = [
  ['text/plain', true],
  ['application/xml', true],
  ['application/octet-stream', true],
  ['multipart/form-data; boundary=x', true],
  ['application/json; charset=utf-16', true],
  ['application/json; charset=latin1', true],
  ['application/json; charset="utf-8"', false],
  ['APPLICATION/JSON; Charset=UTF-8', false],
  ['application/json;', false],
  ['application/json; charset=', false],
  ['application/json; a=b; charset=utf-8', false],
  ['application/jsonp', true],
  ['application/vnd.api+json', true],
  ['json', true],
  [',', true],
  ['\u00ff/\u00ff', true],
];

/** The bytes of the body and the headers that describe them. */
export function faultInBytes(draft: Draft, random: Random): void {
  const text = textOf(draft.body ?? {});
  draft.body ??= {};
  if (random.chance(0.25)) {
    const [type, isRefused] = random.pick(TYPES);
    draft.contentType = type;
    recordMutation(draft, `the content type ${type}`, isRefused ? 'rejected' : 'any');
    return;
  }
  const { mutation, isRejected, change } = random.pick(WAYS);
  change(draft, text);
  recordMutation(draft, `the body: ${mutation}`, isRejected ? 'rejected' : 'any');
}

function encoded(draft: Draft, encoding: string, bytes: Buffer): void {
  draft.headers.push(['Content-Encoding', encoding]);
  draft.bytes = bytes;
}

function raw(draft: Draft, text: string): void {
  draft.bytes = Buffer.from(text);
}

function bombOf(): Buffer {
  return (bomb ??= gzipSync(Buffer.alloc(64 * MIB, '[')));
}

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Inside the first text of the body, or of a body that has one. */
function inText(draft: Draft, body: string, bytes: number[]): void {
  const text = body.includes(':"') ? body : '{"name":"text"}';
  const at = text.indexOf(':"') + 2;
  draft.bytes = Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(bytes), Buffer.from(text.slice(at))]);
}
