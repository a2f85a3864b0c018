import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { type Aging, type AgingCurrency, type AgingQuery, type Bucket, BUCKETS } from './aging.dto.js';
import { bucketOf, openAmounts } from './open-amount-reports.js';

const DAY = '$1::date';

interface Row {
  currency: string;
  bucket: Bucket;
  count: number;
  /** Sums are text, because they may exceed 2^53-1. */
  cents: string;
}

/**
 * Returns the sums of the receivables and payables reports, by currency and by days past the due date, with one statement each.
 */
@Injectable()
export class AgingService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async read({ side = 'receivable', asOf = this.clock.today() }: AgingQuery): Promise<Aging> {
    const rows = await this.database.prepared<Row>(
      `aging-${side}`,
      `select currency, ${bucketOf(DAY, 'due_date')} as bucket, count(*)::integer as count,
         sum(amount_cents - paid_cents)::text as cents
       from (${openAmounts(side, { day: DAY, known: null })}) open group by 1, 2 order by 1`,
      [asOf],
    );
    const currencies = [...new Set(rows.map(({ currency }) => currency))];
    return {
      side,
      asOf,
      currencies: currencies.map((currency) =>
        toCurrency(
          currency,
          rows.filter((row) => row.currency === currency),
        ),
      ),
    };
  }
}

function toCurrency(currency: string, rows: readonly Row[]): AgingCurrency {
  const buckets = BUCKETS.map((bucket) => {
    const { count, cents } = rows.find((row) => row.bucket === bucket) ?? { count: 0, cents: '0' };
    return { bucket, count, cents: BigInt(cents) };
  });
  return {
    currency,
    count: buckets.reduce((sum, { count }) => sum + count, 0),
    totalCents: safeOrNull(buckets.reduce((sum, { cents }) => sum + cents, 0n)),
    buckets: buckets.map(({ cents, ...bucket }) => ({ ...bucket, amountCents: safeOrNull(cents) })),
  };
}

function safeOrNull(cents: bigint): number | null {
  return cents <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cents) : null;
}
