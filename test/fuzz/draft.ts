import type { Placed } from '../contract/served-document.js';
import type { Json } from './json.js';

/** The credential of a request; `own` is the one of the operation's surface. */
export type Bearer = 'own' | 'none' | 'limited' | 'other' | 'forged';

/** The expected response, in addition to being documented. `rejected`: 4xx; `any`: any documented one. */
export type Expected = 'any' | 'rejected' | 'unauthorized';

/** A request that is being built: the strategies change it, then it is serialized. */
export interface Draft {
  readonly operation: Placed;
  method: string;
  /** Path parameters, percent-encoded. */
  readonly parameters: Record<string, string>;
  /** Replaces the whole path if set; bytes as latin1. */
  target: string | null;
  /** Names and values, percent-encoded. */
  readonly query: [name: string, value: string][];
  /** Instead of `query`, unchanged. */
  rawQuery: string | null;
  readonly headers: [name: string, value: string][];
  bearer: Bearer;
  body: Json | undefined;
  /** Instead of `body`, unchanged. */
  bytes: Buffer | null;
  contentType: string | null;
  isChunked: boolean;
  expected: Expected;
  /** Statuses that are allowed in addition to the documented ones, because HTTP allows them for every request. */
  readonly also: number[];
  /** The request is not valid HTTP, so the service may close the connection. */
  mayClose: boolean;
  /** The mutations of the strategies, for people. */
  readonly mutations: string[];
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
    mutations: [],
  };
}

/** Records a mutation; `expected` if it determines the response. */
export function recordMutation(draft: Draft, mutation: string, expected?: Expected): void {
  draft.mutations.push(mutation);
  if (expected !== undefined && draft.expected === 'any') draft.expected = expected;
}

/**
 * For invalid HTTP, the service may respond with 400 in the error format of the storefront, because there is no path, and close
 * the connection.
 */
export function allowClosing(draft: Draft): void {
  draft.mayClose = true;
  draft.also.push(400);
}

/** Whether the operation accepts the token of a subscription only. */
export function needsSubscription({ security = [] }: Placed): boolean {
  return security.some((needed) => 'subscriptionToken' in needed);
}

/** Whether the operation needs no credential. */
export function isPublic({ security = [] }: Placed): boolean {
  return security.length === 0;
}

export function pathOf({ operation, parameters, target }: Draft): string {
  return target ?? operation.path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? name);
}

export function queryOf({ query, rawQuery }: Draft): string {
  return rawQuery ?? query.map(([name, value]) => `${name}=${value}`).join('&');
}
