import { Injectable } from '@nestjs/common';
import { hasScope } from '../../../../platform/auth/access.js';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { filterRows } from '../../../../platform/database/filter-rows.js';
import { type Columns, make, type Rows } from '../../../../platform/database/rows.js';
import { conflict, notFound, unprocessable } from '../../../../platform/errors/app-error.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { type RecordedAction, type ReversalResult, Reverses } from '../../../action-ledger/index.js';
import { newId } from '../../../../platform/ids/id.js';
import { AccountAuditService } from '../account/account-audit.service.js';
import { AllocationsService } from '../account/allocations.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import { CustomerMoneyService } from '../account/customer-money.service.js';
import {
  type Debt,
  Payment,
  PaymentAllocation,
  PaymentDaysService,
  type RequestedShare,
  type Share,
  sumOfShares,
} from '../../books/index.js';
import type { PaymentSchedule } from '../account/payment-schedule.entity.js';
import { type CommissionLine, CommissionsService } from '../../commissions/index.js';
import { SupplierInvoicesService } from '../../payables/index.js';
import { BookingDebt } from './booking-debt.js';
import { newPayment, newPayout, type PaymentInput, type PayoutInput } from './new-payment.js';
import { type ListPayments, type PaymentReversal, SORT_FIELDS } from './payment.dto.js';
import type { PaymentView } from './payment-response.dto.js';

/** Sets ids of demo rows that the API document's examples name. */
interface Ids {
  id?: string;
  allocationIds?: readonly string[];
}

interface LockedPayment {
  /** Null for a payment to a supplier and for the payout of a commission. */
  account: BookingAccount | null;
  payment: Payment;
  debt: Debt;
  allocations: PaymentAllocation[];
  before: object;
}

