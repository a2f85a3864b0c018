import { Injectable } from '@nestjs/common';
import { assertScope, hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { daysAfter, daysBetween } from '../../../platform/time/calendar.js';
import type { BoardAttentionCode, BoardDeparture, BoardPage, ListBoard } from './board.dto.js';
import { BOARD_TOTAL, boardStatement } from './board.sql.js';

/** Number of days by default, and the maximum. */
const [USUAL_DAYS, MOST_DAYS] = [7, 62];

type BoardRow = Omit<BoardDeparture, 'startsAt' | 'endsAt' | 'attention'> & {
  startsAt: Date;
  endsAt: Date;
  attention: BoardAttentionCode[];
};

/** The departures of some days with what the desk needs of them. */
@Injectable()
export class BoardService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Reads one snapshot. Throws 400 for more than 62 days. A filter by channel needs the scope `distribution:read`. */
  async list(query: ListBoard): Promise<BoardPage> {
    const { productId = null, channelId = null, salesState = null, search = null } = query;
    const { understaffed = null, sort = 'startsAt' } = query;
    if (channelId !== null) assertScope('distribution:read');
    const { limit, offset } = pageBounds(query);
    const [today, now] = [this.clock.today(), this.clock.now()];
    const { from, to } = daysOf(query, today);
    const filters = [from, to, productId, channelId, salesState, now, search, understaffed];
    const page = [limit, offset, today, hasScope('finance:receivables'), hasScope('distribution:read')];
    return this.database.snapshot(async () => {
      const [counted] = await this.database.query<{ total: number }>(BOARD_TOTAL, filters);
      const statement = boardStatement(sort.startsWith('-') ? 'desc' : 'asc');
      const rows = await this.database.query<BoardRow>(statement, [...filters, ...page]);
      return { data: rows.map(toBoardDeparture), total: counted?.total ?? 0, limit, offset };
    });
  }
}

function daysOf({ from: first, to: last }: ListBoard, today: string): { from: string; to: string } {
  const from = first ?? today;
  const to = last ?? daysAfter(from, USUAL_DAYS - 1);
  const days = daysBetween(from, to) + 1;
  if (days < 1) throw invalidField('to', 'to must not be before from', 'end_before_start');
  if (days > MOST_DAYS)
    throw invalidField('to', `to must be at most ${MOST_DAYS - 1} days after from`, 'day_out_of_range');
  return { from, to };
}

function toBoardDeparture({ startsAt, endsAt, attention, ...row }: BoardRow): BoardDeparture {
  return {
    ...row,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    attention: attention.map((code) => ({ code })),
  };
}
