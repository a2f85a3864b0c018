import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type AppError, conflict } from '../../../../platform/errors/app-error.js';
import { GIVEN, type RatedGroup, sumByGroup, type TaxGroup } from './tax-groups.js';

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

interface CountedDocuments {
  draftNotesExcept?: string | null;
  day?: string | null;
}

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
