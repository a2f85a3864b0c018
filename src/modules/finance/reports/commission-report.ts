import { MOVEMENTS } from './period-reports.js';
import { conditions, daysOf, equals, isOneOf, type Report } from './report.js';
import type { CommissionReportQuery } from './report-query.dto.js';

/** Type and identifier identify a recipient, or type and name if there is no identifier. */
export const COMMISSIONS: Report<CommissionReportQuery> = {
  name: 'commissions',
  columns: {
    recipientType: 'text',
    recipientId: 'text',
    recipientName: 'text',
    currency: 'text',
    count: 'count',
    pendingCents: 'cents',
    accruedCents: 'cents',
    payableCents: 'cents',
    paidOutCents: 'cents',
  },
  rows: ({ currency, recipientType, recipientId, ...days }, place, today) => {
    const [first, last] = daysOf(days, place, today);
    const sum = (status: string) => `coalesce(sum(line.amount_cents) filter (where line.status = '${status}'), 0)`;
    return `
    select line.recipient_type as "recipientType", line.recipient_id as "recipientId",
      (array_agg(line.recipient_name order by line.created_at desc, line.id desc))[1] as "recipientName", line.currency,
      count(*)::integer as count, ${sum('pending')} as "pendingCents", ${sum('accrued')} as "accruedCents",
      ${sum('payable')} as "payableCents", coalesce(sum(payout.cents), 0) as "paidOutCents"
    from commission_lines line
    left join (
      select movement.commission_id, -sum(movement.cents) as cents
      from (${MOVEMENTS} and payment.commission_id is not null and movement.date between ${first} and ${last}) movement group by 1
    ) payout on payout.commission_id = line.id
    ${conditions(
      "line.status <> 'void'",
      equals('line.currency', currency, place),
      isOneOf('line.recipient_type', recipientType, place),
      equals('line.recipient_id', recipientId, place),
    )}
    group by line.recipient_type, line.recipient_id, coalesce(line.recipient_id, lower(line.recipient_name)), line.currency`;
  },
  order: '"recipientName", "recipientType", "recipientId" nulls last, currency',
  identity: ['recipientName', 'recipientType', 'recipientId', 'currency'],
  sums: ['pendingCents', 'accruedCents', 'payableCents', 'paidOutCents'],
  totals: () => `
    select currency, sum(count)::integer as count, sum("pendingCents") as "pendingCents", sum("accruedCents") as "accruedCents",
      sum("payableCents") as "payableCents", sum("paidOutCents") as "paidOutCents"
    from report group by currency`,
};
