import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../../action-ledger/index.js';
import type { Invoice } from './invoice.entity.js';
import type { InstallmentChange, LockedPlan } from './locked-plan.js';
import type { Payment, PaymentAllocation } from '../../books/index.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';

const INSTALLMENT_EVENTS = {
  create: 'created',
  update: 'updated',
  rebalance: 'updated',
  redate: 'updated',
  cancel: 'cancelled',
  waive: 'updated',
  unwaive: 'updated',
  write_off: 'updated',
} as const;
export type InstallmentVerb = keyof typeof INSTALLMENT_EVENTS;

const PAYMENT_EVENTS = {
  record: 'recorded',
  allocate: 'allocated',
  deallocate: 'deallocated',
  reverse: 'reversed',
} as const;
export type PaymentVerb = keyof typeof PAYMENT_EVENTS;

const REFUND_EVENTS = { request: 'requested', complete: 'completed', fail: 'failed' } as const;
export type RefundVerb = keyof typeof REFUND_EVENTS;

const INVOICE_EVENTS = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  redraw: 'updated',
  issue: 'issued',
  deliver: 'updated',
  correct: 'updated',
  void: 'voided',
} as const;
export type InvoiceVerb = keyof typeof INVOICE_EVENTS;

/** Writes the ledger entries and events of plans, installments, invoices and payments in the running transaction. */
@Injectable()
export class AccountAuditService {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  planMaterialized({ plan, booking, installments }: LockedPlan): void {
    const { id: planId, bookingId, planVersion, source, policy, totalCents } = plan;
    const entries = installments.map((installment) => installment.auditImage());
    this.ledger.record('finance.payment_plan.materialize', {
      subjectType: 'payment_plan',
      subjectId: planId,
      after: { id: planId, bookingId, planVersion, source, policy, totalCents, entries },
    });
    const data = { planId, bookingId, planVersion, source, currency: booking.currency, totalCents };
    for (const channel of installmentChannels(bookingId)) {
      this.outbox.add({ channel, event: 'payment_plan.materialized', data });
    }
  }

  planRedated({ plan: { bookingId } }: LockedPlan, warnings: readonly string[]): void {
    for (const channel of installmentChannels(bookingId)) {
      this.outbox.add({ channel, event: 'payment_plan.redated', data: { bookingId, warnings } });
    }
  }

  installmentsChanged(
    changes: readonly InstallmentChange[],
    verbOf: (change: InstallmentChange) => InstallmentVerb,
    reason: string | null = null,
  ): void {
    for (const change of changes) this.installmentChanged(verbOf(change), change, reason);
  }

  /** Records a change by staff. Waiving lowers the customer's debt and has its own action, as has its opposite. */
  installmentEdited(change: InstallmentChange): void {
    const { waived, waiveReason } = change.installment;
    if (waived === change.before?.waived) this.installmentChanged('update', change);
    else this.installmentChanged(waived ? 'waive' : 'unwaive', change, waived ? waiveReason : null);
  }

  installmentChanged(
    verb: InstallmentVerb,
    { installment, before }: InstallmentChange,
    reason: string | null = null,
  ): void {
    this.ledger.record(`finance.payment_schedule.${verb}`, {
      subjectType: 'payment_schedule',
      subjectId: installment.id,
      before,
      after: installment.auditImage(),
      reason,
    });
    this.publishInstallment(INSTALLMENT_EVENTS[verb], installment);
    // If money was allocated, the allocation published the event.
    const isSettledByShrinking = before?.status === 'pending' && before.paidCents === installment.paidCents;
    if (installment.status === 'paid' && isSettledByShrinking) this.publishInstallment('paid', installment);
  }

  publishInstallment(name: 'created' | 'updated' | 'cancelled' | 'paid', installment: PaymentSchedule): void {
    const { id: scheduleId, bookingId, status, dueDate, currency, amountCents, paidCents, version } = installment;
    const data = { scheduleId, bookingId, status, dueDate, currency, amountCents, paidCents, version };
    for (const channel of installmentChannels(bookingId)) {
      this.outbox.add({ channel, event: `payment_schedule.${name}`, data });
    }
  }