/** Manages payments of customers and to suppliers. Locks the debts of a payment with it, so that nothing is settled twice. */
@Injectable()
export class PaymentsService {
  private readonly rows: Rows<Payment>;

  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly allocations: AllocationsService,
    private readonly money: CustomerMoneyService,
    private readonly supplierInvoices: SupplierInvoicesService,
    private readonly commissions: CommissionsService,
    private readonly days: PaymentDaysService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(Payment);
  }

  /**
   * A caller who may only see debts and payments of customers does not find payments to suppliers and to recipients of
   * commissions.
   */
  async read(id: string): Promise<PaymentView> {
    const view = await this.get(id);
    if (view.payment.bookingId === null && !hasScope('finance:read')) throw notFound();
    return view;
  }

  async get(id: string): Promise<PaymentView> {
    const [found] = await this.database.read<Payment, { allocations: AllocationRow[] }>(Payment, {
      name: 'payment',
      text: `select ${this.rows.columns('payment')}, ${LIVE_ALLOCATIONS} as allocations
        from payments payment where payment.id = $1`,
      values: [id],
    });
    if (!found) throw notFound();
    return { payment: found.entity, allocations: found.raw.allocations.map(toAllocation) };
  }

  async list(query: ListPayments): Promise<{ rows: Payment[]; total: number }> {
    const { reference, uncovered, paidFrom, paidTo, sort = '-createdAt' } = query;
    const found = this.rows.query('payment');
    if (!hasScope('finance:read')) found.andWhere('payment.bookingId is not null');
    for (const name of ['direction', 'kind', 'status'] as const) filterRows(found, `payment.${name}`, query[name]);
    for (const name of ['bookingId', 'supplierInvoiceId', 'commissionId'] as const) {
      if (query[name] !== undefined) found.andWhere(`payment.${name} = :${name}`, { [name]: query[name] });
    }
    if (reference !== undefined) found.andWhere('lower(payment.reference) = lower(:reference)', { reference });
    if (uncovered !== undefined) found.andWhere(uncovered ? UNCOVERED : `not ${UNCOVERED}`);
    if (paidFrom !== undefined) found.andWhere('payment.paidOn >= :paidFrom', { paidFrom });
    if (paidTo !== undefined) found.andWhere('payment.paidOn <= :paidTo', { paidTo });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    const field = SORT_FIELDS.find((known) => sort.endsWith(known)) ?? 'createdAt';
    found.orderBy(`payment.${field}`, direction).addOrderBy('payment.id', direction);
    return this.rows.page(found, pageBounds(query));
  }

  /** Records money that was received or sent. Earlier receipts are applied first. */
  async record(input: PaymentInput, { id = newId('pay'), allocationIds }: Ids = {}): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const payment = newPayment(input, { id, now: this.clock.now() });
      await this.assertReplaced(payment);
      if (payment.bookingId === null) {
        const debt = await this.supplierInvoices.lockDebt(payment.supplierInvoiceId ?? '');
        // A supplier invoice of a future day can only be paid in advance.
        const notBefore = debt.issueDate > this.clock.today() ? null : debt.issueDate;
        payment.postingDate = await this.days.postingDateOf(payment.paidOn, notBefore);
        return this.insert(payment, debt, { requested: input.allocations, allocationIds });
      }
      const account = await this.accounts.lock(payment.bookingId, { field: 'bookingId' });
      payment.postingDate = await this.days.postingDateOf(payment.paidOn);
      return this.insertFor(account, payment, { requested: input.allocations, allocationIds });
    });
  }

  /** Records a payment of the outstanding amount of an installment that staff marked as paid. The account must be locked. */
  async payInstallment(account: BookingAccount, installment: PaymentSchedule): Promise<void> {
    const today = this.clock.today();
    const amountCents = installment.outstandingCents();
    const payment = newPayment(
      {
        bookingId: account.booking.id,
        method: 'other',
        source: 'schedule_patch',
        currency: installment.currency,
        amountCents,
        paidOn: today,
      },
      { id: newId('pay'), now: this.clock.now() },
    );
    payment.postingDate = await this.days.postingDateOf(today);
    await this.insertFor(account, payment, { requested: [{ scheduleId: installment.id, amountCents }] });
  }

  /** Records the payout of a commission, whose booking is locked. */
  async recordPayout(commission: CommissionLine, input: PayoutInput): Promise<void> {
    const payment = newPayout(commission, input, { id: newId('pay'), now: this.clock.now() });
    payment.postingDate = await this.days.postingDateOf(payment.paidOn);
    await this.rows.insert(payment);
    this.audit.paymentChanged('record', payment, { allocations: [], before: null });
  }

  /** Reverses the payment of a commission; the ledger entry of the reversal records the commission. */
  async reversePayoutOf(commissionId: string, reason: string): Promise<void> {
    await this.commissions.lockDebt(commissionId);
    const payment = await this.rows.findBy({ commissionId, status: 'completed' });
    if (!payment) {
      throw conflict('invalid_transition', 'The commission has no payout to reverse', {
        from: 'reversed',
        to: 'reversed',
      });
    }
    await this.reverse(payment.id, { reason }, null);
  }

  async allocate(
    id: string,
    requested: readonly RequestedShare[] | undefined,
    expected: ExpectedVersions,
  ): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const { payment, debt, allocations, before } = await this.lock(id, expected);
      payment.assertCompleted('completed');
      payment.assertAllocatable();
      const shares = await sharesOf(payment, debt, requested);
      const becomesAutomatic = requested === undefined && !payment.autoApply;
      if (becomesAutomatic) payment.autoApply = true;
      if (shares.length > 0 || becomesAutomatic) {
        const effectiveOn = this.clock.today();
        const added = await this.allocations.add(
          shares.map((share) => ({ ...share, paymentId: id, effectiveOn })),
          allocations,
        );
        await this.save(payment, -sumOfShares(shares));
        this.audit.paymentChanged('allocate', payment, { allocations: [...allocations, ...added], before });
      }
      await debt.settle(shares);
      await debt.applyMoney();
      // Reads the payment again, because the account may have changed it.
      return this.get(id);
    });
  }

  /** Reverses one allocation; its money becomes unapplied and no longer settles debts automatically. */
  async deallocate(id: string, allocationId: string, expected: ExpectedVersions): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const { payment, debt, allocations, before } = await this.lock(id, expected);
      const reversed = allocations.filter((allocation) => allocation.id === allocationId);
      if (reversed.length === 0) await this.rejectReversed(allocationId, id);
      if (reversed.some(({ refundId }) => refundId !== null)) throw coversRefund();
      payment.autoApply = false;

      await this.allocations.reverse(reversed);
      await debt.unsettle(reversed);
      await this.save(payment, sumOfShares(reversed));
      const kept = allocations.filter((allocation) => allocation.id !== allocationId);
      this.audit.paymentChanged('deallocate', payment, { allocations: kept, before });
      await debt.applyMoney();
      return { payment, allocations: kept };
    });
  }

  async reverse(id: string, request: PaymentReversal, expected: ExpectedVersions): Promise<PaymentView> {
    return this.database.transaction(async () => {
      const locked = await this.lock(id, expected);
      const payment = await this.reverseLocked(locked, request);
      const { reason } = request;
      this.audit.paymentChanged('reverse', payment, { allocations: [], before: locked.before, reason });
      return { payment, allocations: [] };
    });
  }

  /** Reverses a payment that was recorded by mistake; the ledger entry of the reversal records it. */
  @Reverses('finance.payment.record', { effect: 'finance.payment.reverse' })
  async reverseRecording({ subjectId }: RecordedAction, reason: string): Promise<ReversalResult> {
    const locked = await this.lock(subjectId, null);
    const payment = await this.reverseLocked(locked, { reason });
    this.audit.publishPayment('reverse', payment);
    return { before: locked.before, after: payment.auditImage([]) };
  }

  private async insertFor(
    account: BookingAccount,
    payment: Payment,
    wanted: { requested?: readonly RequestedShare[] | undefined; allocationIds?: readonly string[] | undefined },
  ): Promise<PaymentView> {
    return this.insert(payment, this.debtOf(account), wanted);
  }

  private async insert(
    payment: Payment,
    debt: Debt,
    wanted: { requested?: readonly RequestedShare[] | undefined; allocationIds?: readonly string[] | undefined },
  ): Promise<PaymentView> {
    const { requested, allocationIds = [] } = wanted;
    const shares = await sharesOf(payment, debt, requested);
    if (payment.direction === 'out') assertWhole(payment, shares);

    payment.unappliedCents -= sumOfShares(shares);
    await this.rows.insert(payment);
    const allocations = await this.allocations.add(
      shares.map((share, index) => ({
        ...(allocationIds[index] === undefined ? {} : { id: allocationIds[index] }),
        ...{ ...share, paymentId: payment.id, effectiveOn: payment.postingDate },
      })),
    );
    await debt.settle(shares);
    this.audit.paymentChanged('record', payment, { allocations, before: null });
    await debt.applyMoney();
    // Automatic money may have been applied, and money beyond the claim released.
    return payment.direction === 'in' && requested !== undefined ? this.get(payment.id) : { payment, allocations };
  }

  private async reverseLocked(locked: LockedPayment, request: PaymentReversal): Promise<Payment> {
    const { account, payment, debt, allocations } = locked;
    const { reason, kind = 'mistake', reversedOn = this.clock.today() } = request;
    payment.assertCompleted('reversed');
    if (payment.transferId !== null) {
      const { transferId } = payment;
      throw conflict('payment_is_transfer', 'Reverse the transfer with both of its sides', { transferId });
    }
    const postingDate = await this.days.reversalPostingDateOf(reversedOn, payment.paidOn);
    const reversal = { kind, reason, reversedOn, postingDate };
    if (account) {
      const reversed = await this.money.reverse(account, payment, reversal);
      await debt.applyMoney();
      await this.commissions.settle(account.booking.id, { isPaymentReversed: true });
      return reversed;
    }
    await this.allocations.reverse(allocations, postingDate);
    const now = this.clock.now();
    payment.reverse(reversal, now);
    await this.save(payment, sumOfShares(allocations), now);
    await debt.unsettle(allocations, reason);
    return payment;
  }

  /** A replaced payment must be reversed. */
  private async assertReplaced({ replacesPaymentId, bookingId, supplierInvoiceId }: Payment): Promise<void> {
    if (replacesPaymentId === null) return;
    const field = 'replacesPaymentId';
    const replaced = await this.rows.get(replacesPaymentId, { field });
    if (replaced.bookingId !== bookingId || replaced.supplierInvoiceId !== supplierInvoiceId) throw notFound({ field });
    if (replaced.status === 'reversed') return;
    throw conflict('invalid_transition', 'Only a reversed payment can be recorded again', {
      from: replaced.status,
      to: 'reversed',
    });
  }

  /** Locks a booking before its payments, and a payment before its supplier invoice. */
  private async lock(id: string, expected: ExpectedVersions): Promise<LockedPayment> {
    const { bookingId, commissionId } = await this.rows.get(id);
    const account = bookingId === null ? null : await this.accounts.lock(bookingId);
    const payout = commissionId === null ? null : await this.commissions.lockDebt(commissionId);
    const payment = await this.rows.lock(id);
    assertVersion(expected, payment);
    const own = account ? this.debtOf(account) : payout;
    const debt = own ?? (await this.supplierInvoices.lockDebt(payment.supplierInvoiceId ?? ''));
    const allocations = await this.allocations.ofPayment(id);
    return { account, payment, debt, allocations, before: payment.auditImage(allocations) };
  }

  private debtOf(account: BookingAccount): Debt {
    return new BookingDebt(account, this.accounts, this.allocations);
  }

  private async save(payment: Payment, releasedCents: number, now = this.clock.now()): Promise<void> {
    payment.unappliedCents += releasedCents;
    payment.updatedAt = now;
    await this.rows.update(payment);
  }

  private async rejectReversed(allocationId: string, paymentId: string): Promise<never> {
    const allocation = await this.database.findRow(PaymentAllocation, { id: allocationId, paymentId });
    if (!allocation || allocation.reversesId !== null) throw notFound();
    throw conflict('invalid_transition', 'The allocation is already reversed', {
      from: 'reversed',
      to: 'reversed',
      allowed: [],
    });
  }
}

