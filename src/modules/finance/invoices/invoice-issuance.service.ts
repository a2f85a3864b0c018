import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { NEXT_NUMBER, nextNumberValues } from '../number-series/next-number.sql.js';
import type { IssueInvoice } from './invoice.dto.js';
import type { Invoice } from './invoice.entity.js';
import { InvoiceMoney } from './invoice-money.js';
import { InvoiceRecords } from './invoice-records.service.js';
import { type DetailedInvoiceView as View, toInvoice } from './invoice-response.dto.js';
import { InvoicedBookings } from './invoiced-bookings.service.js';
import { IssueTerms, type Terms } from './issue-terms.service.js';

mapConstraint('invoices_type_number', ({ detail }) =>
  conflict('invoice_number_conflict', 'Another series has already assigned this number; increase nextNumber', {
    number: takenNumber(detail ?? ''),
  }),
);
mapConstraint('invoices_number_length', () =>
  conflict('series_exhausted', 'The next number would be too long; create a new series'),
);

/** From PostgreSQL's detail: `Key (type, number)=(invoice, INV-1) already exists.` */
function takenNumber(detail: string): string | null {
  const start = detail.indexOf(', ', detail.indexOf(')=('));
  const end = detail.lastIndexOf(') already exists');
  return start === -1 || end < start ? null : detail.slice(start + 2, end);
}

/** Takes the number and stores it in one statement: the last before the ledger, so that its wait is the shortest. */
const ISSUE = `with ${NEXT_NUMBER}
  update invoices set number = next_number.number, series_id = $1, period_key = $2, sequence = next_number.sequence,
    issue_date = $3::date, status = $9, due_date = $10::date, seller_name = $11, seller_address = $12,
    seller_tax_id = $13, issued_at = $14, paid_cents = $15, updated_at = $14, version = version + 1
  from next_number where invoices.id = $7 and invoices.version = $8
  returning next_number.number, next_number.sequence`;

/** Gives invoices their numbers. */
@Injectable()
export class InvoiceIssuance {
  constructor(
    private readonly database: Database,
    private readonly bookings: InvoicedBookings,
    private readonly terms: IssueTerms,
    private readonly records: InvoiceRecords,
    private readonly money: InvoiceMoney,
  ) {}

  /**
   * Throws 404, 409 `booking_closed`, `invalid_transition`, `issue_date_out_of_sequence`, `invoice_number_conflict` and
   * what the choice of a series refuses, 412.
   */
  async issue(id: string, wanted: IssueInvoice, expected: ExpectedVersions): Promise<View> {
    return this.database.transaction(async () => {
      await this.bookings.hold(await this.records.bookingIdOf(id));
      const view = await this.records.lock(id);
      const { invoice } = view;
      assertVersion(expected, invoice);
      invoice.assertIssuable();
      const before = toInvoice(view);
      const terms = await this.terms.of(invoice, wanted);

      const { bookingId, scheduleId, totalCents } = invoice;
      const { issueDate } = terms.source;
      const paidCents = await this.money.settleAtIssue({ id, bookingId, scheduleId, totalCents, issueDate });
      await this.number(invoice, terms, paidCents);
      await this.records.remind(invoice);
      const after = { ...view, overdue: isOverdue(invoice, terms.today) };
      this.records.record('issue', invoice, { before, after: toInvoice(after) });
      if (paidCents > 0 && invoice.status === 'paid') this.records.settled(invoice);
      return after;
    });
  }

  private async number(invoice: Invoice, terms: Terms, paidCents: number): Promise<void> {
    const { source, dueDate, seller, at } = terms;
    const [taken] = await this.database.prepared<{ number: string; sequence: string }>('invoice-issue', ISSUE, [
      ...nextNumberValues(source),
      invoice.id,
      invoice.version,
      invoice.statusWhenIssued(paidCents),
      dueDate,
      seller.name,
      seller.address,
      seller.taxId,
      at,
      paidCents,
    ]);
    if (!taken) throw await this.terms.appErrorOf(terms);
    const { seriesId, periodKey, issueDate } = source;
    const { number, sequence } = taken;
    invoice.issued(
      { seriesId, periodKey, sequence: Number(sequence), number, issueDate, dueDate, seller, paidCents },
      at,
    );
  }
}

function isOverdue({ status, dueDate }: Invoice, today: string): boolean {
  return (status === 'issued' || status === 'partially_paid') && dueDate !== null && dueDate < today;
}
