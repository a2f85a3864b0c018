import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { type Debt, type Share, sumOfShares, type Wish } from './debt.js';
import { Debts } from './debts.service.js';
import { newPayment, type PaymentInput } from './new-payment.js';
import { Payment } from './payment.entity.js';
import type { PaymentAllocation } from './payment-allocation.entity.js';
import { PaymentAllocations } from './payment-allocations.service.js';
import { PaymentJournal, snapshot } from './payment-journal.js';
import type { PaymentView } from './payment-response.dto.js';

/** For demo rows that the API document's examples name. */
interface Ids {
  id?: string;
  allocationIds?: readonly string[];
}

interface Held {
  payment: Payment;
  debt: Debt;
  allocations: PaymentAllocation[];
  before: object;
}

/** Payments: whoever records or changes one holds what it settles, so that nothing is ever settled twice. */
@Injectable()
export class Payments {
  constructor(
    private readonly database: Database,
    private readonly debts: Debts,
    private readonly allocations: PaymentAllocations,
    private readonly journal: PaymentJournal,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 404 with details {field}, 409 `supplier_invoice_not_approved`, `schedule_cancelled`, `invoice_not_open`, 422 `currency_mismatch`,
   * `over_allocated`, and `totals_mismatch` where money that goes out is not allocated as a whole.
   */
  async record(input: PaymentInput, { id = newId('pay'), allocationIds = [] }: Ids = {}): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const payment = newPayment(input, { id, now: this.clock.now(), today: this.clock.today() });
      const debt = await this.debts.lockForNew(payment);
      const shares = sharesOf(payment, debt, input.allocations);
      if (payment.direction === 'out') assertWhole(payment, shares);

      payment.unappliedCents -= sumOfShares(shares);
      await this.database.insert(payment);
      const allocations = await this.allocations.add(
        shares.map((share, index) => ({
          ...(allocationIds[index] === undefined ? {} : { id: allocationIds[index] }),
          ...{ ...share, paymentId: id, effectiveOn: payment.paidOn },
        })),
      );
      await debt.settle(shares);
      this.journal.tell('record', { payment, allocations }, { before: null });
      return { payment, allocations };
    });
  }

  /** Puts unapplied money to use. Throws 404, 409 `invalid_transition` and those of `record`, 412, 422 `over_allocated`, `currency_mismatch`. */
  async allocate(id: string, wishes: readonly Wish[] | undefined, expected: ExpectedVersions): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const { payment, debt, allocations, before } = await this.hold(id, expected);
      payment.assertCompleted('completed');
      const shares = sharesOf(payment, debt, wishes);
      if (shares.length > 0) {
        const effectiveOn = this.clock.today();
        const added = await this.allocations.add(
          shares.map((share) => ({ ...share, paymentId: id, effectiveOn })),
          allocations,
        );
        await this.save(payment, -sumOfShares(shares));
        this.journal.tell('allocate', { payment, allocations: [...allocations, ...added] }, { before });
      }
      await debt.settle(shares);
      return this.view(id);
    });
  }

  /** Takes one allocation back; its money is unapplied. Throws 404, 409 `invalid_transition`, 412. */
  async deallocate(id: string, allocationId: string, expected: ExpectedVersions): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const { payment, debt, allocations, before } = await this.hold(id, expected);
      await this.allocations.assertLive(allocationId, id);
      const taken = allocations.filter((allocation) => allocation.id === allocationId);

      await this.allocations.reverse(taken);
      await debt.unsettle(taken);
      await this.save(payment, sumOfShares(taken));
      const view = { payment, allocations: allocations.filter((allocation) => allocation.id !== allocationId) };
      this.journal.tell('deallocate', view, { before });
      return view;
    });
  }

  /** Takes the payment back, and all that it settled. Throws 404, 409 `invalid_transition`, 412. */
  async reverse(id: string, reason: string, expected: ExpectedVersions): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const held = await this.hold(id, expected);
      const view = await this.takeBack(held, reason);
      this.journal.tell('reverse', view, { before: held.before, reason });
      return view;
    });
  }

  /** The same in the running transaction, where the reversal of its entry says so. Throws 404, 409 `invalid_transition`. */
  async undo(id: string, reason: string): Promise<{ before: object; after: object }> {
    const held = await this.hold(id, null);
    const view = await this.takeBack(held, reason);
    this.journal.announce('reverse', view.payment);
    return { before: held.before, after: snapshot(view) };
  }

  private async takeBack({ payment, debt, allocations }: Held, reason: string): Promise<PaymentView> {
    payment.assertCompleted('reversed');
    await this.allocations.reverse(allocations);
    await debt.unsettle(allocations);
    const now = this.clock.now();
    payment.reverse(reason, now);
    await this.save(payment, sumOfShares(allocations), now);
    return { payment, allocations: [] };
  }

  /** As it is now: money that is put to use may bring earlier money to an invoice. */
  private async view(id: string): Promise<PaymentView> {
    const payment = await this.database.repository(Payment).findOneByOrFail({ id });
    return { payment, allocations: await this.allocations.liveOf([id]) };
  }

  /** A booking is locked before its payments, a payment before its supplier invoice. */
  private async hold(id: string, expected: ExpectedVersions): Promise<Held> {
    const payments = this.database.repository(Payment);
    const known = await payments.findOneBy({ id });
    if (!known) throw notFound();
    const booking = known.direction === 'in' ? await this.debts.lock(known) : null;
    const payment = await payments.findOneOrFail({ where: { id }, lock: { mode: 'pessimistic_write' } });
    assertVersion(expected, payment);
    const debt = booking ?? (await this.debts.lock(payment));
    const allocations = await this.allocations.liveOf([id]);
    return { payment, debt, allocations, before: snapshot({ payment, allocations }) };
  }

  private async save(payment: Payment, freedCents: number, now = this.clock.now()): Promise<void> {
    payment.unappliedCents += freedCents;
    payment.updatedAt = now;
    await this.database.update(payment);
  }
}

function sharesOf(payment: Payment, debt: Debt, wishes: readonly Wish[] | undefined): Share[] {
  const { unappliedCents, currency } = payment;
  if (debt.currency !== currency) {
    const amounts = { expected: debt.currency, actual: currency };
    throw unprocessable('currency_mismatch', `The payment currency must be ${debt.currency}`, amounts);
  }
  return wishes === undefined ? debt.automatic(unappliedCents) : debt.wished(wishes, unappliedCents);
}

/** Money is sent for something that is known: none of it may stay unapplied. */
function assertWhole({ amountCents }: Payment, shares: readonly Share[]): void {
  const allocatedCents = sumOfShares(shares);
  if (allocatedCents === amountCents) return;
  throw unprocessable('totals_mismatch', 'Allocations of an outgoing payment must equal its amount', {
    field: 'allocations',
    expected: amountCents,
    actual: allocatedCents,
  });
}
