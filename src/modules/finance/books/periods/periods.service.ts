import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type AppError, conflict } from '../../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../../platform/errors/database-errors.js';

mapConstraint('period_closed', ({ detail }) => {
  const details = JSON.parse(detail ?? '{}') as { period: string; firstOpenDay: string };
  return periodClosed(details.period, details.firstOpenDay);
});

/** The months of the books. What is posted locks its month until the transaction ends, so that it cannot be closed meanwhile. */
@Injectable()
export class PeriodsService {
  constructor(private readonly database: Database) {}

  /** For documents that we issue on this day. */
  async assertOpen(day: string): Promise<void> {
    assertPostedOn(day, await this.postingDateOf(day));
  }

  /** The day on which something of this day is posted: the day itself, or the first open day if its month is closed. */
  async postingDateOf(day: string): Promise<string> {
    const [posted] = await this.database.prepared<{ day: string }>(
      'posting-day',
      'select posting_day($1::date)::text as day',
      [day],
    );
    return posted?.day ?? day;
  }
}

/** Throws 409 `period_closed` if the posting date of a day is another one. */
export function assertPostedOn(day: string, postingDay: string): void {
  if (postingDay !== day) throw periodClosed(day.slice(0, 7), postingDay);
}

function periodClosed(period: string, firstOpenDay: string): AppError {
  return conflict('period_closed', `The accounting period ${period} is closed`, { period, firstOpenDay });
}
