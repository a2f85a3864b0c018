import pg from 'pg';
import { destroy } from './service-pool.js';

/** A login costs the pooler some milliseconds. */
const LOGIN_EVERY_MS = 5_000;

/**
 * Whether a pooler accepts connections, by a login every few seconds. A statement would not show it: while all server
 * connections are in use, it waits for one.
 */
export class PoolerProbe {
  private acceptedAt = -Infinity;

  constructor(private readonly url: string) {}

  /** The next call logs in, because a connection has failed. */
  recheck(): void {
    this.acceptedAt = -Infinity;
  }

  /** Does not resolve while the pooler does not answer; the caller limits the time, and aborts the signal at its end. */
  async accepts(timeUp: AbortSignal): Promise<boolean> {
    if (performance.now() - this.acceptedAt < LOGIN_EVERY_MS) return true;
    const client = new pg.Client({ connectionString: this.url, application_name: 'travel-operations-watchdog' });
    client.on('error', () => undefined);
    timeUp.addEventListener('abort', () => destroy(client));
    try {
      await client.connect();
      await client.end();
      this.acceptedAt = performance.now();
      return true;
    } catch {
      return false;
    }
  }
}
