import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type AppError, conflict } from '../../../../platform/errors/app-error.js';
import { rateExcesses } from './rests-by-rate.js';
import { GIVEN, type RatedGroup, sumByGroup, type TaxedItem, type TaxGroup } from './tax-groups.js';

/** Documents that count: issued and not void; drafts and proformas never do. */
export const BILLED = `(document.number is not null and document.status <> 'void' and document.type in ('invoice', 'credit_note'))`;

/** The documents that counted at the end of the day $3. */
const BILLED_BY = `(document.number is not null and document.type in ('invoice', 'credit_note')
  and document.issue_date <= $3::date and (document.voided_on is null or document.voided_on > $3::date))`;

/** The amount of an item that documents bill in a tax group. */
interface BilledItem {
  /** The key of the tax group. */
  key: string;
  rateBasisPoints: number | null;
  itemId: string;
  grossCents: number;
  taxCents: number;
}

/** A rate at which the documents of a booking bill more than is owed, although its tax group is not billed in excess. */
export interface RateExcess {
  bookingId: string;
  excess: RatedGroup;
}

interface CountedDocuments {
  draftNotesExcept?: string | null;
  day?: string | null;
}

/**
 * Selects the sources of `rateExcesses` for the bookings that may have one: documents bill more at a rate than the active items
 * cost at it, or more at other rates than the parts of items at earlier rates. Waived amounts and lines without a rate are not
 * split here, so bookings with several rates and one of these are always selected. $1 is a booking, or null for all.
 */
const RATE_SUSPECTS = `
  with billed as materialized (
    select document.booking_id, coalesce(line.tax_code_id, '${GIVEN}') as key, line.tax_code as code,
      line.tax_rate_basis_points as rate,
      sum(case document.type when 'invoice' then line.total_cents else -line.total_cents end) as gross,
      sum(case document.type when 'invoice' then line.tax_cents else -line.tax_cents end) as tax
    from invoices document join invoice_lines line on line.invoice_id = document.id
    where ${BILLED} and document.purpose is null and ($1::text is null or document.booking_id = $1)
    group by 1, 2, 3, 4
  ),
  waived as (
    select plan.booking_id, sum(installment.amount_cents) as cents
    from payment_schedules installment join payment_plans plan on plan.id = installment.plan_id and plan.is_current
    where installment.waived and ($1::text is null or plan.booking_id = $1) group by 1
  ),
  sold as (
    select booking_id, key, rate, sum(total - earlier) as own, sum(earlier) as earlier from (
      select item.booking_id, item.tax_code_id as key, item.tax_rate_basis_points as rate, item.total_sell_cents as total,
        case when abs(item.total_sell_cents) < abs(item.earlier_rate_cents) then item.total_sell_cents
          else item.earlier_rate_cents end as earlier
      from booking_items item join (select distinct booking_id, key from billed) billed_group
        on billed_group.booking_id = item.booking_id and billed_group.key = item.tax_code_id
      where item.status <> 'cancelled' and item.tax_kind <> 'margin_scheme'
    ) part group by 1, 2, 3
  ),
  suspect as (
    select distinct booking_id from (
      select booking_id, key, coalesce(bool_or(billed.gross > sold.own), false) as exceeds_own,
        coalesce(sum(billed.gross) filter (where sold.rate is null), 0) as at_others, coalesce(sum(sold.earlier), 0) as earlier,
        count(*) > 1 and (bool_or(billed.gross is not null and rate is null) or booking_id in (select booking_id from waived)) as is_unclear
      from billed full join sold using (booking_id, key, rate) where key <> '${GIVEN}' group by 1, 2
    ) rated where exceeds_own or at_others > earlier or is_unclear
  )
  select suspect.booking_id as "bookingId",
    coalesce((select cents from waived where waived.booking_id = suspect.booking_id), 0)::float8 as "waivedCents",
    coalesce((
      select json_agg(json_build_object('taxCodeId', item.tax_code_id, 'taxCode', item.tax_code, 'taxKind', item.tax_kind,
        'taxRateBasisPoints', item.tax_rate_basis_points, 'totalSellCents', item.total_sell_cents,
        'taxIncludedCents', item.tax_included_cents, 'earlierRateCents', item.earlier_rate_cents,
        'earlierRateTaxCents', item.earlier_rate_tax_cents) order by item.id)
      from booking_items item where item.booking_id = suspect.booking_id and item.status <> 'cancelled'
    ), '[]') as items,
    (
      select json_agg(json_build_object('key', key, 'taxCode', code, 'rateBasisPoints', rate, 'grossCents', gross,
        'taxCents', tax))
      from billed where billed.booking_id = suspect.booking_id
    ) as billed
  from suspect order by 1`;

/** Reads the amounts billed for bookings in each tax group. */
@Injectable()
export class BilledTaxesService {
  constructor(private readonly database: Database) {}

  /**
   * Returns invoices less credit notes, sorted by tax code. Fees of cancelled bookings do not count, because they bill no item.
   * With `draftNotesExcept`, other draft credit notes are also subtracted; with a day, only documents that counted at its end
   * count.
   */
  async byGroup(bookingId: string, options: CountedDocuments = {}): Promise<TaxGroup[]> {
    return sumByGroup((await this.byRate(bookingId, options)).map(({ rateBasisPoints: _, ...group }) => group));
  }

