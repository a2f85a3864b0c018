/**
 * SELECTs of the amounts that were open on a day, for reports. Only dated rows count: issue dates, posting dates of payments
 * and reversals, days of allocations, and the effective version of the history. Current amounts only select the candidates, by
 * an index each: rows that are open now, and rows that changed since the day.
 */
export interface AsOf {
  /** Placeholder of the day. */
  day: string;
  /** Placeholder of the time up to which recorded rows count; null means all rows. */
  known: string | null;
}

/** Selects rows that became effective after the day, or were recorded after `known`. */
export function since({ day, known }: AsOf, effective: string, recorded: string): string {
  return known === null ? `${effective} > ${day}` : `(${effective} > ${day} or ${recorded} > ${known})`;
}

function isNotReversed(asOf: AsOf, payment: string): string {
  const reversedOn = `${payment}.reversal_posting_date`;
  return `(${reversedOn} is null or ${since(asOf, reversedOn, `${payment}.reversed_at`)})`;
}

export function until({ day, known }: AsOf, effective: string, recorded: string): string {
  return `${effective} <= ${day}${known === null ? '' : ` and ${recorded} <= ${known}`}`;
}

const HISTORIES = {
  installment: { table: 'payment_schedule_history', key: 'schedule_id' },
  item: { table: 'booking_item_history', key: 'item_id' },
  status: { table: 'booking_status_history', key: 'booking_id' },
} as const;

/** Selects the effective version of a history. */
export function versionOf(asOf: AsOf, history: keyof typeof HISTORIES, id: string): string {
  const { table, key } = HISTORIES[history];
  return `(
    select * from ${table} where ${key} = ${id} and ${until(asOf, 'effective_on', 'recorded_at')}
    order by version desc limit 1
  )`;
}

const toExistingDebt = (asOf: AsOf) => `(
  share.refund_id is not null
  or exists (
    select from payment_schedule_history debt where debt.schedule_id = share.schedule_id and debt.version = 1
      and ${until(asOf, 'debt.effective_on', 'debt.recorded_at')})
  or exists (
    select from invoices debt where debt.id = share.invoice_id
      and ${until(asOf, 'debt.issue_date', 'debt.issued_at')})
  or exists (
    select from supplier_invoices debt where debt.id = share.supplier_invoice_id
      and ${until(asOf, 'debt.posting_date', 'debt.approved_at')})
)`;

/**
 * Sums the allocations to a target, or of a payment, until the day. A payment that was reversed by then settles nothing, even
 * if its allocations moved between the day of the reversal and the recording of the reversal. A payment made before its debt
 * existed was unapplied until then.
 */
export function allocatedTo(asOf: AsOf, column: string, id: string): string {
  return `(
    select coalesce(sum(share.signed_cents), 0) as cents
    from payment_allocations share join payments payer on payer.id = share.payment_id
    where share.${column} = ${id} and ${until(asOf, 'share.effective_on', 'share.created_at')}
      and ${isNotReversed(asOf, 'payer')}
      ${column === 'payment_id' ? `and ${toExistingDebt(asOf)}` : ''}
  )`;
}

const movedSince = (asOf: AsOf, column: string) => `
  select ${column} as id from payment_allocations
  where ${column} is not null and ${since(asOf, 'effective_on', 'created_at')}`;

/** Selects installments with an open amount; installments of quotes are not receivable. */
export function openInstallments(asOf: AsOf): string {
  return `
    select schedule.id, 'payment_schedule' as entity, version.type, schedule.booking_id, schedule.label, schedule.position,
      null::text as number, schedule.currency, version.due_date, version.amount_cents, paid.cents as paid_cents
    from (
      select id from payment_schedules where status = 'pending'
      union ${movedSince(asOf, 'schedule_id')}
      union select schedule_id from payment_schedule_history where ${since(asOf, 'effective_on', 'recorded_at')}
    ) candidate
    join payment_schedules schedule on schedule.id = candidate.id
    join payment_plans plan on plan.id = schedule.plan_id and plan.is_current
    cross join lateral ${versionOf(asOf, 'installment', 'schedule.id')} version
    cross join lateral ${versionOf(asOf, 'status', 'schedule.booking_id')} booking_then
    cross join lateral ${allocatedTo(asOf, 'schedule_id', 'schedule.id')} paid
    where not version.cancelled and booking_then.status <> 'draft' and version.amount_cents > paid.cents`;
}

/** Selects the time at which the completion of a refund was recorded. Builds older than this column did not store the time. */
const COMPLETED_AT = 'coalesce(refund.completed_at, refund.created_at)';

