import { Injectable } from '@nestjs/common';
import { hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import type { BoardDeparture } from '../departures/board.dto.js';
import { BoardService } from '../departures/board.service.js';
import {
  type Dashboard,
  DASHBOARD_PARTS,
  type DashboardNotice,
  type DashboardSales,
  type DashboardWeek,
  MAX_DEPARTURES,
} from './dashboard.dto.js';
import { MONEY, noticesStatement, SALES } from './dashboard.sql.js';

/** What staff see first on a day. */
@Injectable()
export class DashboardService {
  constructor(
    private readonly database: Database,
    private readonly board: BoardService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Reads one snapshot in at most five statements. Parts without their scope are empty. */
  async get(): Promise<Dashboard> {
    const today = this.clock.today();
    return this.database.snapshot(async () => {
      const parts = {
        departures: await this.departures(today),
        money: await this.rowsFor<DashboardWeek>('finance:receivables', MONEY, [today]),
        attention: await this.notices(today),
        sales: await this.rowsFor<DashboardSales>('bookings:read', SALES, [today]),
      };
      const withheld = DASHBOARD_PARTS.filter((part) => parts[part] === null).map((part) => ({ part }));
      const { departures, money, attention, sales } = parts;
      return {
        ...{ today, departures: departures ?? [], money: money ?? [] },
        ...{ attention: attention ?? [], sales: sales ?? [], withheld },
      };
    });
  }

  private async departures(today: string): Promise<BoardDeparture[] | null> {
    if (!hasScope('operations:read')) return null;
    return (await this.board.list({ from: today, limit: MAX_DEPARTURES })).data;
  }

  private async notices(today: string): Promise<DashboardNotice[] | null> {
    const statement = noticesStatement(hasScope);
    if (statement === null) return null;
    return this.database.query<DashboardNotice>(statement, [today, this.clock.now(), this.env.orgTimeZone]);
  }

  private async rowsFor<Row>(scope: string, statement: string, values: unknown[]): Promise<Row[] | null> {
    return hasScope(scope) ? this.database.query<Row>(statement, values) : null;
  }
}