  invoiceChanged(
    verb: InvoiceVerb,
    invoice: Invoice,
    change: { before: object | null; after: object | null; reason?: string | null },
  ): void {
    this.ledger.record(`finance.invoice.${verb}`, { subjectType: 'invoice', subjectId: invoice.id, ...change });
    this.publishInvoice(INVOICE_EVENTS[verb], invoice);
  }

  publishInvoice(name: 'created' | 'updated' | 'deleted' | 'issued' | 'voided' | 'settled', invoice: Invoice): void {
    const { id: invoiceId, bookingId, scheduleId, status, number, currency, totalCents, version } = invoice;
    this.outbox.add({
      channel: 'finance.invoices',
      event: `invoice.${name}`,
      data: { invoiceId, bookingId, scheduleId, status, number, currency, totalCents, version },
    });
  }

  /** `before` is the audit snapshot of the payment before the change; null for a new one. */
  paymentChanged(
    verb: PaymentVerb,
    payment: Payment,
    change: { allocations: readonly PaymentAllocation[]; before: object | null; reason?: string },
  ): void {
    this.ledger.record(`finance.payment.${verb}`, {
      subjectType: 'payment',
      subjectId: payment.id,
      before: change.before,
      after: payment.auditImage(change.allocations),
      reason: change.reason ?? null,
    });
    this.publishPayment(verb, payment);
  }

  refundChanged(verb: RefundVerb, refund: Payment, change: { before: object | null; reason?: string | null }): void {
    this.ledger.record(`finance.refund.${verb}`, {
      subjectType: 'payment',
      subjectId: refund.id,
      before: change.before,
      after: refund.auditImage([]),
      reason: change.reason ?? null,
    });
    this.publishRefund(verb, refund);
  }

  publishRefund(verb: RefundVerb, refund: Payment): void {
    const { id: refundId, bookingId, status, currency, amountCents, coveredCents, dueOn, version } = refund;
    const data = { refundId, bookingId, status, currency, amountCents, coveredCents, dueOn, version };
    for (const channel of ['finance.payments', `bookings.${bookingId ?? ''}`]) {
      this.outbox.add({ channel, event: `refund.${REFUND_EVENTS[verb]}`, data });
    }
  }

  /** Records both sides of a transfer as one change. */
  transferChanged(
    verb: 'create' | 'reverse',
    sides: { from: Payment; to: Payment },
    change: { before: object | null; reason?: string | null },
  ): void {
    this.ledger.record(`finance.transfer.${verb}`, {
      subjectType: 'payment_transfer',
      subjectId: sides.from.transferId ?? '',
      before: change.before,
      after: transferImage(sides),
      reason: change.reason ?? null,
    });
    this.publishTransfer(verb, sides);
  }

  publishTransfer(verb: 'create' | 'reverse', { from, to }: { from: Payment; to: Payment }): void {
    const { transferId, currency, amountCents, bookingId: fromBookingId } = from;
    const data = { transferId, fromBookingId, toBookingId: to.bookingId, currency, amountCents };
    const event = verb === 'create' ? 'transfer.created' : 'transfer.reversed';
    const bookings = [from, to].map(({ bookingId }) => `bookings.${bookingId ?? ''}`);
    for (const channel of ['finance.payments', ...bookings]) this.outbox.add({ channel, event, data });
  }

  publishPayment(verb: PaymentVerb, payment: Payment): void {
    const { id: paymentId, direction, bookingId, supplierInvoiceId, commissionId, status, version } = payment;
    const { currency, amountCents, unappliedCents, reversalKind } = payment;
    const sides = { paymentId, direction, bookingId, supplierInvoiceId, commissionId };
    const amounts = { currency, amountCents, unappliedCents };
    const data = { ...sides, status, ...amounts, ...(verb === 'reverse' ? { reversalKind } : {}), version };
    const channels = ['finance.payments', ...(bookingId === null ? [] : [`bookings.${bookingId}`])];
    for (const channel of channels) this.outbox.add({ channel, event: `payment.${PAYMENT_EVENTS[verb]}`, data });
  }
}

/** Returns the channel of the booking and the channel of all installments. */
export function installmentChannels(bookingId: string): string[] {
  return [`bookings.${bookingId}`, 'finance.payment-schedules'];
}

/** Returns the audit snapshot of a transfer. */
export function transferImage({ from, to }: { from: Payment; to: Payment }): object {
  return { id: from.transferId, from: from.auditImage([]), to: to.auditImage([]) };
}
