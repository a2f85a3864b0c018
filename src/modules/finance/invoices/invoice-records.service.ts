import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { MoneyReminders } from '../reminders/money-reminders.service.js';
import type { Invoice } from './invoice.entity.js';
import { InvoiceReader } from './invoice-reader.service.js';
import type { DetailedInvoiceView, InvoiceResponse } from './invoice-response.dto.js';

const EVENTS = { create: 'created', update: 'updated', delete: 'deleted', issue: 'issued', void: 'voided' } as const;

interface Happening {
  before: InvoiceResponse | null;
  after: InvoiceResponse | null;
  reason?: string | null;
}

/** What whoever changes an invoice needs of it: the row, held, and a place to tell what happened. */
@Injectable()
export class InvoiceRecords {
  constructor(
    private readonly reader: InvoiceReader,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly reminders: MoneyReminders,
  ) {}

  /** Known before the invoice is held, because the booking is held first. Throws 404. */
  bookingIdOf(id: string): Promise<string> {
    return this.reader.bookingIdOf(id);
  }

  /** Holds the invoice until the end of the running transaction. Throws 404. */
  lock(id: string): Promise<DetailedInvoiceView> {
    return this.reader.lock(id);
  }

  /** Lets reminders follow the invoice, in the running transaction. */
  async remind({ bookingId }: Invoice): Promise<void> {
    await this.reminders.invoicesChanged(bookingId);
  }

  /** Tells subscribers that the invoice was paid when it went out; its issue is told in the ledger. */
  settled(invoice: Invoice): void {
    this.announce('settled', invoice);
  }

  /** Tells the ledger and subscribers, with the running transaction. */
  record(verb: keyof typeof EVENTS, invoice: Invoice, happening: Happening): void {
    this.ledger.record(`finance.invoice.${verb}`, { subjectType: 'invoice', subjectId: invoice.id, ...happening });
    this.announce(EVENTS[verb], invoice);
  }

  private announce(happened: string, invoice: Invoice): void {
    const { id, bookingId, scheduleId, status, number, currency, totalCents, version } = invoice;
    this.outbox.add({
      channel: 'finance.invoices',
      event: `invoice.${happened}`,
      data: { invoiceId: id, bookingId, scheduleId, status, number, currency, totalCents, version },
    });
  }
}
