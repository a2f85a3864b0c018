import { allocatedTo, since, versionOf } from '../receivables/index.js';
import { asOfOf, conditions, daysOf, equals, firstDayOf, isOneOf, type Place, type Report } from './report.js';
import type { JournalQuery, PaymentJournalQuery, RevenueQuery, VatQuery } from './report-query.dto.js';

/** Invoices count, credit notes are subtracted. */
const SIGN = `case invoice.type when 'invoice' then 1 else -1 end`;

/** Identifies a row of the report of value-added tax, for listing its documents. */
const TAX_GROUP = `concat_ws(':', side, coalesce(tax_code_id, 'none'), coalesce(rate::text, 'none'),
  case when tax_code_id is null then tax_kind end)`;

/** Selects an amount of a document in the base currency; null if the document has no exchange rate to it. */
const inBase = (document: string, own: string, converted: string) =>
  `case when ${document}.currency = settings.base_currency then ${own} else ${converted} end`;

/**
 * Recorded rates convert to the base currency of the accounts. Bills approved by earlier builds may state a different base
 * currency.
 */
const BILL_IN_BASE = (figure: string) =>
  `case when bill.applied_rate is not null or bill.base_currency = settings.base_currency
    then bill.base_${figure}_cents end`;

/**
 * Selects documents with their tax, one row per tax code and rate as of the day of issue; amounts of credit notes and of voided
 * supplier invoices are negative.
 */
function taxedDocuments(query: VatQuery, place: Place, today: string): string {
  const { currency } = query;
  const [first, last] = daysOf(query, place, today);
  const of = (column: string) => equals(column, currency, place);
  return `
    select *, ${TAX_GROUP} as "group" from (
      select 'output' as side, invoice.type, invoice.id, invoice.number, invoice.series_id, invoice.period_key, invoice.sequence,
        invoice.issue_date as date, invoice.payer_name as party, line.tax_code_id, line.tax_code, line.tax_kind,
        line.tax_rate_basis_points as rate, invoice.currency, ${SIGN} * sum(line.net_cents) as net,
        ${SIGN} * sum(line.tax_cents) as tax, ${SIGN} * sum(line.gross_cents) as gross, settings.base_currency,
        ${SIGN} * sum(${inBase('invoice', 'line.net_cents', 'line.base_net_cents')}) as base_net,
        ${SIGN} * sum(${inBase('invoice', 'line.tax_cents', 'line.base_tax_cents')}) as base_tax,
        ${SIGN} * sum(${inBase('invoice', 'line.gross_cents', 'line.base_gross_cents')}) as base_gross
      from invoices invoice join invoice_tax_lines line on line.invoice_id = invoice.id
      cross join finance_settings settings
      ${conditions(
        `invoice.number is not null and invoice.type in ('invoice', 'credit_note') and invoice.status <> 'void'
         and invoice.issue_date between ${first} and ${last}`,
        of('invoice.currency'),
      )}
      group by invoice.id, line.tax_code_id, line.tax_code, line.tax_kind, line.tax_rate_basis_points,
        settings.base_currency
      union all
      select 'input', 'supplier_invoice', bill.id, bill.invoice_number, null, null, null, posting.date, bill.supplier_name,
        null, null, null, null, bill.currency, posting.sign * bill.subtotal_cents, posting.sign * bill.tax_cents,
        posting.sign * bill.total_cents, settings.base_currency,
        posting.sign * ${inBase('bill', 'bill.subtotal_cents', BILL_IN_BASE('subtotal'))},
        posting.sign * ${inBase('bill', 'bill.tax_cents', BILL_IN_BASE('tax'))},
        posting.sign * ${inBase('bill', 'bill.total_cents', BILL_IN_BASE('total'))}
      from (
        select id, posting_date as date, 1 as sign from supplier_invoices where posting_date between ${first} and ${last}
        union all
        select id, voided_on, -1 from supplier_invoices
        where posting_date is not null and voided_on between ${first} and ${last}
      ) posting join supplier_invoices bill on bill.id = posting.id
      cross join finance_settings settings
      ${conditions(of('bill.currency'))}
    ) taxed`;
}

/** Selects the requested rows of the tax report. */
const filtered = (query: VatQuery, place: Place, today: string) => `
  (${taxedDocuments(query, place, today)}) document
  ${conditions(isOneOf('side', query.side, place), equals('"group"', query.group, place))}`;

