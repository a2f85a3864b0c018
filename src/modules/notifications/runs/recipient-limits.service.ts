import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { instantOf } from '../../../platform/time/local-time.js';
import { dayNumber } from '../timing/run-time.js';
import { DAY_MS } from '../timing/sending-window.js';

/** How much one recipient is told: so many reminders on a day, and of each group one in 24 hours. */
@Injectable()
export class RecipientLimits {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /**
   * Holds the recipient until the transaction ends, so that what is marked at the same moment is counted. False where
   * somebody else does: whoever waited for him would keep a connection, and every other recipient, waiting too.
   */
  async hold(recipient: string): Promise<boolean> {
    const [lock] = await this.database.query<{ held: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended(lower($1), 2200)) as held',
      [recipient],
    );
    return lock?.held === true;
  }

  /**
   * Why he is not to get this one at this moment (now unless given); null where he is. `beside` is how many more he is promised
   * on that day. What waits for another attempt counts as sent; what failed does not.
   */
  async refusal(
    run: { id: string; recipient: string; suppressionGroup: string | null },
    { at = this.clock.now(), beside = 0 }: { at?: Date; beside?: number } = {},
  ): Promise<'suppressed' | 'rate_limited' | null> {
    const { id, recipient, suppressionGroup } = run;
    const [counted] = await this.database.query<{ today: number; inGroup: number }>(
      `select count(*) filter (where updated_at >= $3)::int as today,
         count(*) filter (where suppression_group = $4 and updated_at > $5)::int as "inGroup"
       from notification_messages
       where kind = 'reminder' and lower(recipient) = lower($1) and run_id <> $2
         and status in ('queued', 'sending', 'sent', 'recorded') and updated_at >= least($3::timestamptz, $5::timestamptz)`,
      [recipient, id, this.midnightBefore(at), suppressionGroup, new Date(at.getTime() - DAY_MS)],
    );
    const inGroup = (counted?.inGroup ?? 0) + (suppressionGroup === null ? 0 : beside);
    if (inGroup > 0) return 'suppressed';
    return (counted?.today ?? 0) + beside >= this.env.remindersPerDay ? 'rate_limited' : null;
  }

  private midnightBefore(instant: Date): Date {
    return instantOf(dayNumber(this.clock.dayOf(instant)) * DAY_MS, this.env.orgTimeZone);
  }
}
