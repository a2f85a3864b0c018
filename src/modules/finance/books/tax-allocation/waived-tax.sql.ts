/** An amount of a tax group that is waived; the members are SQL expressions. */
interface Waived {
  bookingId: string;
  /** The ID of the tax code, or `given`. */
  key: string;
  cents: string;
}

/** Divides and rounds half away from zero, exactly; null if the divisor is 0. */
const ROUNDED = (dividend: string, divisor: string) =>
  `sign(${dividend}) * div(2 * abs(${dividend}) + ${divisor}, nullif(2 * ${divisor}, 0))`;

/**
 * Makes an expression for the tax in a waived amount of a tax group, as `owedAtRates` computes it: the amount reduces the
 * present rates of the active items in proportion, and the parts at earlier rates only beyond them.
 */
export function waivedTax({ bookingId, key, cents }: Waived): string {
  return `case when ${cents} > 0 then (
    select coalesce(sum(${ROUNDED('(tax * share)', 'gross')}), 0)
    from (
      select gross, tax, ${ROUNDED('(waived * upto)', 'whole')} - ${ROUNDED('(waived * (upto - weight))', 'whole')} as share
      from (
        select rated.*, sum(weight) over (partition by is_earlier) as whole,
          sum(weight) over (partition by is_earlier order by rate nulls first) as upto,
          case when is_earlier then greatest(0, ${cents} - present) else least(${cents}, present) end as waived
        from (
          select parts.*, greatest(0, gross) as weight,
            coalesce(sum(greatest(0, gross)) filter (where not is_earlier) over (), 0) as present
          from (
            select is_earlier, rate, sum(taxed.gross) as gross, sum(taxed.tax) as tax
            from booking_items item
            cross join lateral (
              select abs(item.total_sell_cents) < abs(item.earlier_rate_cents) as is_whole
            ) earlier
            cross join lateral (
              select case when is_whole then item.total_sell_cents else item.earlier_rate_cents end as gross,
                case when is_whole then item.tax_included_cents else item.earlier_rate_tax_cents end as tax
            ) billed
            cross join lateral (values
              (true, null, billed.gross, billed.tax),
              (false, item.tax_rate_basis_points, item.total_sell_cents - billed.gross, item.tax_included_cents - billed.tax)
            ) taxed (is_earlier, rate, gross, tax)
            where item.booking_id = ${bookingId} and coalesce(item.tax_code_id, 'given') = ${key}
              and item.status <> 'cancelled'
            group by 1, 2
          ) parts
        ) rated
      ) weighed
    ) part
  ) else 0 end`;
}
