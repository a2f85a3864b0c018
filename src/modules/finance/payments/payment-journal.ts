import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { Payment } from './payment.entity.js';
import { type PaymentView, toPayment } from './payment-response.dto.js';

const EVENTS = { record: 'recorded', allocate: 'allocated', deallocate: 'deallocated', reverse: 'reversed' } as const;
type Verb = keyof typeof EVENTS;

/** What is told of payments: an entry in the action ledger, with all that the payment settles, and an event. */
@Injectable()
export class PaymentJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  /** `before` is null for a new payment, else as `snapshot` took it. */
  tell(verb: Verb, view: PaymentView, { before, reason }: { before: object | null; reason?: string }): void {
    const { payment } = view;
    this.ledger.record(`finance.payment.${verb}`, {
      subjectType: 'payment',
      subjectId: payment.id,
      before,
      after: snapshot(view),
      reason: reason ?? null,
    });
    this.announce(verb, payment);
  }

  announce(verb: Verb, payment: Payment): void {
    for (const channel of channelsOf(payment)) {
      this.outbox.add({ channel, event: `payment.${EVENTS[verb]}`, data: factsOf(payment) });
    }
  }
}

/** The payment as the ledger keeps it; taken before it is changed. */
export function snapshot(view: PaymentView): object {
  return toPayment(view);
}

/** Where a payment's events appear: together with all others, and with its booking. */
function channelsOf({ bookingId }: Payment): string[] {
  return ['finance.payments', ...(bookingId === null ? [] : [`bookings.${bookingId}`])];
}

function factsOf(payment: Payment): Record<string, unknown> {
  const { id: paymentId, direction, bookingId, supplierInvoiceId, status, version } = payment;
  const { currency, amountCents, unappliedCents } = payment;
  return { paymentId, direction, bookingId, supplierInvoiceId, status, currency, amountCents, unappliedCents, version };
}
