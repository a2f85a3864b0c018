import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { did, type Draft } from './draft.js';
import { textOf } from './json.js';
import type { Random } from './random.js';

const MIB = 1024 * 1024;
/** Small when compressed, 64 MiB uncompressed. */
let bomb: Buffer | null = null;

interface Way {
  deed: string;
  isRefused?: boolean;
  change(draft: Draft, text: string): void;
}

const WAYS: readonly Way[] = [
  { deed: 'gzip', change: (draft, text) => encoded(draft, 'gzip', gzipSync(text)) },
  { deed: 'GZIP in capitals', change: (draft, text) => encoded(draft, 'GZIP', gzipSync(text)) },
  { deed: 'identity', change: (draft, text) => encoded(draft, 'identity', Buffer.from(text)) },
  { deed: 'a gzip bomb', isRefused: true, change: (draft) => encoded(draft, 'gzip', bombOf()) },
  {
    deed: 'a gzip bomb in a text',
    isRefused: true,
    change: (draft) => encoded(draft, 'gzip', gzipSync(`{"name":"${' '.repeat(8 * MIB)}"}`)),
  },
  {
    deed: 'a gzip that breaks off',
    isRefused: true,
    change: (draft, text) => encoded(draft, 'gzip', gzipSync(text).subarray(0, -6)),
  },
  { deed: 'gzip that is none', isRefused: true, change: (draft, text) => encoded(draft, 'gzip', Buffer.from(text)) },
  {
    deed: 'gzip with something behind it',
    change: (draft, text) => encoded(draft, 'gzip', Buffer.concat([gzipSync(text), Buffer.from('rest')])),
  },
  {
    deed: 'gzip in gzip',
    isRefused: true,
    change: (draft, text) => encoded(draft, 'gzip, gzip', gzipSync(gzipSync(text))),
  },
  { deed: 'deflate', isRefused: true, change: (draft, text) => encoded(draft, 'deflate', deflateSync(text)) },
  { deed: 'brotli', isRefused: true, change: (draft, text) => encoded(draft, 'br', brotliCompressSync(text)) },
  { deed: 'an unknown encoding', isRefused: true, change: (draft, text) => encoded(draft, 'x', Buffer.from(text)) },
  { deed: 'nothing at all', change: (draft) => (draft.bytes = Buffer.alloc(0)) },
  { deed: 'white space', change: (draft) => (draft.bytes = Buffer.from(' \n\t')) },
  { deed: 'a body that breaks off', isRefused: true, change: (draft, text) => raw(draft, text.slice(0, -1)) },
  { deed: 'a body with a bracket too many', isRefused: true, change: (draft, text) => raw(draft, `${text}}`) },
  { deed: 'two bodies', isRefused: true, change: (draft, text) => raw(draft, text + text) },
  { deed: 'no JSON', isRefused: true, change: (draft) => raw(draft, "{'a': undefined}") },
  { deed: 'NaN', isRefused: true, change: (draft) => raw(draft, 'NaN') },
  { deed: 'a comment', isRefused: true, change: (draft, text) => raw(draft, `${text}// end`) },
  { deed: '40,000 brackets', isRefused: true, change: (draft) => raw(draft, '['.repeat(40_000)) },
  { deed: '300,000 brackets in balance', isRefused: true, change: (draft) => raw(draft, nested(150_000)) },
  { deed: 'a byte order mark', change: (draft, text) => raw(draft, `\ufeff${text}`) },
  {
    deed: 'UTF-16',
    isRefused: true,
    change: (draft, text) => (draft.bytes = Buffer.from(`\ufeff${text}`, 'utf16le')),
  },
  { deed: 'a lone byte FF', isRefused: true, change: (draft, text) => inText(draft, text, [0xff]) },
  { deed: 'an overlong slash', isRefused: true, change: (draft, text) => inText(draft, text, [0xc0, 0xaf]) },
  { deed: 'a surrogate in UTF-8', isRefused: true, change: (draft, text) => inText(draft, text, [0xed, 0xa0, 0x80]) },
  { deed: 'a bare NUL', isRefused: true, change: (draft, text) => inText(draft, text, [0]) },
  { deed: 'a bare line break in a text', isRefused: true, change: (draft, text) => inText(draft, text, [10]) },
  { deed: 'more than 1 MiB', isRefused: true, change: (draft) => raw(draft, `{"name":"${'x'.repeat(MIB)}"}`) },
  { deed: 'chunked', change: (draft) => (draft.isChunked = true) },
  { deed: 'no content type', isRefused: true, change: (draft) => (draft.contentType = null) },
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
    did(draft, `the content type ${type}`, isRefused ? 'refused' : 'any');
    return;
  }
  const { deed, isRefused, change } = random.pick(WAYS);
  change(draft, text);
  did(draft, `the body: ${deed}`, isRefused ? 'refused' : 'any');
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
