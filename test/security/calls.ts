import { expect } from '@jest/globals';
import { operationsOf, type Placed, readDocument } from '../contract/served-document.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { UNAUTHORIZED_TEXT } from '../setup/unauthorized.js';

export type Surface = 'staff' | 'connect' | 'vault' | 'realtime' | 'data';

/** A valid path parameter that belongs to no resource. */
const UNUSED_ID = '7zzzzzzzzzzzzzzzzzzzzzzzzz';
const NO_MEMBER_OF_ANY_BODY = { 'no operation has this member': true };

/** Operations that need a credential; the one that ends the session of the call comes last. */
export async function guardedOperations(app: TestApp): Promise<Placed[]> {
  const operations = operationsOf(await readDocument(app)).filter(({ security }) => security?.length !== 0);
  return operations.sort((a, b) => Number(a.path.endsWith('/current')) - Number(b.path.endsWith('/current')));
}

export function nameOf({ method, path }: Placed): string {
  return `${method} ${path}`;
}

export function surfaceOf({ path }: Placed): Surface {
  const [, first] = path.split('/');
  if (first === 'connect' || first === 'vault' || first === 'realtime' || first === 'data') return first;
  if (path.startsWith('/v1/admin/')) return 'staff';
  throw new Error(`${path} belongs to no surface that asks for a credential`);
}

/** The path with these values for its parameters, by name; omitted ones get the id of no resource. */
export function pathWith(operation: Placed, values: Record<string, string> = {}): string {
  const examples = new Map(
    (operation.parameters ?? []).map(({ name, example, schema }) => [name, example ?? schema.example]),
  );
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = String(examples.get(name));
    const unknown = /_01k0dem/.test(example) ? example.replace(/_.*$/, `_${UNUSED_ID}`) : 'unknown';
    return values[name] ?? unknown;
  });
}

/** The JSON body, or octets that are no image if the operation reads octets. */
export function bodyFor({ requestBody }: Placed, json: object): object {
  return requestBody && !JSON.stringify(requestBody).includes('application/json') ? Buffer.from('no image') : json;
}

/** Calls the operation without changing anything for any caller: with unknown ids and an invalid body. */
export function callInVain(client: TestClient, operation: Placed): Promise<Answer> {
  const hasBody = operation.requestBody || operation.method === 'POST';
  const body = hasBody ? bodyFor(operation, NO_MEMBER_OF_ANY_BODY) : undefined;
  // Resources without an id in their path exist, and their version differs from this one.
  const isOfOne =
    operation.method === 'DELETE' && !operation.path.includes('{') && !operation.path.endsWith('/current');
  const headers: Record<string, string> = isOfOne ? { 'If-Match': '"0"' } : {};
  return client.request(operation.method, pathWith(operation), { body, headers });
}

/** Runs all calls, a few at a time: a test of permissions is not a test of the capacity of the service. */
export async function fewAtATime<Result>(work: (() => Promise<Result>)[]): Promise<Result[]> {
  const waiting = [...work.entries()];
  const results: Result[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  return results;
}

export function expectForbidden({ status, headers, body }: Answer, surface: Surface, scope: string): void {
  const error = `Requires the scope ${scope}`;
  const trade = { error, code: 'forbidden', requestId: headers['x-request-id'], details: { requiredScope: scope } };
  expect([status, body]).toEqual([403, worded(surface, { trade, error, code: 'FORBIDDEN' })]);
  expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
}

export function expectUnauthorized({ status, headers, body }: Answer, surface: Surface, isPresented: boolean): void {
  const error = UNAUTHORIZED_TEXT[surface];
  const trade = { error, code: 'unauthorized', requestId: headers['x-request-id'] };
  expect([status, body]).toEqual([401, worded(surface, { trade, error, code: 'UNAUTHORIZED' })]);
  const challenge = `Bearer realm="${surface}"`;
  expect(headers['www-authenticate']).toBe(isPresented ? `${challenge}, error="invalid_token"` : challenge);
  expect(headers['cache-control']).toBe('private, no-store');
}

/** The whole error body in the format of the surface. */
function worded(surface: Surface, { trade, error, code }: { trade: object; error: string; code: string }): object {
  switch (surface) {
    case 'staff':
    case 'connect':
      return trade;
    case 'vault':
    case 'realtime':
      return { error };
    case 'data':
      return { code, message: error };
  }
}