/** Whether a refund or an outgoing transfer was paid and not reversed; if false, the organization still had the money. */
const isPaidOut = (asOf: AsOf) => `(
  refund.status in ('completed', 'reversed') and ${until(asOf, 'refund.posting_date', COMPLETED_AT)}
  and ${isNotReversed(asOf, 'refund')}
)`;

/** Selects refunds and outgoing transfers that no money covers, because a receipt was reversed afterwards. */
export function uncoveredRefunds(asOf: AsOf): string {
  return `
    select refund.id, 'payment' as entity, 'refund_recovery' as type, refund.booking_id, 'Refund' as label, 0 as position,
      null::text as number, refund.currency, refund.posting_date as due_date, refund.amount_cents, covered.cents as paid_cents
    from (
      select id from payments where kind in ('refund', 'transfer_out') and status = 'completed' and covered_cents < amount_cents
      union ${movedSince(asOf, 'refund_id')}
      union select id from payments
      where kind in ('refund', 'transfer_out') and ${since(asOf, 'reversal_posting_date', 'reversed_at')}
    ) candidate
    join payments refund on refund.id = candidate.id
    cross join lateral ${allocatedTo(asOf, 'refund_id', 'refund.id')} covered
    where ${isPaidOut(asOf)} and refund.amount_cents > covered.cents`;
}

/**
 * Selects issued invoices with an open amount, or `overpaid` ones: a payment dated before the day but recorded after it can
 * settle a debt that another payment, since reversed, settled on the day. An invoice that was voided after the month of its
 * issue date, which earlier builds allowed, is in no figure of that month.
 */
export function openDocuments(asOf: AsOf, which: 'open' | 'overpaid' = 'open'): string {
  return `
    select invoice.id, 'invoice' as entity, 'invoice' as type, invoice.booking_id, invoice.number as label, 0 as position,
      invoice.number, invoice.currency, invoice.due_date, invoice.total_cents - credited.cents as amount_cents,
      paid.cents as paid_cents
    from (
      select id from invoices where type = 'invoice' and status in ('issued', 'partially_paid')
      union ${movedSince(asOf, 'invoice_id')}
      union select original_invoice_id from invoices
      where type = 'credit_note' and number is not null and ${since(asOf, 'issue_date', 'issued_at')}
      union select id from invoices where ${since(asOf, 'voided_on', 'voided_at')}
    ) candidate
    join invoices invoice on invoice.id = candidate.id and invoice.type = 'invoice' and invoice.number is not null
    cross join lateral (
      select coalesce(sum(note.total_cents), 0) as cents from invoices note
      where note.original_invoice_id = invoice.id and note.number is not null
        and ${until(asOf, 'note.issue_date', 'note.issued_at')}
    ) credited
    cross join lateral ${allocatedTo(asOf, 'invoice_id', 'invoice.id')} paid
    where ${until(asOf, 'invoice.issue_date', 'invoice.issued_at')}
      and (invoice.voided_on is null or ${since(asOf, 'invoice.voided_on', 'invoice.voided_at')}
        and date_trunc('month', invoice.voided_on) <= date_trunc('month', invoice.issue_date))
      and invoice.total_cents ${which === 'open' ? '>' : '<'} credited.cents + paid.cents`;
}

/**
 * Selects posted supplier invoices with an open amount. Their posting dates may precede the day on which they were entered;
 * until that day, their first due date counts.
 */
export function openBills(asOf: AsOf): string {
  return `
    select bill.id, 'supplier_invoice' as entity, 'supplier_invoice' as type, bill.supplier_key, bill.supplier_name,
      bill.invoice_number as number, bill.currency, version.due_date, bill.total_cents as amount_cents,
      paid.cents as paid_cents
    from (
      select id from supplier_invoices where status = 'approved'
      union ${movedSince(asOf, 'supplier_invoice_id')}
      union select id from supplier_invoices where ${since(asOf, 'voided_on', 'voided_at')}
    ) candidate
    join supplier_invoices bill on bill.id = candidate.id
    cross join lateral (
      select due_date from supplier_invoice_history where invoice_id = bill.id
      order by ${until(asOf, 'effective_on', 'recorded_at')} desc,
        case when ${until(asOf, 'effective_on', 'recorded_at')} then -version else version end
      limit 1
    ) version
    cross join lateral ${allocatedTo(asOf, 'supplier_invoice_id', 'bill.id')} paid
    where ${until(asOf, 'bill.posting_date', 'bill.approved_at')}
      and (bill.voided_on is null or ${since(asOf, 'bill.voided_on', 'bill.voided_at')})
      and bill.total_cents > paid.cents`;
}

