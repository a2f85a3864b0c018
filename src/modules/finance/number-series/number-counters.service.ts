import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import { periodKeyOf } from './number-pattern.js';
import type { NumberSeries } from './number-series.entity.js';

refuseOn('invoice_number_counters_range', () =>
  conflict('series_exhausted', 'The series is exhausted; create a new one'),
);

type Counted = Pick<NumberSeries, 'id' | 'resetPeriod'>;

/** The counters of a series, one for each period, as staff set them. Giving numbers is `NumberGiving`'s. */
@Injectable()
export class NumberCounters {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A period without a counter begins at 1. */
  async start(series: Counted, nextNumber: number): Promise<void> {
    if (nextNumber === 1) return;
    await this.database.query(
      'insert into invoice_number_counters (series_id, period_key, next_number) values ($1, $2, $3)',
      [series.id, this.currentKey(series), nextNumber],
    );
  }

  /** For a series that gave no number and counts by other periods now. */
  async restart(series: Counted, nextNumber: number): Promise<void> {
    await this.drop(series.id);
    await this.start(series, nextNumber);
  }

  /** Waits for issues that are just taking a number; false if the counter is beyond this one by then. */
  async advance(series: Counted, nextNumber: number): Promise<boolean> {
    const { count } = await this.database.execute(
      `insert into invoice_number_counters as counter (series_id, period_key, next_number) values ($1, $2, $3)
       on conflict (series_id, period_key) do update set next_number = excluded.next_number
       where counter.next_number <= excluded.next_number`,
      [series.id, this.currentKey(series), nextNumber],
    );
    return count > 0;
  }

  async drop(seriesId: string): Promise<void> {
    await this.database.query('delete from invoice_number_counters where series_id = $1', [seriesId]);
  }

  private currentKey({ resetPeriod }: Counted): string {
    return periodKeyOf(resetPeriod, this.clock.today());
  }
}
