import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type AppError, conflict } from '../../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../../platform/errors/database-errors.js';

mapConstraint('period_closed', ({ detail }) => {
  const details = JSON.parse(detail ?? '{}') as { period: string; firstOpenDay: string };
  return periodClosed(details.period, details.firstOpenDay);
});

/**
 * Manages the months of the books. A posting locks its month until the transaction ends, so that the month cannot be closed
 * meanwhile.
 */
@Injectable()
export class PeriodsService {
  constructor(private readonly database: Database) {}

  /** Used for documents issued on this day. */
  async assertOpen(day: string): Promise<void> {
    assertPostedOn(day, await this.postingDateOf(day));
  }

  /** Returns the posting date of a day: the day itself, or the first open day if its month is closed. */
  async postingDateOf(day: string): Promise<string> {
    const [posted] = await this.database.prepared<{ day: string }>(
      'posting-day',
      'select posting_day($1::date)::text as day',
      [day],
    );
    return posted?.day ?? day;
  }
}

/** The day must be its own posting date. */
export function assertPostedOn(day: string, postingDay: string): void {
  if (postingDay !== day) throw periodClosed(day.slice(0, 7), postingDay);
}

function periodClosed(period: string, firstOpenDay: string): AppError {
  return conflict('period_closed', `The accounting period ${period} is closed`, { period, firstOpenDay });
}
