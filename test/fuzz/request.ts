import { type Bearer, type Draft, pathOf, queryOf } from './draft.js';
import { textOf } from './json.js';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as they are sent; bytes as latin1. */
  readonly target: string;
  readonly headers: readonly [name: string, value: string][];
  readonly body: Buffer | null;
}

export type Tokens = Readonly<Record<'staff' | 'platform' | 'limited', string>>;

/** Placeholders replace credentials, so that a request can be printed. */
const FORGED = `vsk_${'A'.repeat(16)}_${'B'.repeat(49)}`;

export function written(draft: Draft, requestId: string): WireRequest {
  const query = queryOf(draft);
  const target = query === '' ? pathOf(draft) : `${pathOf(draft)}?${query}`;
  const body = draft.bytes ?? (draft.body === undefined ? null : Buffer.from(textOf(draft.body)));
  const own = new Set(draft.headers.map(([name]) => name.toLowerCase()));
  const bearer = bearerOf(draft.operation.path, draft.bearer);
  const usual: [string, string][] = [
    ['Host', 'localhost'],
    ['X-Request-Id', requestId],
    ...(bearer === null ? [] : [['Authorization', `Bearer ${bearer}`] satisfies [string, string]]),
    ...(body === null || draft.contentType === null
      ? []
      : [['Content-Type', draft.contentType] satisfies [string, string]]),
  ];
  const headers = [...usual.filter(([name]) => name === 'Host' || !own.has(name.toLowerCase())), ...draft.headers];
  if (draft.isChunked) headers.push(['Transfer-Encoding', 'chunked']);
  else if (body !== null) headers.push(['Content-Length', String(body.length)]);
  return { method: draft.method, target, headers, body: body !== null && draft.isChunked ? chunked(body) : body };
}

/** Replaces placeholders with the credentials. */
export function bytesOf({ method, target, headers, body }: WireRequest, tokens: Tokens): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${withTokens(value, tokens)}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return body === null ? head : Buffer.concat([head, body]);
}

function withTokens(text: string, tokens: Tokens): string {
  return text.replace(/\$(STAFF|PLATFORM|LIMITED)_TOKEN/, (_, name: string) => {
    return tokens[name.toLowerCase() as keyof Tokens];
  });
}

function bearerOf(path: string, bearer: Bearer): string | null {
  const isStaff = path.startsWith('/v1/admin/');
  switch (bearer) {
    case 'own':
      return isStaff ? '$STAFF_TOKEN' : '$PLATFORM_TOKEN';
    case 'other':
      return isStaff ? '$PLATFORM_TOKEN' : '$STAFF_TOKEN';
    case 'limited':
      return '$LIMITED_TOKEN';
    case 'forged':
      return FORGED;
    case 'none':
      return null;
  }
}

function chunked(body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  const parts = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
