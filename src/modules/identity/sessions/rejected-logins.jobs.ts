import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';

const HOUR_MS = 60 * 60 * 1000;

interface RejectedLogins {
  userId: string;
  hour: Date;
  passwords: number;
  codes: number;
}

const COUNTS = `
  select user_id as "userId", date_trunc('hour', created_at, 'UTC') as hour,
    count(*) filter (where kind = 'login_rejected')::int as passwords,
    count(*) filter (where kind = 'second_factor_rejected')::int as codes
  from security_events
  where kind in ('login_rejected', 'second_factor_rejected') and user_id is not null
    and created_at >= $1 and created_at < $2
  group by 1, 2 order by 2, 1`;

/**
 * Records rejected logins in the ledger: one entry per account and hour, with their number, after the hour has ended. Logins
 * with an unknown address appear only in the log.
 */
@Injectable()
export class RejectedLoginJobs {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs some minutes after the hour, when the last rejections of it were committed. The transaction that writes the entries
   * locks and moves the time up to which hours are recorded. So each hour is recorded once, even with several processes and
   * after a failure.
   */
  @Cron('identity.rejected-logins.record', '7 * * * *')
  async record(): Promise<void> {
    await this.database.transaction(async () => {
      const [recorded] = await this.database.query<{ until: Date }>(
        'select until from rejected_logins_recorded for update',
      );
      const end = new Date(Math.floor(this.clock.now().getTime() / HOUR_MS) * HOUR_MS);
      if (!recorded || recorded.until >= end) return;
      const counts = await this.database.query<RejectedLogins>(COUNTS, [recorded.until, end]);
      for (const { userId, hour, passwords, codes } of counts) {
        this.ledger.record('identity.session.reject', {
          subjectType: 'user',
          subjectId: userId,
          after: { hour, count: passwords + codes, wrongPasswords: passwords, wrongCodes: codes },
        });
      }
      await this.database.execute('update rejected_logins_recorded set until = $1', [end]);
    });
  }
}
