import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { LOG } from '../../../platform/observability/log.js';

const UPDATE_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 1_000;

type Table = 'staff_sessions' | 'api_tokens';

/** Records the last use of credentials, up to a second after the request and at most once a minute per credential. */
@Injectable()
export class LastUsesService implements BeforeApplicationShutdown {
  private readonly used: Record<Table, Map<string, Date>> = { staff_sessions: new Map(), api_tokens: new Map() };
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Records the use of a credential; `before` contains the stored time of its last use. */
  note(table: Table, id: string, before: Date | null): void {
    const now = this.clock.now();
    if (before && now.getTime() - before.getTime() < UPDATE_INTERVAL_MS) return;
    this.used[table].set(id, now);
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
      this.log.warn({ err: error }, 'failed to write the last use of credentials');
    }
  }

  private async write(table: Table): Promise<void> {
    const used = [...this.used[table]];
    this.used[table].clear();
    if (used.length === 0) return;
    // Locked rows are skipped: the transaction with the lock revokes the credential or writes the same column.
    await this.database.query(
      `with due as (
         select c.id, given.at from ${table} c
         join unnest($1::text[], $2::timestamptz[]) as given (id, at) using (id)
         where c.last_used_at is null or c.last_used_at < given.at
         order by c.id for update of c skip locked)
       update ${table} c set last_used_at = due.at from due where c.id = due.id`,
      [used.map(([id]) => id), used.map(([, at]) => at)],
    );
  }
}