/** Selects payments with allocations to debts that did not exist yet on the day. */
const toLaterDebts = (asOf: AsOf) => `
  select allocation.payment_id from payment_schedule_history debt
  join payment_allocations allocation on allocation.schedule_id = debt.schedule_id
  where debt.version = 1 and ${since(asOf, 'debt.effective_on', 'debt.recorded_at')}
  union select allocation.payment_id from invoices debt
  join payment_allocations allocation on allocation.invoice_id = debt.id
  where debt.number is not null and ${since(asOf, 'debt.issue_date', 'debt.issued_at')}
  union select allocation.payment_id from supplier_invoices debt
  join payment_allocations allocation on allocation.supplier_invoice_id = debt.id
  where ${since(asOf, 'debt.posting_date', 'debt.approved_at')}`;

/** Selects money that was paid to suppliers and settled nothing. */
export function supplierPrepayments(asOf: AsOf): string {
  return `
    select payment.id, payment.supplier_invoice_id, payment.currency, payment.amount_cents - applied.cents as unapplied_cents
    from (${maybeUnapplied(asOf)}) candidate
    join payments payment on payment.id = candidate.id and payment.kind = 'supplier_payment'
    cross join lateral ${allocatedTo(asOf, 'payment_id', 'payment.id')} applied
    where ${until(asOf, 'payment.posting_date', 'payment.created_at')} and ${isNotReversed(asOf, 'payment')}
      and payment.amount_cents > applied.cents`;
}

/** Selects payments of which a part may have settled nothing on the day. */
const maybeUnapplied = (asOf: AsOf) => `
  select id from payments where unapplied_cents > 0 and status = 'completed'
  union ${movedSince(asOf, 'payment_id')}
  union select id from payments where ${since(asOf, 'reversal_posting_date', 'reversed_at')}
  union ${toLaterDebts(asOf)}`;

/** Selects payments that cover a refund which may have been requested and not yet paid on the day. */
const maybeReserved = (asOf: AsOf) => `
  select share.payment_id from payments refund join payment_allocations share on share.refund_id = refund.id
  where refund.status = 'requested' or refund.kind = 'refund' and ${since(asOf, 'refund.posting_date', COMPLETED_AT)}`;

/** Selects payments of bookings that may have been quotes, or cancelled and not settled, on the day. */
const maybeHeld = (asOf: AsOf) => `
  select payment.id from payments payment join (
    select id from bookings where status = 'draft'
    union select booking_id from cancellation_settlements where status = 'open' and reinstated_at is null
    union select booking_id from booking_status_history where ${since(asOf, 'effective_on', 'recorded_at')}
  ) held on held.id = payment.booking_id`;

/** Selects payments with money on an installment or an invoice alone. */
const ON_ONE_DEBT = `
  select payment_id from payment_allocations where (schedule_id is null) <> (invoice_id is null)
  group by payment_id, schedule_id, invoice_id having sum(signed_cents) > 0`;

/**
 * Received money of customers that is still here, per payment, with where it lay at the end of the day:
 * - `unapplied_cents` settled nothing,
 * - `reserved_cents` covered refunds that were requested and not yet paid,
 * - `on_invoices_cents`, `on_invoices_alone_cents` and `on_installments_alone_cents` settled a debt that existed,
 * - `held_cents` is the part of these that settled nothing after all, because the booking was a quote, or was cancelled and
 *   not settled.
 * With `all` also payments of which everything settled an installment or an invoice alone.
 */
export function customerMoney(asOf: AsOf, which: 'all' | 'without_debt' = 'without_debt'): string {
  return `
    select payment.id, payment.kind, payment.booking_id, payment.currency, payment.paid_on, payment.posting_date,
      payment.reference, payment.amount_cents, booking_then.status as booking_status,
      payment.amount_cents - lies.on_invoices - lies.on_installments_alone - lies.reserved - lies.paid_out as unapplied_cents,
      lies.reserved as reserved_cents, lies.on_invoices as on_invoices_cents,
      lies.on_invoices_alone as on_invoices_alone_cents, lies.on_installments_alone as on_installments_alone_cents,
      case booking_then.held_as when 'held_for_settlement' then lies.on_invoices + lies.on_installments_alone
        when 'held_for_confirmation' then lies.on_installments_alone else 0 end as held_cents,
      booking_then.held_as
    from (
      ${maybeUnapplied(asOf)} union ${maybeReserved(asOf)} union ${maybeHeld(asOf)}
      ${which === 'all' ? `union ${ON_ONE_DEBT}` : ''}
    ) candidate
    join payments payment on payment.id = candidate.id and payment.kind in ('receipt', 'transfer_in')
    cross join lateral ${lyingAt(asOf)} lies
    cross join lateral ${heldAs(asOf, 'payment.booking_id')} booking_then
    where ${until(asOf, 'payment.posting_date', 'payment.created_at')} and ${isNotReversed(asOf, 'payment')}`;
}