const TAX_COLUMNS = {
  taxCodeId: 'text',
  taxCode: 'text',
  taxKind: 'text',
  taxRateBasisPoints: 'count',
  currency: 'text',
} as const;

const TAX = `tax_code_id as "taxCodeId", tax_code as "taxCode", tax_kind as "taxKind", rate as "taxRateBasisPoints"`;
const TAX_ORDER = '"taxCode" nulls last, "taxCodeId", "taxKind" nulls last, "taxRateBasisPoints" nulls last';
const AMOUNT_COLUMNS = { netCents: 'cents', taxCents: 'cents', grossCents: 'cents' } as const;

const BASE_COLUMNS = {
  baseCurrency: 'text',
  baseNetCents: 'baseCents',
  baseTaxCents: 'baseCents',
  baseGrossCents: 'baseCents',
} as const;

/** Sums amounts, or returns null if one is unknown, because a sum of the others would be a wrong tax. */
const complete = (amount: string) => `case when count(*) = count(${amount}) then sum(${amount}) end`;

const BASE_SUMS = `${complete('"baseNetCents"')} as "baseNetCents", ${complete('"baseTaxCents"')} as "baseTaxCents",
  ${complete('"baseGrossCents"')} as "baseGrossCents", sum("unconverted")::integer as "unconverted"`;

export const VAT: Report<VatQuery> = {
  name: 'vat',
  columns: {
    group: 'text',
    side: 'text',
    ...TAX_COLUMNS,
    count: 'count',
    ...AMOUNT_COLUMNS,
    ...BASE_COLUMNS,
    unconverted: 'count',
  },
  rows: (query, place, today) => `
    select "group", side, ${TAX}, currency, count(*)::integer as count, sum(net) as "netCents", sum(tax) as "taxCents",
      sum(gross) as "grossCents", base_currency as "baseCurrency", ${complete('base_net')} as "baseNetCents",
      ${complete('base_tax')} as "baseTaxCents", ${complete('base_gross')} as "baseGrossCents",
      count(*) filter (where base_gross is null)::integer as "unconverted"
    from ${filtered(query, place, today)}
    group by "group", side, tax_code_id, tax_code, tax_kind, rate, currency, base_currency`,
  order: `side desc, currency, ${TAX_ORDER}`,
  sums: ['netCents', 'taxCents', 'grossCents'],
  totals: () => `
    select currency, side, count(*)::integer as count, sum("netCents") as "netCents", sum("taxCents") as "taxCents",
      sum("grossCents") as "grossCents", "baseCurrency", ${BASE_SUMS}
    from report group by currency, side, "baseCurrency"`,
  baseTotals: `
    select "baseCurrency", side, count(*)::integer as count, ${BASE_SUMS} from report group by "baseCurrency", side`,
};

export const VAT_DOCUMENTS: Report<VatQuery> = {
  ...VAT,
  name: 'vat-documents',
  columns: {
    group: 'text',
    side: 'text',
    type: 'text',
    id: 'text',
    number: 'text',
    date: 'text',
    party: 'text',
    ...TAX_COLUMNS,
    ...AMOUNT_COLUMNS,
    ...BASE_COLUMNS,
  },
  rows: (query, place, today) => `
    select "group", side, type, id, number, series_id, period_key, sequence, date, party, ${TAX}, currency,
      net as "netCents", tax as "taxCents", gross as "grossCents", base_currency as "baseCurrency",
      base_net as "baseNetCents", base_tax as "baseTaxCents", base_gross as "baseGrossCents",
      (base_gross is null)::integer as "unconverted"
    from ${filtered(query, place, today)}`,
  order: `side desc, date, type, series_id, period_key, sequence, number, id, ${TAX_ORDER}, "grossCents"`,
};

export const REVENUE_GROUPS = {
  month: { key: `to_char(sale.date, 'YYYY-MM')`, name: `to_char(sale.date, 'YYYY-MM')` },
  product: { key: 'departure.product_id', name: 'departure.product_id' },
  channel: { key: 'booking.channel_id', name: 'channel.name' },
  departure: { key: 'item.departure_id', name: 'item.title' },
} as const;

