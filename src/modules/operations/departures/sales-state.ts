import { named } from '../../../platform/http/named-values.js';

export const SALES_STATES = named('DepartureSalesState', [
  'open',
  'closed',
  'cut_off',
  'sold_out',
  'cancelled',
  'departed',
  'completed',
]);
export type SalesState = (typeof SALES_STATES)[number];

/** SQL: the units of the pool of a departure. */
export const poolOf = (alias: string) => `${alias}.capacity - ${alias}.sold - ${alias}.held - ${alias}.guaranteed_open`;

/** SQL: whether a departure is sold at an instant, and why it is not. The first that applies. */
export const salesStateOf = (alias: string, now: string) => `case
  when ${alias}.status = 'cancelled' then 'cancelled'
  when ${alias}.ends_at <= ${now} then 'completed'
  when ${alias}.starts_at <= ${now} then 'departed'
  when ${alias}.sales_closed_at is not null then 'closed'
  when ${alias}.cutoff_at <= ${now} then 'cut_off'
  when ${poolOf(alias)} <= 0 then 'sold_out'
  else 'open' end`;
