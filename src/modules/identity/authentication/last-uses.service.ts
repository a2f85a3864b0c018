import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { LOG } from '../../../platform/observability/log.js';

const UPDATE_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 1_000;
const MOST_REMEMBERED = 10_000;

type Table = 'staff_sessions' | 'api_tokens';

/**
 * Records the last use of credentials, up to a second after the request and at most once a minute per credential and process.
 * The minute is measured by `Clock.elapsedMs`: after the system time was set back, a stored time may be in the future.
 */
@Injectable()
export class LastUsesService implements BeforeApplicationShutdown {
  private readonly used: Record<Table, Map<string, Date>> = { staff_sessions: new Map(), api_tokens: new Map() };
  /** The times of `Clock.elapsedMs` at which uses were noted, by credential. */
  private readonly noted = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  note(table: Table, id: string): void {
    const elapsedMs = this.clock.elapsedMs();
    const before = this.noted.get(id);
    if (before !== undefined && elapsedMs - before < UPDATE_INTERVAL_MS) return;
    if (this.noted.size >= MOST_REMEMBERED) this.noted.clear();
    this.noted.set(id, elapsedMs);
    this.used[table].set(id, this.clock.now());
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    try {
      await this.write('staff_sessions');
      await this.write('api_tokens');
    } catch (error) {
      // No request waits for this write, and the next use repeats it.
      this.noted.clear();
      this.log.warn({ err: error }, 'failed to write the last use of credentials');
    }
  }

  private async write(table: Table): Promise<void> {
    const used = [...this.used[table]];
    this.used[table].clear();
    if (used.length === 0) return;
    // Locked rows are skipped: the transaction with the lock revokes the credential or writes the same column. A stored time in
    // the future is from before the system time was set back.
    await this.database.query(
      `with due as (
         select c.id, given.at from ${table} c
         join unnest($1::text[], $2::timestamptz[]) as given (id, at) using (id)
         where c.last_used_at is null or c.last_used_at < given.at or c.last_used_at > given.at + interval '1 minute'
         order by c.id for update of c skip locked)
       update ${table} c set last_used_at = due.at from due where c.id = due.id`,
      [used.map(([id]) => id), used.map(([, at]) => at)],
    );
  }
}