/** Selects the sales of each item, by the day that the basis counts. */
export function sales(query: RevenueQuery, place: Place, today: string): string {
  const { basis = 'service' } = query;
  const [first, last] = daysOf(query, place, today);
  const { [basis]: source } = {
    // Invoices for installments do not name their items.
    invoiced: () => `
      select invoice.booking_id, line.booking_item_id as item_id, invoice.issue_date as date,
        case when invoice.type = 'invoice' then coalesce(line.quantity, 0) else 0 end as units,
        ${SIGN} * line.net_cents as net, ${SIGN} * line.tax_cents as tax
      from invoices invoice join invoice_lines line on line.invoice_id = invoice.id
      where invoice.number is not null and invoice.type in ('invoice', 'credit_note') and invoice.status <> 'void'
        and invoice.issue_date between ${first} and ${last}`,
    service: () => {
      const day = asOfOf(query, place, today);
      return `
        select item.booking_id, item.id as item_id, version.service_date as date, version.quantity as units,
          version.total_sell_cents - version.tax_included_cents as net, version.tax_included_cents as tax, version.cost_cents,
          version.cost_currency
        from (
          select id from booking_items where service_date between ${first} and ${last}
          union select item_id from booking_item_history where ${since(day, 'effective_on', 'recorded_at')}
        ) candidate join booking_items item on item.id = candidate.id
        cross join lateral ${versionOf(day, 'item', 'item.id')} version
        cross join lateral ${versionOf(day, 'status', 'item.booking_id')} booking_then
        where not version.cancelled and booking_then.status <> 'draft'
          and version.service_date between ${first} and ${last}`;
    },
    confirmed: () => {
      const day = asOfOf(query, place, today);
      return `
        select item.booking_id, item.id as item_id, sold.confirmed_on as date, version.quantity as units,
          version.total_sell_cents - version.tax_included_cents as net, version.tax_included_cents as tax, version.cost_cents,
          version.cost_currency
        from bookings sold join booking_items item on item.booking_id = sold.id
        cross join lateral ${versionOf(day, 'item', 'item.id')} version
        cross join lateral ${versionOf(day, 'status', 'sold.id')} booking_then
        where sold.confirmed_on between ${first} and ${last} and sold.confirmed_on <= ${day.day} and not version.cancelled
          and booking_then.status <> 'draft'`;
    },
  };
  return source();
}

export const REVENUE: Report<RevenueQuery> = {
  name: 'revenue',
  columns: {
    group: 'text',
    name: 'text',
    currency: 'text',
    units: 'count',
    netCents: 'cents',
    taxCents: 'cents',
    grossCents: 'cents',
  },
  rows: (query, place, today) => {
    const { key, name } = REVENUE_GROUPS[query.groupBy ?? 'month'];
    return `
      select ${key} as "group", min(${name}) as name, booking.currency,
        coalesce(sum(sale.units) filter (where item.type = 'unit'), 0) as units, sum(sale.net) as "netCents",
        sum(sale.tax) as "taxCents", sum(sale.net + sale.tax) as "grossCents"
      from (${sales(query, place, today)}) sale
      join bookings booking on booking.id = sale.booking_id
      left join booking_items item on item.id = sale.item_id
      left join departures departure on departure.id = item.departure_id
      left join channels channel on channel.id = booking.channel_id
      ${conditions(equals('booking.currency', query.currency, place))}
      group by ${key}, booking.currency`;
  },
  order: '"group" nulls last, currency',
  identity: ['group', 'currency'],
  sums: ['netCents', 'taxCents', 'grossCents'],
};

/**
 * Selects payments and reversals on their posting dates, with the sign of the bank account; transfers move no money of the
 * bank.
 */
export const MOVEMENTS = `
  select payment.*, movement.date, movement.entry,
    movement.sign * case payment.direction when 'in' then 1 else -1 end * payment.amount_cents as cents
  from payments payment
  cross join lateral (
    values (payment.posting_date, 'payment', 1), (payment.reversal_posting_date, 'reversal', -1)
  ) movement (date, entry, sign)
  where payment.kind not in ('transfer_in', 'transfer_out') and payment.status in ('completed', 'reversed')`;

