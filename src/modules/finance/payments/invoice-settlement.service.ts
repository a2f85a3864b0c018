import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Invoice } from '../invoices/invoice.entity.js';
import { MoneyReminders } from '../reminders/money-reminders.service.js';
import type { Share } from './debt.js';

/** What payments do to invoices that are held; the payment's own ledger entry says why one became paid. */
@Injectable()
export class InvoiceSettlement {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly reminders: MoneyReminders,
    private readonly clock: Clock,
  ) {}

  /** The invoices of a booking that is held, drafts and void ones included, held until the transaction ends. */
  async lock(bookingId: string): Promise<Invoice[]> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database
      .repository(Invoice)
      .find({ where: { bookingId, type: 'invoice' }, order: { id: 'ASC' }, lock });
  }

  /** Counts shares as paid (1), or takes them off again (-1), in one statement for all invoices. */
  async move(invoices: readonly Invoice[], shares: readonly Share[], sign: 1 | -1): Promise<void> {
    const moved = invoices.flatMap((invoice) => {
      const cents = sumFor(invoice, shares);
      return cents === 0 ? [] : [{ invoice, cents: sign * cents }];
    });
    if (moved.length === 0) return;
    for (const { invoice, cents } of moved) count(invoice, cents);
    await this.save(moved.map(({ invoice }) => invoice));
    for (const { invoice, cents } of moved) if (invoice.status === 'paid' && cents > 0) this.announce(invoice);
    const bookingIds = new Set(moved.map(({ invoice }) => invoice.bookingId));
    for (const bookingId of bookingIds) await this.reminders.invoicesChanged(bookingId);
  }

  private async save(invoices: readonly Invoice[]): Promise<void> {
    const now = this.clock.now();
    const column = <T>(pick: (invoice: Invoice) => T): T[] => invoices.map(pick);
    await this.database.query(
      `update invoices invoice
       set paid_cents = paid.cents, status = paid.status, version = version + 1, updated_at = $4
       from unnest($1::text[], $2::bigint[], $3::text[]) as paid (id, cents, status) where invoice.id = paid.id`,
      [column(({ id }) => id), column(({ paidCents }) => paidCents), column(({ status }) => status), now],
    );
    for (const invoice of invoices) Object.assign(invoice, { version: invoice.version + 1, updatedAt: now });
  }

  private announce({ id, bookingId, scheduleId, status, number, currency, totalCents, version }: Invoice): void {
    this.outbox.add({
      channel: 'finance.invoices',
      event: 'invoice.settled',
      data: { invoiceId: id, bookingId, scheduleId, status, number, currency, totalCents, version },
    });
  }
}

function sumFor({ id }: Invoice, shares: readonly Share[]): number {
  return shares.reduce((sum, { invoiceId, amountCents }) => (invoiceId === id ? sum + amountCents : sum), 0);
}

function count(invoice: Invoice, cents: number): void {
  invoice.paidCents += cents;
  if (invoice.paidCents === invoice.totalCents) invoice.status = 'paid';
  else invoice.status = invoice.paidCents === 0 ? 'issued' : 'partially_paid';
}
