import { effectiveStatusSql } from '../account/payment-schedule.entity.js';

/** Selects the ids of a page in order, and the total number, even if the page is empty. */
export function pageSql(columns: string, direction: 'ASC' | 'DESC'): string {
  return `
    with found as (
      select installment.id, installment.due_date, installment.position
      from payment_schedules installment
        join payment_plans plan on plan.id = installment.plan_id and plan.is_current
      where installment.booking_id = $1
        and ($3::text[] is null or ${effectiveStatusSql('installment', '$2::date')} = any($3))
        and ($4::date is null or installment.due_date >= $4) and ($5::date is null or installment.due_date <= $5)
    ), page as (
      select * from found order by due_date ${direction}, position ${direction}, id ${direction} limit $6 offset $7
    )
    select (select count(*) from found)::integer as total, ${columns},
      (select departure_date::text from bookings where id = $1) as departure_date
    from (select) as always left join (page join payment_schedules installment using (id)) on true
    order by page.due_date ${direction}, page.position ${direction}, page.id ${direction}`;
}
