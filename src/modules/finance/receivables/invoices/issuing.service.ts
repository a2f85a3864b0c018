import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { unprocessable } from '../../../../platform/errors/app-error.js';
import {
  assertPostedOn,
  type BaseAmounts,
  ExchangeRatesService,
  FinanceSettingsService,
  NOT_CONVERTED,
  NumberSeriesService,
  PeriodsService,
} from '../../books/index.js';
import type { Invoice, PricedLine } from '../account/invoice.entity.js';
import { dayNumber, dayOf } from '../account/day-numbers.js';
import { convertedHead, convertedLines, type CreditedLine, creditedShares, ownAmounts } from './base-lines.js';
import { IssuerCopiesRepository } from './issuer-copies.repository.js';
import { InvoicesRepository } from './invoices.repository.js';

/** Options for the issue of a draft. */
export interface IssueTerms {
  issueDate: string;
  /** The member of the request that can state the issue date; omitted if there is none. */
  dayField?: 'issueDate';
  seriesId: string | null;
  /** Null for a credit note. */
  dueDate: string | null;
  /** Money already received for an invoice; at most its total. */
  paidCents: number;
  /** Effects of a credit note on the money of its invoice. */
  openReducedCents?: number;
  releasedCents?: number;
  /** The invoice that a credit note credits. */
  credited?: CreditedInvoice;
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
    private readonly settings: FinanceSettingsService,
    private readonly periods: PeriodsService,
    private readonly numbers: NumberSeriesService,
    private readonly repository: InvoicesRepository,
    private readonly issuers: IssuerCopiesRepository,
    private readonly rates: ExchangeRatesService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns the requested issue date, or today. `notBefore` is the issue date of the document to which the new one refers. */
  async issueDate(requested: string | undefined, notBefore: string | null = null): Promise<string> {
    const today = this.clock.today();
    const issueDate = requested ?? today;
    const [{ issueDateBackDays }, postingDay] = await this.database.together(() =>
      Promise.all([this.settings.get(), this.periods.postingDateOf(issueDate)]),
    );
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
    return issueDate;
  }

  /** Returns whether documents of this day can still change; the month stays open until the transaction ends. */
  async isOpen(day: string): Promise<boolean> {
    return (await this.periods.postingDateOf(day)) === day;
  }

  /**
   * Assigns the next number to a locked draft and stores it with the amounts in the base currency, in one statement. Returns
   * its lines. Must be called last, because no other document of the series can be issued until the end of the transaction.
   */
  async issue(
    draft: Invoice,
    lines: readonly PricedLine[],
    { seriesId, credited, dayField, ...terms }: IssueTerms,
  ): Promise<readonly PricedLine[]> {
    const { issueDate } = terms;
    const inBase = await this.inBaseCurrency(draft, lines, { issueDate, dayField, credited });
    const [source, seller] = await this.database.together(() =>
      Promise.all([this.numbers.lockForIssue(draft.type, seriesId, issueDate), this.issuers.store(draft)]),
    );
    const issuedAt = this.clock.now();
    const issue = { ...terms, seller, base: inBase.head };
    const assigned = await this.repository.assignNumber(draft, { ...issue, source, issuedAt });
    if (!assigned) throw await this.numbers.outOfSequence(source);
    draft.issued({ ...issue, ...assigned, seriesId: source.seriesId, periodKey: source.periodKey }, issuedAt);
    return inBase.lines;
  }

  /**
   * A credit note takes the rate of its invoice, because it lowers a tax that was computed with that rate. If the invoice has
   * none, because it was issued before rates were kept, the credit note has no base amounts either.
   */
  private async inBaseCurrency(
    draft: Invoice,
    lines: readonly PricedLine[],
    { issueDate, dayField: field, credited }: Pick<IssueTerms, 'issueDate' | 'dayField' | 'credited'>,
  ): Promise<{ lines: readonly PricedLine[]; head: BaseAmounts }> {
    const { baseCurrency, rate: rateOfDay } = credited
      ? await this.rates.conversionOf(draft.currency, issueDate)
      : await this.rates.requireConversion(draft.currency, { day: issueDate, field });
    if (draft.currency === baseCurrency) return { lines, head: ownAmounts(draft, baseCurrency) };
    const rate = credited ? credited.invoice.exchangeRate : rateOfDay;
    if (rate === null) return { lines, head: NOT_CONVERTED };
    const converted = credited
      ? creditedShares(lines, { invoiced: credited.lines, credited: credited.credited })
      : convertedLines(lines, { rate, baseCurrency });
    await this.repository.replaceLines(draft.id, converted);
    return { lines: converted, head: convertedHead(converted, { rate, baseCurrency }) };
  }
}
