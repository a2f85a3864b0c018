import type { Fetch, TokenSource } from './credentials.js';

const BUSY = [429, 503];
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** The surfaces whose changes take a key. */
const WITH_KEY = /^\/(v1\/admin|connect\/v1)\/|^\/realtime\/v1\/channels\/[^/]+\/messages$/;
const READING = ['GET', 'HEAD'];
const PUBLIC = /^\/(v1\/public|v1\/files|connect\/v1\/oauth)\//;

export interface Retrying {
  /** Null: requests have no credential. */
  token: TokenSource | null;
  fetch: Fetch;
  /** Attempts after the first one. */
  retries: number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends a request with the token, and repeats it while the service is busy (429, 503) or cannot be reached. A change gets an
 * `Idempotency-Key` unless it has one, so that its repetition has no further effect. A change of a surface without keys is repeated
 * only if the service has rejected it. After a 401 the token is replaced once.
 */
export function retrying({ token, fetch, retries, wait }: Retrying): Fetch {
  return async (request) => {
    const { pathname } = new URL(request.url);
    const isReading = READING.includes(request.method);
    const hasKey = !isReading && WITH_KEY.test(pathname);
    if (hasKey && !request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', crypto.randomUUID());
    let isRejected = false;
    for (let attempt = 0; ; attempt += 1) {
      if (token !== null && !PUBLIC.test(pathname)) {
        request.headers.set('Authorization', `Bearer ${await token({ isRejected })}`);
      }
      const response = await fetch(request.clone()).catch((error: unknown) => {
        if (request.signal.aborted || attempt >= retries || !(isReading || hasKey)) throw error;
        return null;
      });
      if (response?.status === 401 && token !== null && !isRejected) {
        isRejected = true;
        continue;
      }
      if (response && (!BUSY.includes(response.status) || attempt >= retries)) return response;
      await response?.body?.cancel();
      await wait(waitOf(response, attempt), request.signal);
    }
  };
}

/** What the service asks for, otherwise twice as long each time; random, so that clients do not return together. */
function waitOf(response: Response | null, attempt: number): number {
  const seconds = Number(response?.headers.get('Retry-After') ?? Number.NaN);
  if (Number.isFinite(seconds)) return seconds * 1000 * (1 + random() / 10);
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + random() / 2);
}

/** From 0 to 1. */
export function random(): number {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return number / 2 ** 32;
}

/** Rejects with the reason of the signal if that is aborted. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