export const PAYMENT_JOURNAL: Report<PaymentJournalQuery> = {
  name: 'payment-journal',
  columns: {
    date: 'text',
    entry: 'text',
    paymentId: 'text',
    kind: 'text',
    method: 'text',
    reference: 'text',
    party: 'text',
    bookingId: 'text',
    supplierInvoiceId: 'text',
    commissionId: 'text',
    currency: 'text',
    amountCents: 'cents',
  },
  rows: ({ currency, method, ...days }, place, today) => {
    const [first, last] = daysOf(days, place, today);
    return `
    select movement.date, movement.entry, movement.id as "paymentId", movement.kind, movement.method, movement.reference,
      coalesce(booking.customer_name, bill.supplier_name, commission.recipient_name) as party, movement.booking_id as "bookingId",
      movement.supplier_invoice_id as "supplierInvoiceId", movement.commission_id as "commissionId", movement.currency, movement.cents as "amountCents"
    from (${MOVEMENTS} and movement.date between ${first} and ${last}) movement
    left join bookings booking on booking.id = movement.booking_id
    left join supplier_invoices bill on bill.id = movement.supplier_invoice_id
    left join commission_lines commission on commission.id = movement.commission_id
    ${conditions(equals('movement.currency', currency, place), isOneOf('movement.method', method, place))}`;
  },
  order: 'date, "paymentId", entry',
  sums: ['amountCents'],
  totals: ({ currency, method, ...days }, place, today) => `
    select currency, coalesce(count, 0) as count, coalesce(opening, 0) as "openingCents", coalesce(cents, 0) as "movementCents",
      coalesce(opening, 0) + coalesce(cents, 0) as "closingCents"
    from (
      select movement.currency, sum(movement.cents) as opening
      from (${MOVEMENTS} and movement.date < ${firstDayOf(days, place, today)}) movement
      ${conditions(equals('movement.currency', currency, place), isOneOf('movement.method', method, place))} group by 1
    ) before full join (
      select currency, count(*)::integer as count, sum("amountCents") as cents from report group by 1
    ) moved using (currency)`,
};

/** Selects the status of an invoice at the end of a day. A void one counts as never issued; credit notes stay issued. */
const statusOn = (day: string) => `
  case when invoice.status = 'void' or invoice.type = 'credit_note' then invoice.status
    when credited.cents = invoice.total_cents and credited.cents > 0 then 'credited'
    when credited.cents + paid.cents = invoice.total_cents then 'paid'
    when paid.cents > 0 then 'partially_paid' else 'issued' end as status
  from (
    select coalesce(sum(note.total_cents), 0) as cents from invoices note
    where note.original_invoice_id = invoice.id and note.number is not null and note.issue_date <= ${day}
  ) credited, ${allocatedTo({ day, known: null }, 'invoice_id', 'invoice.id')} paid`;

export const INVOICE_JOURNAL: Report<JournalQuery> = {
  name: 'invoice-journal',
  columns: {
    id: 'text',
    type: 'text',
    number: 'text',
    issueDate: 'text',
    status: 'text',
    payerName: 'text',
    originalNumber: 'text',
    ...TAX_COLUMNS,
    ...AMOUNT_COLUMNS,
  },
  rows: ({ currency, ...days }, place, today) => {
    const [first, last] = daysOf(days, place, today);
    return `
    select invoice.id, invoice.type, invoice.number, invoice.series_id, invoice.period_key, invoice.sequence,
      invoice.issue_date as "issueDate", state.status, invoice.payer_name as "payerName", original.number as "originalNumber",
      ${TAX}, invoice.currency, ${SIGN} * coalesce(line.net, 0) as "netCents", ${SIGN} * coalesce(line.tax, 0) as "taxCents",
      ${SIGN} * coalesce(line.gross, 0) as "grossCents"
    from invoices invoice left join invoices original on original.id = invoice.original_invoice_id
    cross join lateral (select ${statusOn(last)}) state
    left join lateral (
      select tax_code_id, tax_code, tax_kind, tax_rate_basis_points as rate, sum(net_cents) as net, sum(tax_cents) as tax,
        sum(gross_cents) as gross
      from invoice_tax_lines where invoice_id = invoice.id group by 1, 2, 3, 4
    ) line on invoice.status <> 'void'
    ${conditions(
      `invoice.number is not null and invoice.type in ('invoice', 'credit_note')
       and invoice.issue_date between ${first} and ${last}`,
      equals('invoice.currency', currency, place),
    )}`;
  },
  order: `type desc, series_id, period_key, sequence, ${TAX_ORDER}`,
  sums: ['netCents', 'taxCents', 'grossCents'],
};
