import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { type Aging, type AgingCurrency, type AgingQuery, type Bucket, BUCKETS, type Side } from './aging.dto.js';

/*
 * $1 is the day, $2 the organization's time zone. Payments count by the days on which they were paid, allocated and reversed:
 * the amount paid now, less what was allocated or reversed after the day. Amounts, due dates and cancellations are the
 * current ones. The plan of a draft booking is a quote: nothing of it is owed.
 */
const movedAfter = (target: string) => `
  select ${target}, sum(signed_cents) as cents from payment_allocations
  where effective_on > $1::date and ${target} is not null group by 1`;

const OPEN: Record<Side, string> = {
  receivable: `
    with later as (${movedAfter('schedule_id')})
    select installment.currency, installment.due_date as due,
      installment.amount_cents - installment.paid_cents + coalesce(later.cents, 0) as cents
    from payment_schedules installment
    join payment_plans plan on plan.id = installment.plan_id and plan.is_current
    join bookings booking on booking.id = installment.booking_id and booking.status <> 'draft'
    left join later on later.schedule_id = installment.id
    where installment.status <> 'cancelled' and (installment.status = 'pending' or later.cents <> 0)
      and (installment.created_at at time zone $2)::date <= $1::date`,
  payable: `
    with later as (${movedAfter('supplier_invoice_id')})
    select bill.currency, bill.due_date as due, bill.total_cents - bill.paid_cents + coalesce(later.cents, 0) as cents
    from supplier_invoices bill
    left join later on later.supplier_invoice_id = bill.id
    where (bill.status = 'approved' or (bill.status = 'paid' and later.cents <> 0))
      and (bill.approved_at at time zone $2)::date <= $1::date`,
};

const BUCKETED = `
  case when coalesce($1::date - due, 0) <= 0 then 'current' when $1::date - due <= 30 then 'days_1_30'
    when $1::date - due <= 60 then 'days_31_60' when $1::date - due <= 90 then 'days_61_90' else 'over_90' end`;

interface Row {
  currency: string;
  bucket: Bucket;
  count: number;
  /** As text, because the sum may exceed 2^53-1. */
  cents: string;
}

/** Outstanding amounts of customers and to suppliers, by currency and by days past the due date; one statement each. */
@Injectable()
export class AgingService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  async read({ side = 'receivable', asOf = this.clock.today() }: AgingQuery): Promise<Aging> {
    const rows = await this.database.prepared<Row>(
      `aging-${side}`,
      `select currency, ${BUCKETED} as bucket, count(*)::integer as count, sum(cents)::text as cents
       from (${OPEN[side]}) as open where cents > 0 group by 1, 2 order by 1`,
      [asOf, this.env.orgTimeZone],
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