  /** Returns `byGroup` separately for each rate. */
  async byRate(
    bookingId: string,
    { draftNotesExcept = null, day = null }: CountedDocuments = {},
  ): Promise<RatedGroup[]> {
    const rows = await this.database.prepared<
      Omit<RatedGroup, 'grossCents' | 'taxCents'> & Record<'gross' | 'tax', string>
    >(
      'billed-tax-rates',
      `select coalesce(line.tax_code_id, '${GIVEN}') as key, line.tax_code as "taxCode",
         line.tax_rate_basis_points as "rateBasisPoints",
         sum(case document.type when 'invoice' then line.total_cents else -line.total_cents end) as gross,
         sum(case document.type when 'invoice' then line.tax_cents else -line.tax_cents end) as tax
       from invoices document join invoice_lines line on line.invoice_id = document.id
       where document.booking_id = $1 and document.purpose is null
         and (case when $3::date is null then ${BILLED} else ${BILLED_BY} end
           or (document.number is null and document.type = 'credit_note' and document.id <> $2))
       group by line.tax_code_id, line.tax_code, line.tax_rate_basis_points`,
      [bookingId, draftNotesExcept, day],
    );
    return rows.map(({ gross, tax, ...row }) => ({ ...row, grossCents: Number(gross), taxCents: Number(tax) }));
  }

  /** Returns invoices less credit notes for each item that their lines name in a tax group, separately for each rate. */
  async byItem(bookingId: string): Promise<BilledItem[]> {
    const rows = await this.database.prepared<
      Omit<BilledItem, 'grossCents' | 'taxCents'> & Record<'gross' | 'tax', string>
    >(
      'billed-items',
      `select coalesce(line.tax_code_id, '${GIVEN}') as key, line.booking_item_id as "itemId",
         line.tax_rate_basis_points as "rateBasisPoints",
         sum(case document.type when 'invoice' then line.total_cents else -line.total_cents end) as gross,
         sum(case document.type when 'invoice' then line.tax_cents else -line.tax_cents end) as tax
       from invoices document join invoice_lines line on line.invoice_id = document.id
       where document.booking_id = $1 and document.purpose is null and ${BILLED} and line.booking_item_id is not null
       group by line.tax_code_id, line.booking_item_id, line.tax_rate_basis_points`,
      [bookingId],
    );
    return rows.map(({ gross, tax, ...row }) => ({ ...row, grossCents: Number(gross), taxCents: Number(tax) }));
  }

  /**
   * Returns the gross amount of fees for cancelled items, which are outside the scope of the tax: invoices less credit notes.
   */
  async feesOf(bookingId: string): Promise<number> {
    const [row] = await this.database.prepared<{ gross: string }>(
      'billed-fees',
      `select coalesce(sum(case document.type when 'invoice' then line.total_cents else -line.total_cents end), 0) as gross
       from invoices document
       join invoice_lines line on line.invoice_id = document.id
       left join booking_items item on item.id = line.booking_item_id
       where document.booking_id = $1 and document.purpose is null and ${BILLED} and line.tax_code_id is null
         and (line.tax_kind = 'outside_scope' or item.fee_of_item_id is not null)`,
      [bookingId],
    );
    return Number(row?.gross ?? 0);
  }

  /** Returns the rates with excess billing of a booking, or of all bookings with null. */
  async rateExcesses(bookingId: string | null): Promise<RateExcess[]> {
    const suspects = await this.database.prepared<{
      bookingId: string;
      waivedCents: number;
      items: TaxedItem[];
      billed: RatedGroup[];
    }>('rate-suspects', RATE_SUSPECTS, [bookingId]);
    return suspects.flatMap(({ bookingId: id, items, waivedCents, billed }) =>
      rateExcesses(items, waivedCents, billed).map((excess) => ({ bookingId: id, excess })),
    );
  }

  /**
   * Makes the error that documents of these groups must be credited first. `rests` are from `wronglyBilled`, or from
   * `wronglyBilledRates` if they have a rate.
   */
  async creditDue(bookingId: string, rests: readonly (TaxGroup & Partial<RatedGroup>)[]): Promise<AppError> {
    const invoices = await this.database.query<{ id: string }>(
      `select document.id from invoices document
       where document.booking_id = $1 and document.type = 'invoice' and document.purpose is null and ${BILLED}
         and document.credited_cents < document.total_cents and exists (
           select from invoice_lines line
           join unnest($2::text[], $3::integer[]) as wrong (key, rate) on wrong.key = coalesce(line.tax_code_id, '${GIVEN}')
             and (wrong.rate is null or line.tax_rate_basis_points = wrong.rate)
           where line.invoice_id = document.id)
       order by document.issue_date desc, document.sequence desc`,
      [bookingId, rests.map(({ key }) => key), rests.map(({ rateBasisPoints = null }) => rateBasisPoints)],
    );
    return conflict('credit_due', 'Documents of the booking must be credited before more is invoiced', {
      groups: rests.map(({ key, taxCode, rateBasisPoints: taxRateBasisPoints = null, grossCents, taxCents }) => ({
        taxCodeId: key === GIVEN ? null : key,
        taxCode: taxCode ?? GIVEN,
        taxRateBasisPoints,
        grossCents,
        taxCents,
      })),
      invoiceIds: invoices.map(({ id }) => id),
    });
  }
}