/** The condition that `Payment.uncoveredCents` is not 0. */
const UNCOVERED = `(payment.status = 'completed' and payment.kind in ('refund', 'transfer_out')
  and payment.coveredCents < payment.amountCents)`;

function coversRefund() {
  return conflict('invalid_transition', 'The money was paid back or moved to another booking', {
    from: 'completed',
    to: 'reversed',
    allowed: [],
  });
}

async function sharesOf(
  payment: Payment,
  debt: Debt,
  requested: readonly RequestedShare[] | undefined,
): Promise<Share[]> {
  const { unappliedCents, currency } = payment;
  if (debt.currency !== currency) {
    const amounts = { field: 'currency', expected: debt.currency, actual: currency };
    throw unprocessable('currency_mismatch', `The payment currency must be ${debt.currency}`, amounts);
  }
  return requested === undefined ? debt.automatic(unappliedCents) : debt.requested(requested, unappliedCents);
}

/** Money is sent for a known purpose, so none of it may be unapplied. */
function assertWhole({ amountCents }: Payment, shares: readonly Share[]): void {
  const allocatedCents = sumOfShares(shares);
  if (allocatedCents === amountCents) return;
  throw unprocessable('totals_mismatch', 'Allocations of an outgoing payment must equal its amount', {
    field: 'allocations',
    expected: amountCents,
    actual: allocatedCents,
  });
}

const LIVE_ALLOCATIONS = `coalesce((
  select json_agg(json_build_object(
    'id', one.id, 'paymentId', one.payment_id, 'scheduleId', one.schedule_id, 'invoiceId', one.invoice_id,
    'supplierInvoiceId', one.supplier_invoice_id, 'refundId', one.refund_id, 'amountCents', one.amount_cents, 'effectiveOn', one.effective_on,
    'reversesId', one.reverses_id, 'createdAt', one.created_at) order by one.created_at, one.id)
  from payment_allocations one
  where one.payment_id = payment.id and one.reverses_id is null
    and not exists (select from payment_allocations reversal where reversal.reverses_id = one.id)), '[]'::json)`;

type AllocationRow = Omit<Columns<PaymentAllocation>, 'createdAt'> & { createdAt: string };

function toAllocation(row: AllocationRow): PaymentAllocation {
  return make(PaymentAllocation, { ...row, createdAt: new Date(row.createdAt) });
}