/**
 * Selects received money that settles no invoice, less the money that must be paid back: its tax is due although no document
 * shows it. Money for a cancelled booking pays for no supply.
 */
export function unbilledReceipts(asOf: AsOf): string {
  return `
    select * from (
      select *, unapplied_cents + on_installments_alone_cents as unbilled_cents from (${customerMoney(asOf, 'all')}) money
    ) unbilled where unbilled_cents > 0 and booking_status <> 'cancelled'`;
}

/** Sums the allocations of a payment by the kind of debt that they settled on the day. */
const lyingAt = (asOf: AsOf) => {
  const sum = (condition: string) => `coalesce(sum(share.signed_cents) filter (where ${condition}), 0)`;
  return `(
    select ${sum('invoice.id is not null')} as on_invoices,
      ${sum('invoice.id is not null and installment.schedule_id is null')} as on_invoices_alone,
      ${sum('invoice.id is null and installment.schedule_id is not null')} as on_installments_alone,
      ${sum(`refund.id is not null and ${isPaidOut(asOf)}`)} as paid_out,
      ${sum(`refund.id is not null and not ${isPaidOut(asOf)} and ${isNotReversed(asOf, 'refund')}`)} as reserved
    from payment_allocations share
    left join payments refund on refund.id = share.refund_id
    left join invoices invoice on invoice.id = share.invoice_id and ${until(asOf, 'invoice.issue_date', 'invoice.issued_at')}
    left join payment_schedule_history installment on installment.schedule_id = share.schedule_id
      and installment.version = 1 and ${until(asOf, 'installment.effective_on', 'installment.recorded_at')}
    where share.payment_id = payment.id and ${until(asOf, 'share.effective_on', 'share.created_at')}
  )`;
};

/**
 * Selects the status of a booking, and the reason why money allocated to its debts does not settle them: a quote owes nothing
 * beyond its invoices, and a cancelled booking owes nothing before its settlement, which determines the fee.
 */
const heldAs = (asOf: AsOf, bookingId: string) => `(
  select status, case when status = 'draft' then 'held_for_confirmation' when status = 'cancelled' and not exists (
      select from cancellation_settlements settlement
      where settlement.booking_id = ${bookingId} and ${until(asOf, 'settled_on', 'settled_at')}
    ) then 'held_for_settlement' end as held_as
  from (
    select coalesce((select version.status from ${versionOf(asOf, 'status', bookingId)} version), 'draft') as status
  ) version
)`;

/**
 * Computes the amount by which documents exceed the price of the booking `booking_then` with this id on the day; a credit note
 * is due for it. The price of a quote is the billed amount, that of a cancelled booking is its fee.
 */
export function creditDueOf(asOf: AsOf, bookingId: string): string {
  const installments = (condition: string) => `(
    select coalesce(sum(version.amount_cents), 0) from payment_schedules schedule
    cross join lateral ${versionOf(asOf, 'installment', 'schedule.id')} version
    where schedule.booking_id = ${bookingId} and ${condition}
  )`;
  return `(
    select case when booking_then.status = 'draft' then 0 else greatest(0,
      (select coalesce(sum(case type when 'invoice' then total_cents else -total_cents end), 0) from invoices
       where booking_id = ${bookingId} and type in ('invoice', 'credit_note') and number is not null
         and ${until(asOf, 'issue_date', 'issued_at')}
         and (voided_on is null or ${since(asOf, 'voided_on', 'voided_at')}))
      - case booking_then.status
          when 'cancelled' then ${installments(`version.type = 'fee' and not version.cancelled`)}
          else (
            select coalesce(sum(version.total_sell_cents), 0) from booking_items item
            cross join lateral ${versionOf(asOf, 'item', 'item.id')} version
            where item.booking_id = ${bookingId} and not version.cancelled
          ) - ${installments('version.waived')} end
    ) end as cents
  )`;
}
