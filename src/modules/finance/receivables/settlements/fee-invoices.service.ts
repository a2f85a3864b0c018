import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { make } from '../../../../platform/database/rows.js';
import { newId } from '../../../../platform/ids/id.js';
import { type BookingItemSummary, BookingsService, type BookingSummary } from '../../../bookings/index.js';
import { RemindersService } from '../../../notifications/index.js';
import { TaxCodesService, type TaxMention } from '../../../taxes/index.js';
import { AccountAuditService } from '../account/account-audit.service.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import { Invoice } from '../account/invoice.entity.js';
import type { PaymentSchedule } from '../account/payment-schedule.entity.js';
import { InvoicesRepository } from '../invoices/invoices.repository.js';
import { IssuingService } from '../invoices/issuing.service.js';
import { FEE_DESCRIPTION, type LineInput, priceLines, totalsOf } from '../invoices/line-amounts.js';
import { INVOICE_TRIGGERS } from '../reminders/reminder-triggers.js';
import { feeByGroup, FinanceSettingsService, keyOf } from '../../books/index.js';

/** Issues invoices for cancellation fees. */
@Injectable()
export class FeeInvoicesService {
  constructor(
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly repository: InvoicesRepository,
    private readonly issuing: IssuingService,
    private readonly settings: FinanceSettingsService,
    private readonly taxCodes: TaxCodesService,
    private readonly reminders: RemindersService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {}

  /** Issues an invoice for the installment of a fee today. The account must be locked. */
  async issue(booking: BookingSummary, { id: scheduleId, amountCents, dueDate }: PaymentSchedule): Promise<Invoice> {
    const drawn = await this.linesOf(booking.id, amountCents);
    const now = this.clock.now();
    const invoice = draftOf(booking, drawn, { id: newId('inv'), scheduleId, dueDate, now });
    await this.repository.insert(invoice, drawn);
    const basis = await this.issuing.basisOf(invoice);
    const { issueDate } = basis;
    const account = await this.accounts.lockOf(booking);
    const paidCents = await this.accounts.applyEarlyMoneyToNewInvoice(account, invoice, issueDate);
    const lines = await this.issuing.issueInvoice(invoice, drawn, basis, { dueDate, paidCents });
    await this.reminders.reschedule(booking.id, INVOICE_TRIGGERS);
    this.audit.invoiceChanged('issue', invoice, { before: null, after: invoice.auditImage(lines, issueDate) });
    if (invoice.status === 'paid') this.audit.publishInvoice('settled', invoice);
    return invoice;
  }

  private async linesOf(bookingId: string, feeCents: number): Promise<PricedLine[]> {
    const { cancellationFeeTax } = await this.settings.get();
    const items = cancellationFeeTax === 'as_supply' ? await this.bookings.itemsCancelledWith(bookingId) : [];
    if (items.length === 0) return priceLines(compensation(feeCents));
    const taxCodeIds = [...new Set(items.flatMap(({ taxCodeId }) => taxCodeId ?? []))];
    return priceLines(supply(feeCents, items, await this.taxCodes.mentionsOf(taxCodeIds)));
  }
}

/** Makes the line of a fee that is a compensation, outside the scope of the tax. */
function compensation(feeCents: number): LineInput[] {
  const line = { description: FEE_DESCRIPTION, priceBasis: 'allocated', unitPriceCents: feeCents } as const;
  return [{ ...line, taxKind: 'outside_scope', taxCents: 0 }];
}

/** Makes the lines of a fee that is the price of a supply, split among the tax groups and rates of the cancelled items. */
function supply(
  feeCents: number,
  items: readonly BookingItemSummary[],
  mentions: ReadonlyMap<string, TaxMention>,
): LineInput[] {
  return feeByGroup(items, feeCents).map(({ key, rateBasisPoints: taxRateBasisPoints, grossCents, taxCents }) => {
    const own = items.filter((item) => keyOf(item) === key);
    const [{ taxCodeId, taxCode, taxKind } = { taxCodeId: null, taxCode: null, taxKind: null }] = own;
    return {
      description: FEE_DESCRIPTION,
      priceBasis: 'allocated',
      unitPriceCents: grossCents,
      taxCents,
      taxCodeId,
      taxCode,
      taxKind,
      taxRateBasisPoints,
      mention: taxCodeId === null ? null : (mentions.get(taxCodeId)?.mention ?? null),
    };
  });
}

function draftOf(
  booking: BookingSummary,
  lines: readonly PricedLine[],
  { id, scheduleId, dueDate, now }: { id: string; scheduleId: string; dueDate: string; now: Date },
): Invoice {
  return make(Invoice, {
    id,
    type: 'invoice',
    bookingId: booking.id,
    scheduleId,
    status: 'draft',
    dueDate,
    payerName: booking.customerName,
    currency: booking.currency,
    ...totalsOf(lines, {}),
    paidCents: 0,
    creditedCents: 0,
    purpose: 'cancellation_fee',
    linesSource: 'manual',
    payerSource: 'customer',
    createdAt: now,
  });
}
