import type { Placed } from '../../contract/served-document.js';
import { type Draft, draftOf } from '../../fuzz/draft.js';
import { exampleBody, exampleParameters } from '../../fuzz/example.js';
import type { Document } from '../../fuzz/schema.js';
import type { RequestCase } from './cost-meter.js';
import { filled } from './texts.js';

const ONE_IN = 5;
/** All headers of a request have 16 KiB. */
const MOST_BYTES = 15_000;

type Header = Draft['headers'][number];

interface Shape {
  readonly name: string;
  readonly headers: Header[];
  /** Changes the effect of the operation; sent to every operation. */
  readonly everywhere?: boolean;
}

const long = (name: string, unit: string): Header => [name, filled(unit, MOST_BYTES)];

const SHAPES: readonly Shape[] = [
  { name: 'If-None-Match, a list', headers: [long('If-None-Match', '"1", ')], everywhere: true },
  { name: 'If-None-Match, open quotes', headers: [long('If-None-Match', 'W/"')] },
  { name: 'If-None-Match, commas and spaces', headers: [long('If-None-Match', ' ,')] },
  { name: 'If-Match, a list', headers: [long('If-Match', '"1", ')], everywhere: true },
  { name: 'If-Match, spaces behind a tag', headers: [['If-Match', `"1"${' '.repeat(MOST_BYTES)}x`]], everywhere: true },
  { name: 'If-Match, open quotes', headers: [long('If-Match', 'W/"",')] },
  { name: 'X-Forwarded-For, a chain', headers: [long('X-Forwarded-For', '127.0.0.1, ')], everywhere: true },
  { name: 'X-Forwarded-For, IPv6', headers: [long('X-Forwarded-For', '2001:db8::1, ')] },
  { name: 'X-Forwarded-For, colons', headers: [long('X-Forwarded-For', ':')] },
  { name: 'X-Forwarded-For, commas', headers: [long('X-Forwarded-For', ',')] },
  { name: 'Forwarded', headers: [long('Forwarded', 'for="[::1]";proto=https,')] },
  { name: 'X-Forwarded-Proto', headers: [long('X-Forwarded-Proto', 'https,')] },
  {
    name: 'Authorization, spaces',
    headers: [['Authorization', `Bearer ${' '.repeat(MOST_BYTES)}x y`]],
    everywhere: true,
  },
  { name: 'Authorization, a long token', headers: [long('Authorization', 'Bearer vsk_')] },
  { name: 'Authorization, no scheme', headers: [long('Authorization', 'Bearer')] },
  { name: 'x-api-key', headers: [long('x-api-key', 'vsk_A')], everywhere: true },
  { name: 'Idempotency-Key', headers: [long('Idempotency-Key', 'k')] },
  { name: 'X-Request-Id', headers: [long('X-Request-Id', 'r-._')] },
  { name: 'X-Request-Id, near miss', headers: [['X-Request-Id', `${'r'.repeat(127)}!`]] },
  {
    name: 'Content-Type, parameters',
    headers: [['Content-Type', `application/json;${filled('charset="utf-8";', MOST_BYTES)}`]],
    everywhere: true,
  },
  { name: 'Content-Type, spaces', headers: [['Content-Type', `application/json;charset=${' '.repeat(MOST_BYTES)}"`]] },
  {
    name: 'Content-Type, a form with spaces',
    headers: [['Content-Type', `application/x-www-form-urlencoded${' '.repeat(MOST_BYTES)}x`]],
  },
  { name: 'Content-Type, quotes', headers: [['Content-Type', `application/json;a="${filled('\\"', MOST_BYTES)}`]] },
  { name: 'Content-Encoding', headers: [long('Content-Encoding', 'gzip,')] },
  { name: 'Accept, ranges', headers: [long('Accept', 'text/*;q=0.5,')], everywhere: true },
  { name: 'Accept, spaces', headers: [['Accept', `application/json;${' '.repeat(MOST_BYTES)};q=1`]] },
  { name: 'Accept-Encoding', headers: [long('Accept-Encoding', 'gzip;q=0.1,')] },
  { name: 'Accept-Language', headers: [long('Accept-Language', 'en-US;q=0.1,')] },
  { name: 'Range, many', headers: [['Range', `bytes=${filled('0-0,', MOST_BYTES)}`]] },
  { name: 'If-Modified-Since', headers: [long('If-Modified-Since', 'Mon, ')] },
  { name: 'Last-Event-ID', headers: [long('Last-Event-ID', '9')], everywhere: true },
  { name: 'traceparent', headers: [long('traceparent', '00-')] },
  {
    name: 'tracestate and baggage',
    headers: [
      ['tracestate', filled('a=1,', MOST_BYTES / 2)],
      ['baggage', filled('a=1,', MOST_BYTES / 2)],
    ],
  },
  { name: 'Cookie', headers: [long('Cookie', 'a=b; ')] },
  { name: 'Origin', headers: [long('Origin', 'https://a.')], everywhere: true },
  { name: 'Expect', headers: [long('Expect', '100-continue,')] },
  { name: 'Connection', headers: [long('Connection', 'keep-alive,')] },
  {
    name: 'User-Agent and Referer',
    headers: [
      ['User-Agent', filled('\u00a0(', MOST_BYTES / 3)],
      ['Referer', filled('a/', MOST_BYTES / 3)],
    ],
  },
  { name: 'X-HTTP-Method-Override', headers: [long('X-HTTP-Method-Override', 'DELETE')] },
  { name: '1,000 headers', headers: Array.from({ length: 1_000 }, (_, index): Header => [`x-${index}`, '1']) },
  { name: 'Host', headers: [long('Host', 'a.')] },
  { name: 'X-Forwarded-Host', headers: [long('X-Forwarded-Host', 'a.')] },
  { name: 'more than 16 KiB', headers: [['X-Long', 'x'.repeat(20_000)]] },
];

/**
 * Sends every header to one operation of a kind. Each other operation gets one in `ONE_IN` of the headers that determine its
 * effect, in rotation.
 */
export function headerCases(
  operation: Placed,
  document: Document,
  { turn, all }: { turn: number; all: boolean },
): RequestCase[] {
  const everywhere = SHAPES.filter((shape) => shape.everywhere).filter((_, index) => index % ONE_IN === turn % ONE_IN);
  return (all ? SHAPES : everywhere).map(({ name, headers }) => ({
    operation: operation.operationId,
    shape: `header: ${name}`,
    draft: (unique) => {
      const draft = draftOf(operation, exampleParameters(operation), exampleBody(operation, document, unique));
      draft.headers.push(...headers);
      return draft;
    },
  }));
}
