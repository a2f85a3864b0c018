import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import { type Credential, type Fetch, tokenSource } from './credentials.js';
import { eventsOf, type Following, type LiveEvent } from './events.js';
import { type ListParams, type ListPath, type RowOf, rowsOf } from './pages.js';
import { retrying, wait } from './retries.js';
import type { paths } from './schema.js';

export type { Credential, OAuthClient, TokenSource } from './credentials.js';
export { ApiError, dataOf, type Issue } from './errors.js';
export type { Following, LiveEvent } from './events.js';
export type { ListParams, ListPath, RowOf } from './pages.js';
export type * from './schema.js';
export { verifyWebhook, type WebhookEvent, type WebhookRequest } from './webhooks.js';

export interface ClientOptions {
  /** Address of the service, without a slash at its end. */
  baseUrl: string;
  /** Absent: only public operations can be called, such as a login. */
  credential?: Credential;
  /** Attempts after the first one while the service is busy or cannot be reached; 4 by default. */
  retries?: number;
  /** In place of the global `fetch`. */
  fetch?: Fetch;
}

/** Calls the operations of the service by method and path, as in `openapi-fetch`. */
export interface Client extends FetchClient<paths> {
  /** All rows of a list. */
  rows<Path extends ListPath>(
    path: Path,
    options?: { params?: ListParams<Path>; signal?: AbortSignal },
  ): AsyncGenerator<RowOf<Path>, void, undefined>;
  /** The events of channels of staff; of an operator with `surface: 'connect'`. */
  events(following: Following & { surface?: 'staff' | 'connect' }): AsyncGenerator<LiveEvent, void, undefined>;
}

/** Makes a client. It sends changes with an `Idempotency-Key` and repeats requests while the service is busy. */
export function createClient({ baseUrl, credential, retries = 4, fetch = globalThis.fetch }: ClientOptions): Client {
  const plain: Fetch = (request) => fetch(request);
  const token = credential === undefined ? null : tokenSource(credential, { baseUrl, fetch: plain });
  const send = retrying({ token, fetch: plain, retries, wait });
  const client = createFetchClient<paths>({ baseUrl, fetch: send });
  return Object.assign(client, {
    rows: <Path extends ListPath>(path: Path, options: { params?: ListParams<Path>; signal?: AbortSignal } = {}) =>
      rowsOf(client, path, options),
    events: ({ surface = 'staff', ...following }: Following & { surface?: 'staff' | 'connect' }) =>
      eventsOf({ baseUrl, send, fetch: plain, wait, surface }, following),
  });
}
