import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { Invoice } from '../invoices/invoice.entity.js';
import type { PaymentSchedule } from '../payment-plans/payment-schedule.entity.js';
import { type Debt, overAllocated, type Share, type Wish } from './debt.js';
import { type BookingShare, type OpenInvoice, Outstanding } from './outstanding.js';

interface Held {
  installments: readonly PaymentSchedule[];
  invoices: readonly Invoice[];
}

/** Writes down what became paid (1), or is no longer (-1). */
type Move = (shares: readonly Share[], sign: 1 | -1) => Promise<void>;

/** What a customer owes for a booking that is held. */
export class BookingDebt implements Debt {
  private readonly outstanding: Outstanding;

  constructor(
    private readonly held: Held,
    readonly currency: string,
    private readonly move: Move,
  ) {
    this.outstanding = outstandingOf(held);
  }

  automatic(cents: number): Share[] {
    return this.outstanding.spread(cents).map(toShare);
  }

  /** Throws 400 for another installment's invoice, 404 with details {field} for what is of another booking, 409 `schedule_cancelled`, `invoice_not_open`. */
  wished(wishes: readonly Wish[], availableCents: number): Share[] {
    let available = availableCents;
    return wishes.flatMap((wish, index) => {
      this.assertPayable(wish, `allocations.${index}`);
      const { amountCents, ...target } = wish;
      const outstanding = this.outstanding.of(target);
      if (amountCents > Math.min(available, outstanding)) throw overAllocated(available, outstanding);
      available -= amountCents;
      return this.take(wish).map(toShare);
    });
  }

  async settle(shares: readonly Share[]): Promise<void> {
    await this.move(shares, 1);
  }

  async unsettle(shares: readonly Share[]): Promise<void> {
    await this.move(shares, -1);
  }

  private take({ scheduleId, invoiceId, amountCents }: Wish): BookingShare[] {
    if (scheduleId === undefined) return this.outstanding.onInvoice(invoiceId ?? '', amountCents);
    if (invoiceId === undefined) return this.outstanding.onInstallment(scheduleId, amountCents);
    return this.outstanding.onBoth({ scheduleId, invoiceId }, amountCents);
  }

  private assertPayable({ scheduleId, invoiceId }: Wish, path: string): void {
    if (scheduleId === undefined && invoiceId === undefined) {
      throw invalidField(`${path}.scheduleId`, 'scheduleId or invoiceId is required', 'required');
    }
    const installment = this.held.installments.find(({ id }) => id === scheduleId);
    if (scheduleId !== undefined && !installment) throw notFound({ field: `${path}.scheduleId` });
    if (installment?.status === 'cancelled') {
      throw conflict('schedule_cancelled', 'Payments cannot be allocated to a cancelled installment', { scheduleId });
    }
    const invoice = this.held.invoices.find(({ id }) => id === invoiceId);
    if (invoiceId !== undefined && !invoice) throw notFound({ field: `${path}.invoiceId` });
    if (invoice?.status === 'draft' || invoice?.status === 'void') {
      throw conflict('invoice_not_open', 'Payments can be allocated to issued invoices only', {
        invoiceId,
        status: invoice.status,
      });
    }
    const isForAnother = Boolean(invoice?.scheduleId && scheduleId !== undefined && invoice.scheduleId !== scheduleId);
    if (isForAnother) {
      throw invalidField(
        `${path}.invoiceId`,
        'The invoice belongs to another installment',
        'invoice_of_other_schedule',
      );
    }
  }
}

export function outstandingOf({ installments, invoices }: Held): Outstanding {
  const open = installments.filter((installment) => installment.isOpen());
  return new Outstanding(
    open.map((installment) => ({
      id: installment.id,
      dueDate: installment.dueDate,
      position: installment.position,
      outstandingCents: installment.outstandingCents(),
    })),
    invoices.flatMap(openOf),
  );
}

/** An issue date is what every invoice has that can be paid. */
export function openOf({ id, scheduleId, issueDate, totalCents, paidCents, status }: Invoice): OpenInvoice[] {
  const isOpen = issueDate !== null && status !== 'void' && paidCents < totalCents;
  return isOpen ? [{ id, scheduleId, issueDate, outstandingCents: totalCents - paidCents }] : [];
}

export function toShare(share: BookingShare): Share {
  return { ...share, supplierInvoiceId: null };
}
