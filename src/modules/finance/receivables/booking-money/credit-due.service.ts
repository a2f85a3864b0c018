import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { directionOf } from '../../../../platform/database/sort-rows.js';
import { asParameter, BILLED, BilledTaxesService, wrongGroups } from '../../books/index.js';
import type { CreditDue, ListCreditDue } from './credit-due.dto.js';

/** Sorts by the number of the booking. */
const creditDue = (direction: 'ASC' | 'DESC') => `
  with ${wrongGroups('$1::text is null or document.booking_id = $1', '$6')},
  due as (
    select booking.id, booking.number, booking.status, booking.customer_name, booking.currency, grouped.groups
    from grouped join bookings booking on booking.id = grouped.booking_id
    where ($2::text[] is null or booking.status = any($2)) and ($3::text is null or booking.currency = $3)
  ),
  page as (select * from due order by number ${direction}, id ${direction} limit $4 offset $5)
  select (select count(*) from due)::integer as total, page.id as "bookingId", page.number as "bookingNumber",
    page.status as "bookingStatus", page.customer_name as "customerName", page.currency,
    (select sum((entry ->> 'grossCents')::bigint) from json_array_elements(page.groups) entry)::float8 as "creditDueCents",
    page.groups, array(
      select document.id from invoices document
      where document.booking_id = page.id and document.type = 'invoice' and document.purpose is null and ${BILLED}
        and document.credited_cents < document.total_cents and exists (
          select from invoice_lines line join wrong on wrong.key = coalesce(line.tax_code_id, 'given')
            and (wrong.rate is null or wrong.rate = line.tax_rate_basis_points)
          where line.invoice_id = document.id and wrong.booking_id = page.id)
      order by document.issue_date desc, document.sequence desc, document.id
    ) as "invoiceIds"
  from (select) as always left join page on true order by page.number ${direction}, page.id ${direction}`;

/** Returns the bookings whose documents exceed the amount owed, so that credit notes are due. */
@Injectable()
export class CreditDueService {
  constructor(
    private readonly database: Database,
    private readonly billedTaxes: BilledTaxesService,
  ) {}

  async list(query: ListCreditDue): Promise<{ rows: CreditDue[]; total: number }> {
    const { bookingId = null, bookingStatus = null, currency = null } = query;
    const { limit, offset } = pageBounds(query);
    const direction = directionOf(query.sort ?? 'bookingNumber');
    const found = await this.database.prepared<CreditDue & { total: number }>(
      `credit-due-${direction}`,
      creditDue(direction),
      [bookingId, bookingStatus, currency, limit, offset, asParameter(await this.billedTaxes.rateExcesses(bookingId))],
    );
    const rows = found.filter(({ groups }) => groups !== null).map(({ total: _total, ...due }) => due);
    return { rows, total: found[0]?.total ?? 0 };
  }
}
