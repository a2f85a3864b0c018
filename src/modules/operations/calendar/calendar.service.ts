import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import { instantOf } from '../../../platform/time/local-time.js';
import {
  type CalendarEntry,
  type CalendarPage,
  type CalendarQuery,
  type CalendarRow,
  MAX_ENTRIES,
} from './calendar.dto.js';
import { entriesStatement, rowsStatement, totalStatement } from './calendar.sql.js';

/** Number of days by default, and the maximum. */
const [USUAL_DAYS, MOST_DAYS] = [7, 62];

type FoundRow = Omit<CalendarRow, 'entries'>;
type FoundEntry = Omit<CalendarEntry, 'startsAt' | 'endsAt'> & { rowId: string | null; startsAt: Date; endsAt: Date };

/** Who and what is where on some days: resources, meeting points or products with their departures. */
@Injectable()
export class CalendarService {
  constructor(
    private readonly database: Database,
    private readonly env: Env,
    private readonly clock: Clock,
  ) {}

  /** Reads one snapshot. Throws 400 for more than 62 days, and 422 `calendar_too_dense` for more than 5,000 entries on the page. */
  async list(query: CalendarQuery): Promise<CalendarPage> {
    const { groupBy = 'resource', resourceType = null } = query;
    if (groupBy !== 'resource' && resourceType !== null) {
      throw invalidField('resourceType', 'resourceType applies to resources only', 'not_applicable');
    }
    const { limit, offset } = pageBounds(query);
    const { from, to } = this.daysOf(query);
    const period = [this.startOf(from), this.startOf(daysAfter(to, 1))];
    return this.database.snapshot(async () => {
      const filters = [...period, resourceType];
      const [counted] = await this.database.query<{ total: number }>(totalStatement(groupBy), filters);
      const rows = await this.database.query<FoundRow>(rowsStatement(groupBy), [...filters, limit, offset]);
      const ids = rows.map(({ id }) => id);
      const found = await this.database.query<FoundEntry>(entriesStatement(groupBy), [
        ...period,
        ids,
        this.clock.now(),
      ]);
      if (found.length > MAX_ENTRIES) {
        const details = { field: 'to', limit: MAX_ENTRIES };
        throw unprocessable(
          'calendar_too_dense',
          'The calendar has too many entries: ask for fewer days or rows',
          details,
        );
      }
      return { data: rows.map((row) => toRow(row, found)), total: counted?.total ?? 0, limit, offset };
    });
  }

  private daysOf({ from: first, to: last }: CalendarQuery): { from: string; to: string } {
    const from = first ?? this.clock.today();
    const to = last ?? daysAfter(from, USUAL_DAYS - 1);
    const days = daysBetween(from, to) + 1;
    if (days < 1) throw invalidField('to', 'to must not be before from', 'end_before_start');
    if (days > MOST_DAYS) {
      throw invalidField('to', `to must be at most ${MOST_DAYS - 1} days after from`, 'day_out_of_range');
    }
    return { from, to };
  }

  private startOf(day: string): Date {
    return instantOf(Date.parse(`${day}T00:00:00Z`), this.env.orgTimeZone);
  }
}

function toRow({ id, name, resourceType }: FoundRow, found: readonly FoundEntry[]): CalendarRow {
  const entries = found
    .filter(({ rowId }) => rowId === id)
    .map(({ rowId: _, startsAt, endsAt, ...entry }) => ({
      ...entry,
      startsAt: startsAt.toISOString(),
      endsAt: endsAt.toISOString(),
    }));
  return { id, name, resourceType, entries };
}
