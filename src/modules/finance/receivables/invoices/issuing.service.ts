import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { unprocessable } from '../../../../platform/errors/app-error.js';
import { type IssuerCopy, OrganizationService } from '../../../organization/index.js';
import {
  assertPostedOn,
  type BaseAmounts,
  ExchangeRatesService,
  type NumberSeries,
  NOT_CONVERTED,
  NumberSeriesService,
  numberSourceOf,
  PeriodsService,
  type PostingTerms,
  rateMissing,
} from '../../books/index.js';
import { type BillingDocument, type Numbering, type PricedLine, sellerOf } from '../account/billing-document.entity.js';
import type { CreditNote, CreditNoteIssue, CreditNoteStatus } from '../account/credit-note.entity.js';
import type { Invoice, InvoiceIssue } from '../account/invoice.entity.js';
import { dayNumber, dayOf } from '../account/day-numbers.js';
import { convertedHead, convertedLines, type CreditedLine, creditedShares, ownAmounts } from './base-lines.js';
import { InvoicesRepository } from './invoices.repository.js';

/** What the issue of a document of a day depends on, besides the document itself. */
export interface IssueBasis {
  /** The requested issue date, or today. */
  issueDate: string;
  seriesId: string | null;
  series: readonly NumberSeries[];
  posting: PostingTerms;
  issuer: IssuerCopy;
}

/** An invoice with its lines, and the lines of its issued credit notes. */
export interface CreditedInvoice {
  invoice: Invoice;
  lines: readonly PricedLine[];
  credited: readonly CreditedLine[];
}

/** Issues invoices and credit notes: dates within the limits of the settings, numbers without gaps. */
@Injectable()
export class IssuingService {
  constructor(
    private readonly periods: PeriodsService,
    private readonly numbers: NumberSeriesService,
    private readonly repository: InvoicesRepository,
    private readonly organization: OrganizationService,
    private readonly rates: ExchangeRatesService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads and locks the basis of an issue in one round trip, and checks the issue date. `notBefore` is the issue date of the
   * document to which the new one refers.
   */
  async basisOf(
    { type, currency }: Pick<BillingDocument, 'type' | 'currency'>,
    {
      issueDate: requested,
      seriesId = null,
      notBefore = null,
    }: { issueDate?: string; seriesId?: string | null; notBefore?: string | null } = {},
  ): Promise<IssueBasis> {
    const today = this.clock.today();
    const issueDate = requested ?? today;
    const [posting, series, issuer] = await this.database.together(() =>
      Promise.all([
        this.rates.postingTerms(currency, issueDate),
        this.numbers.lockForIssue(type, seriesId),
        this.organization.issuerCopy(currency),
      ]),
    );
    const { issueDateBackDays, postingDay } = posting;
    const first = dayOf(dayNumber(today) - issueDateBackDays);
    // Earlier builds accepted issue dates in the future.
    const earliest = notBefore !== null && notBefore > first && notBefore <= today ? notBefore : first;
    if (issueDate < earliest || issueDate > today) {
      throw unprocessable('issue_date_out_of_bounds', 'The issue date is outside of the allowed days', {
        field: 'issueDate',
        earliest,
        latest: today,
      });
    }
    assertPostedOn(issueDate, postingDay);
    return { issueDate, seriesId, series, posting, issuer };
  }

  /** Returns whether documents of this day can still change; the month stays open until the transaction ends. */
  async isOpen(day: string): Promise<boolean> {
    return (await this.periods.postingDateOf(day)) === day;
  }

  /**
   * Assigns the next number to a locked draft and stores it with the amounts in the base currency, in one statement. Returns
   * its lines. Must be called last, because no other document of the series can be issued until the end of the transaction.
   * `dayField` is the member of the request that can state the issue date.
   */
  async issueInvoice(
    draft: Invoice,
    lines: readonly PricedLine[],
    basis: IssueBasis,
    { dayField, ...issue }: InvoiceIssue & { dayField?: 'issueDate' },
  ): Promise<readonly PricedLine[]> {
    const inBase = await this.inBaseCurrency(draft, lines, basis, { dayField });
    const status = draft.statusFor(issue.paidCents);
    const { issuedAt, ...numbering } = await this.assignNumber(draft, basis, { ...issue, status, base: inBase.head });
    draft.issued({ ...numbering, ...issue }, issuedAt);
    return inBase.lines;
  }

  /** Like `issueInvoice`. */
  async issueCreditNote(
    draft: CreditNote,
    lines: readonly PricedLine[],
    basis: IssueBasis,
    { credited, ...issue }: CreditNoteIssue & { credited: CreditedInvoice },
  ): Promise<readonly PricedLine[]> {
    const inBase = await this.inBaseCurrency(draft, lines, basis, { credited });
    const status: CreditNoteStatus = 'issued';
    const { issuedAt, ...numbering } = await this.assignNumber(draft, basis, { ...issue, status, base: inBase.head });
    draft.issued({ ...numbering, ...issue }, issuedAt);
    return inBase.lines;
  }

  private async assignNumber(
    draft: BillingDocument,
    { issueDate, seriesId: requestedId, series, issuer }: IssueBasis,
    issue: Partial<InvoiceIssue & CreditNoteIssue> & { status: string; base: BaseAmounts },
  ): Promise<Numbering & { issuedAt: Date }> {
    const source = numberSourceOf(series, { documentType: draft.type, seriesId: requestedId, issueDate });
    const issuedAt = this.clock.now();
    const assigned = await this.repository.assignNumber(draft, { ...issue, source, issuer, issuedAt });
    if (!assigned) throw await this.numbers.outOfSequence(source);
    const { seriesId, periodKey } = source;
    return { ...assigned, seriesId, periodKey, issueDate, seller: sellerOf(issuer), base: issue.base, issuedAt };
  }

  /**
   * A credit note takes the rate of its invoice, because it lowers a tax that was computed with that rate. If the invoice has
   * none, because it was issued before rates were kept, the credit note has no base amounts either.
   */
  private async inBaseCurrency(
    draft: BillingDocument,
    lines: readonly PricedLine[],
    { issueDate, posting: { baseCurrency, rate: rateOfDay } }: IssueBasis,
    { dayField: field, credited }: { dayField?: 'issueDate' | undefined; credited?: CreditedInvoice },
  ): Promise<{ lines: readonly PricedLine[]; head: BaseAmounts }> {
    const { currency } = draft;
    if (currency === baseCurrency) return { lines, head: ownAmounts(draft, baseCurrency) };
    const rate = credited ? credited.invoice.exchangeRate : rateOfDay;
    if (rate === null && !credited) throw rateMissing({ field, from: currency, to: baseCurrency, day: issueDate });
    if (rate === null) return { lines, head: NOT_CONVERTED };
    const converted = credited
      ? creditedShares(lines, { invoiced: credited.lines, credited: credited.credited })
      : convertedLines(lines, { rate, baseCurrency });
    await this.repository.replaceLines(draft.id, converted);
    return { lines: converted, head: convertedHead(converted, { rate, baseCurrency }) };
  }
}
