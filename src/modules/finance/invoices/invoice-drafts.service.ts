import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import type { BookingSummary } from '../../bookings/index.js';
import type { CreateInvoice, UpdateInvoice } from './invoice.dto.js';
import { Invoice } from './invoice.entity.js';
import { type Contents, InvoiceContents } from './invoice-contents.service.js';
import { InvoiceLine } from './invoice-line.entity.js';
import { InvoiceRecords } from './invoice-records.service.js';
import { type DetailedInvoiceView as View, toInvoice } from './invoice-response.dto.js';
import { InvoicedBookings } from './invoiced-bookings.service.js';
import type { PricedLine } from './line-amounts.js';

mapConstraint('invoices_live_schedule', () =>
  conflict('schedule_already_invoiced', 'The installment is already on another invoice'),
);

/** Invoices that are still ours to change. Whoever makes or changes one holds its booking. */
@Injectable()
export class InvoiceDrafts {
  constructor(
    private readonly database: Database,
    private readonly bookings: InvoicedBookings,
    private readonly contents: InvoiceContents,
    private readonly records: InvoiceRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 404 with `field`, 409 `booking_closed`, `booking_not_priced`, `schedule_cancelled`,
   * `schedule_already_invoiced`, 422 `totals_mismatch`, `negative_total`, `currency_mismatch`, `invoice_exceeds_booking`.
   */
  async create(input: CreateInvoice, id = newId('inv')): Promise<View> {
    return this.database.transaction(async () => {
      const booking = await this.bookings.hold(input.bookingId);
      assertCurrency(input, booking);
      const { scheduleId = null } = input;
      const contents = await this.contents.of(booking, { ...input, scheduleId });
      if (scheduleId !== null) await this.bookings.assertNotInvoiced(scheduleId);
      await this.bookings.assertRoom(booking, { id, totalCents: contents.totals.totalCents });

      const invoice = newDraft(input, { id, booking, contents, now: this.clock.now() });
      await this.database.insert(invoice);
      await this.insertLines(id, contents.lines);
      const view = { invoice, overdue: false, lines: contents.lines };
      this.records.record('create', invoice, { before: null, after: toInvoice(view) });
      return view;
    });
  }

  /** Throws 404, 409 `invoice_issued`, `invoice_void` and what `create` throws, 412. */
  async update(id: string, body: UpdateInvoice, expected: ExpectedVersions): Promise<View> {
    return this.database.transaction(async () => {
      const booking = await this.bookings.hold(await this.records.bookingIdOf(id));
      const { lines: sent, subtotalCents, taxCents, totalCents, ...changes } = body;
      const view = await this.lockDraft(id, expected);
      const { invoice, lines: present } = view;
      const before = toInvoice(view);
      const stated = { subtotalCents, taxCents, totalCents };
      const { lines, totals } = await this.contents.of(booking, {
        scheduleId: invoice.scheduleId,
        lines: sent ?? present,
        ...stated,
      });
      if (totals.totalCents > invoice.totalCents) {
        await this.bookings.assertRoom(booking, { id, totalCents: totals.totalCents });
      }

      invoice.change(changes, totals, this.clock.now());
      await this.database.update(invoice);
      if (sent) await this.replaceLines(id, lines);
      const after = { ...view, lines: sent ? lines : present };
      this.records.record('update', invoice, { before, after: toInvoice(after) });
      return after;
    });
  }

  /** Throws 404, 409 `invoice_issued`, `invoice_void`, 412. */
  async delete(id: string, expected: ExpectedVersions): Promise<View> {
    return this.database.transaction(async () => {
      const view = await this.lockDraft(id, expected);
      await this.database.repository(InvoiceLine).delete({ invoiceId: id });
      await this.database.repository(Invoice).delete({ id });
      this.records.record('delete', view.invoice, { before: toInvoice(view), after: null });
      return view;
    });
  }

  private async lockDraft(id: string, expected: ExpectedVersions): Promise<View> {
    const view = await this.records.lock(id);
    assertVersion(expected, view.invoice);
    view.invoice.assertDraft();
    return view;
  }

  private async replaceLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    await this.database.repository(InvoiceLine).delete({ invoiceId });
    await this.insertLines(invoiceId, lines);
  }

  private async insertLines(invoiceId: string, lines: readonly PricedLine[]): Promise<void> {
    const rows = lines.map((line, index) => ({ ...line, invoiceId, position: index + 1 }));
    await this.database.repository(InvoiceLine).insert(rows);
  }
}

function assertCurrency({ currency }: CreateInvoice, booking: BookingSummary): void {
  if (currency === undefined || currency === booking.currency) return;
  throw unprocessable('currency_mismatch', 'The invoice currency must be the booking currency', {
    expected: booking.currency,
    actual: currency,
  });
}

function newDraft(
  input: CreateInvoice,
  { id, booking, contents, now }: { id: string; booking: BookingSummary; contents: Contents; now: Date },
): Invoice {
  return make(Invoice, {
    id,
    type: 'invoice',
    bookingId: booking.id,
    scheduleId: input.scheduleId ?? null,
    status: 'draft',
    number: null,
    seriesId: null,
    periodKey: null,
    sequence: null,
    issueDate: null,
    dueDate: input.dueDate === undefined ? contents.dueDate : input.dueDate,
    payerName: input.payerName ?? booking.customerName,
    payerAddress: input.payerAddress ?? null,
    payerTaxId: input.payerTaxId ?? null,
    sellerName: null,
    sellerAddress: null,
    sellerTaxId: null,
    currency: booking.currency,
    ...contents.totals,
    paidCents: 0,
    issuedAt: null,
    voidedAt: null,
    voidReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
