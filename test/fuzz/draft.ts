import type { Placed } from '../contract/served-document.js';
import type { Json } from './json.js';

/** Which credential a request carries; `own`: the one of the operation's surface. */
export type Bearer = 'own' | 'none' | 'limited' | 'other' | 'forged';

/** What any answer to a request must be, beside documented. `refused`: 4xx; `any`: whatever the document names. */
export type Expected = 'any' | 'refused' | 'unauthorized';

/** A request in the making: the strategies change it, then it is written down as bytes. */
export interface Draft {
  readonly operation: Placed;
  method: string;
  /** Path parameters, percent-encoded. */
  readonly parameters: Record<string, string>;
  /** Replaces the whole path where set; bytes as latin1. */
  target: string | null;
  /** Names and values, percent-encoded. */
  readonly query: [name: string, value: string][];
  /** Instead of `query`, as it is. */
  rawQuery: string | null;
  readonly headers: [name: string, value: string][];
  bearer: Bearer;
  body: Json | undefined;
  /** Instead of `body`, as it is. */
  bytes: Buffer | null;
  contentType: string | null;
  isChunked: boolean;
  expected: Expected;
  /** Statuses that stand beside those documented for the operation, because HTTP knows them for every request. */
  readonly also: number[];
  /** No HTTP: the service may end the connection. */
  mayClose: boolean;
  /** What the strategies did, for people. */
  readonly deeds: string[];
}

/** The request without a fault, to be changed. */
export function draftOf(operation: Placed, parameters: Record<string, string>, body: Json | undefined): Draft {
  return {
    operation,
    method: operation.method,
    parameters,
    target: null,
    query: [],
    rawQuery: null,
    headers: [],
    bearer: 'own',
    body,
    bytes: null,
    contentType: 'application/json',
    isChunked: false,
    expected: 'any',
    also: [],
    mayClose: false,
    deeds: [],
  };
}

/** Says what was done; `expected` where that decides what the answer must be. */
export function did(draft: Draft, deed: string, expected?: Expected): void {
  draft.deeds.push(deed);
  if (expected !== undefined && draft.expected === 'any') draft.expected = expected;
}

/** What HTTP itself forbids: the service may answer 400 in the storefront's words, where it knows no path, and close. */
export function allowClosing(draft: Draft): void {
  draft.mayClose = true;
  draft.also.push(400);
}

/** Whether nobody needs a credential for it. */
export function isPublic({ security = [] }: Placed): boolean {
  return security.length === 0;
}

export function pathOf({ operation, parameters, target }: Draft): string {
  return target ?? operation.path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name);
}

export function queryOf({ query, rawQuery }: Draft): string {
  return rawQuery ?? query.map(([name, value]) => `${name}=${value}`).join('&');
}
