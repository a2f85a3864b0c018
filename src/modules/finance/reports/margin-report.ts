import { REVENUE_GROUPS, sales } from './period-reports.js';
import { conditions, equals, type Report } from './report.js';
import type { MarginQuery } from './report-query.dto.js';

/** Types of items that the organization delivers; other items cost nothing unless a cost is stored. */
const HAS_COST = `item.type not in ('fee', 'tax', 'discount', 'adjustment')`;

/** If one cost is unknown, the sum is unknown, so that a missing cost never looks like a margin. */
const knownOr = (isKnown: string, sum: string) => `case when ${isKnown} then ${sum} end`;

export const MARGIN: Report<MarginQuery> = {
  name: 'margin',
  columns: {
    group: 'text',
    name: 'text',
    currency: 'text',
    units: 'count',
    netCents: 'cents',
    costCents: 'cents',
    marginCents: 'cents',
    unknownCosts: 'count',
  },
  rows: (query, place, today) => {
    const { key, name } = REVENUE_GROUPS[query.groupBy ?? 'month'];
    const known = 'sum(sold.unknown) = 0';
    return `
      select sold."group", min(sold.name) as name, sold.currency, coalesce(sum(sold.units), 0) as units, sum(sold.net) as "netCents",
        ${knownOr(known, 'sum(sold.cost)')} as "costCents", ${knownOr(known, 'sum(sold.net - sold.cost)')} as "marginCents",
        sum(sold.unknown)::integer as "unknownCosts"
      from (
        select ${key} as "group", ${name} as name, booking.currency, sale.net,
          case when item.type = 'unit' then sale.units else 0 end as units, coalesce(cost.cents, 0) as cost,
          case when ${HAS_COST} and cost.cents is null then 1 else 0 end as unknown
        from (${sales(query, place, today)}) sale
        join bookings booking on booking.id = sale.booking_id
        join booking_items item on item.id = sale.item_id
        cross join lateral (
          select case when sale.cost_currency = booking.currency then sale.cost_cents end as cents
        ) cost
        left join departures departure on departure.id = item.departure_id
        left join channels channel on channel.id = booking.channel_id
        ${conditions(equals('booking.currency', query.currency, place))}
      ) sold
      group by sold."group", sold.currency`;
  },
  order: '"group" nulls last, currency',
  identity: ['group', 'currency'],
  sums: ['netCents', 'costCents', 'marginCents', 'unknownCosts'],
  totals: () => `
    select currency, count(*)::integer as count, sum("netCents") as "netCents",
      ${knownOr('sum("unknownCosts") = 0', 'sum("costCents")')} as "costCents",
      ${knownOr('sum("unknownCosts") = 0', 'sum("marginCents")')} as "marginCents",
      sum("unknownCosts")::integer as "unknownCosts"
    from report group by currency`,
};
