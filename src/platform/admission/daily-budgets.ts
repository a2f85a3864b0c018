import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { Database } from '../database/database.js';
import { AppError } from '../errors/app-error.js';
import { Cron } from '../jobs/job-decorators.js';

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
const SPREAD_MS = 60_000;

/** Daily budget (UTC) of one subject, shared by all processes. `RATE_LIMIT_FACTOR` multiplies the amounts. */
const budgets = {
  /** Bytes that one key may publish to realtime channels, which store them for three days. */
  'realtime-bytes': { perDay: 256 * MIB, block: MIB },
};

export type BudgetName = keyof typeof budgets;

/** The amount that this process has reserved for a subject and not used yet. */
interface Reserve {
  day: string;
  left: number;
  refill: Promise<void> | null;
}

const RESERVE = `
  insert into daily_budgets as budget (name, subject, day, used) select $1, $2, $3, $4::bigint where $4::bigint <= $5::bigint
  on conflict (name, subject, day) do update set used = budget.used + excluded.used
  where budget.used + excluded.used <= $5::bigint`;

/**
 * Amounts that are limited per day. A process reserves them in blocks, each with one statement; a crash wastes the rest of a
 * block.
 */
@Injectable()
export class DailyBudgets {
  private readonly reserves = new Map<string, Reserve>();
  private reservedOn = '';

  constructor(
    private readonly database: Database,
    private readonly env: Env,
    private readonly clock: Clock,
  ) {}

  /** Uses an amount of at most one block. Throws 429 `rate_limited` with the time until the next day if too little is left. */
  async take(name: BudgetName, subject: string, amount: number): Promise<void> {
    const reserve = this.reserveOf(name, subject);
    while (reserve.left < amount) {
      reserve.refill ??= this.refill(name, subject, reserve).finally(() => (reserve.refill = null));
      await reserve.refill;
    }
    reserve.left -= amount;
  }

  @Cron('platform.budgets.purge', '23 * * * *')
  async purge(): Promise<void> {
    await this.database.purge('daily_budgets', 'day < $1', [this.day()]);
  }

  private reserveOf(name: BudgetName, subject: string): Reserve {
    const day = this.day();
    // A key that publishes on one day only must not occupy memory for ever.
    if (day !== this.reservedOn) this.reserves.clear();
    this.reservedOn = day;
    const key = `${name} ${subject}`;
    const reserve = this.reserves.get(key) ?? { day, left: 0, refill: null };
    this.reserves.set(key, reserve);
    return reserve;
  }

  /** Runs outside the running transaction, whose rollback would return what this process keeps. */
  private async refill(name: BudgetName, subject: string, reserve: Reserve): Promise<void> {
    const { perDay, block } = budgets[name];
    const limit = Math.floor(perDay * this.env.rateLimitFactor);
    const values = [name, subject, reserve.day, block, limit];
    const { count } = await this.database.apart(() => this.database.execute(RESERVE, values));
    if (count === 0) throw this.exhausted(limit);
    reserve.left += block;
  }

  private exhausted(limit: number): AppError {
    const deficitMs = DAY_MS - (this.clock.now().getTime() % DAY_MS);
    return new AppError(429, 'rate_limited', 'The daily limit is used up', {
      retryAfterMs: Math.min(DAY_MS, deficitMs + randomInt(SPREAD_MS)),
      details: { limit },
    });
  }

  private day(): string {
    return this.clock.now().toISOString().slice(0, 10);
  }
}
