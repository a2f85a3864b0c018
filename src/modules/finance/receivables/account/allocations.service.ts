import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { make } from '../../../../platform/database/rows.js';
import { conflict } from '../../../../platform/errors/app-error.js';
import { newId } from '../../../../platform/ids/id.js';
import { VouchersService } from '../../../bookings/index.js';
import { RemindersService } from '../../../notifications/index.js';
import { CommissionsService } from '../../commissions/index.js';
import { INSTALLMENT_TRIGGERS, INVOICE_TRIGGERS } from '../reminders/reminder-triggers.js';
import { AccountAuditService } from './account-audit.service.js';
import type { BookingAccount } from './booking-account.js';
import { BookingAccountsRepository } from './booking-accounts.repository.js';
import { MAX_LIVE_ALLOCATIONS, type Payment, PaymentAllocation, type Share, sumOfShares } from '../../books/index.js';

export interface NewAllocation extends Share {
  /** Sets ids of demo rows that the API document's examples name. */
  id?: string;
  paymentId: string;
  effectiveOn: string;
}

/** A part of an allocation that is released. */
export interface ReleasedPart {
  allocation: PaymentAllocation;
  cents: number;
}

/** The day from which parts of allocations are released, and their targets. */
interface Release {
  day?: string;
  from?: 'all' | 'invoices';
  /** Whether no debt of the booking needs the money. */
  isExcess?: boolean;
}

/**
 * Writes allocations and is the only writer of the balances that derive from them: paid amounts and statuses of installments
 * and invoices, covered amounts of refunds, and unapplied amounts of payments. The account must be locked.
 */
@Injectable()
export class AllocationsService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingAccountsRepository,
    private readonly commissions: CommissionsService,
    private readonly reminders: RemindersService,
    private readonly vouchers: VouchersService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {}

  /** Returns the live allocations of a payment, the oldest first. */
  async ofPayment(paymentId: string): Promise<PaymentAllocation[]> {
    return this.repository.allocationsOf([paymentId]);
  }

  /** Adds allocations to the `present` ones of the same payments. */
  async add(
    allocations: readonly NewAllocation[],
    present: readonly PaymentAllocation[] = [],
  ): Promise<PaymentAllocation[]> {
    assertWithinLimit([...present, ...allocations]);
    const createdAt = this.clock.now();
    const added = allocations.map(({ id = newId('pall'), paymentId, effectiveOn, ...share }) => {
      const { scheduleId, invoiceId, supplierInvoiceId, refundId, amountCents } = share;
      const columns = { paymentId, scheduleId, invoiceId, supplierInvoiceId, refundId, amountCents, effectiveOn };
      return make(PaymentAllocation, { id, ...columns, reversesId: null, createdAt });
    });
    await this.repository.insertAllocations(added);
    return added;
  }

  /** Reverses allocations, each by a row with the same members; from this day on they no longer count. */
  async reverse(allocations: readonly PaymentAllocation[], day = this.clock.today()): Promise<void> {
    const createdAt = this.clock.now();
    await this.repository.insertAllocations(
      allocations.map((reversed) => {
        const effectiveOn = notBefore(reversed, day);
        const row = { ...reversed, id: newId('pall'), reversesId: reversed.id, effectiveOn, createdAt };
        return make(PaymentAllocation, row);
      }),
    );
  }

  /**
   * Replaces allocations of the account by shares that add up to their amounts. Settled installments and invoices stay settled;
   * the caller counts the added shares.
   */
  async replace(replacements: readonly { allocation: PaymentAllocation; shares: readonly Share[] }[]): Promise<void> {
    if (replacements.length === 0) return;
    const payments = await this.repository.lockPayments(paymentIdsOf(replacements));
    await this.changePayments(payments, 'allocate', async () => {
      await this.reverse(replacements.map(({ allocation }) => allocation));
      const effectiveOn = this.clock.today();
      await this.add(
        replacements.flatMap(({ allocation: { paymentId }, shares }) =>
          shares.map((share) => ({ ...share, paymentId, effectiveOn })),
        ),
      );
    });
  }

  /** Applies unapplied money of locked payments from today on. Without `counts`, the caller writes the balances. */
  async apply(
    account: BookingAccount,
    applied: readonly { payment: Payment; shares: readonly Share[] }[],
    { counts = true }: { counts?: boolean } = {},
  ): Promise<void> {
    if (applied.length === 0) return;
    const effectiveOn = this.clock.today();
    const payments = applied.map(({ payment }) => payment);
    await this.changePayments(payments, 'allocate', async () => {
      await this.add(
        applied.flatMap(({ payment, shares }) =>
          shares.map((share) => ({ ...share, paymentId: payment.id, effectiveOn })),
        ),
      );
      for (const { payment, shares } of applied) payment.unappliedCents -= sumOfShares(shares);
    });
    if (!counts) return;
    await this.count(
      account,
      applied.flatMap(({ shares }) => shares),
      'paid',
    );
  }

  /**
   * Releases parts of allocations from this day on. Their money becomes unapplied, or with `from: 'invoices'` stays on the
   * installments that the allocations also settle. With `isExcess`, the released money settles later debts automatically,
   * unless staff keep other money of the payment from doing so.
   */
  async release(
    account: BookingAccount,
    released: readonly ReleasedPart[],
    { day = this.clock.today(), from = 'all', isExcess = false }: Release = {},
  ): Promise<void> {
    if (released.length === 0) return;
    const stays = ({ scheduleId }: Share) => from === 'invoices' && scheduleId !== null;
    const payments = await this.repository.lockPayments(paymentIdsOf(released));
    await this.changePayments(payments, 'deallocate', async () => {
      await this.reverse(
        released.map(({ allocation }) => allocation),
        day,
      );
      await this.add(
        released.flatMap(({ allocation, cents }) => {
          const { id: _reversed, ...kept } = allocation;
          const effectiveOn = notBefore(allocation, day);
          const rest = { ...kept, amountCents: kept.amountCents - cents, effectiveOn };
          const onInstallment = { ...kept, invoiceId: null, amountCents: cents, effectiveOn };
          return [...(rest.amountCents > 0 ? [rest] : []), ...(stays(allocation) ? [onInstallment] : [])];
        }),
      );
      for (const payment of payments) {
        const own = released.filter(({ allocation }) => allocation.paymentId === payment.id && !stays(allocation));
        if (isExcess && payment.unappliedCents === 0) payment.autoApply = true;
        payment.unappliedCents += own.reduce((sum, { cents }) => sum + cents, 0);
      }
    });
    await this.count(
      account,
      released.map(({ allocation, cents }) => ({
        ...allocation,
        scheduleId: stays(allocation) ? null : allocation.scheduleId,
        amountCents: cents,
      })),
      'unpaid',
    );
  }

  /** Counts allocated shares as paid on the account, or stops counting them. */
  async count(account: BookingAccount, shares: readonly Share[], as: 'paid' | 'unpaid'): Promise<void> {
    if (shares.length === 0) return;
    const changes = account.count(shares, as);
    await this.database.together(() =>
      Promise.all([
        this.repository.saveInvoiceBalances(changes.invoices),
        this.repository.saveInstallments(changes.installments),
        this.repository.addCovered(coversOf(shares, as)),
      ]),
    );
    // These amounts do not change the plan; the ledger entry of the payment records them.
    account.plan?.markStored();
    for (const invoice of changes.settledInvoices) this.audit.publishInvoice('settled', invoice);
    for (const installment of changes.settledInstallments) this.audit.publishInstallment('paid', installment);
    if (changes.invoices.length > 0) await this.reminders.reschedule(account.booking.id, INVOICE_TRIGGERS);
    if (changes.installments.length > 0) await this.installmentsChanged(account);
  }

  /** Updates commissions, reminders and vouchers, which depend on installments and their money. */
  async installmentsChanged({ booking, plan }: BookingAccount): Promise<void> {
    await this.commissions.settle(booking.id);
    if (plan && !plan.installments.some((installment) => installment.isOpen())) this.vouchers.followAtEnd(booking.id);
    if (plan) await this.reminders.reschedule(booking.id, INSTALLMENT_TRIGGERS);
  }

  /** Changes allocations and unapplied amounts of locked payments, with a ledger entry for each. */
  private async changePayments(
    payments: readonly Payment[],
    verb: 'allocate' | 'deallocate',
    change: () => Promise<void>,
  ): Promise<void> {
    const ids = payments.map(({ id }) => id);
    const before = imagesOf(payments, await this.repository.allocationsOf(ids));
    await change();
    await this.repository.saveUnapplied(payments);
    const live = await this.repository.allocationsOf(ids);
    for (const [index, payment] of payments.entries()) {
      const allocations = live.filter(({ paymentId }) => paymentId === payment.id);
      this.audit.paymentChanged(verb, payment, { allocations, before: before[index] ?? null });
    }
  }
}

/** Prevents an allocation from ending before it began, for example after a move to a time zone with an earlier day. */
function notBefore({ effectiveOn }: PaymentAllocation, day: string): string {
  return day < effectiveOn ? effectiveOn : day;
}

function coversOf(shares: readonly Share[], as: 'paid' | 'unpaid'): Map<string, number> {
  const covers = new Map<string, number>();
  for (const { refundId, amountCents } of shares) {
    if (refundId === null) continue;
    covers.set(refundId, (covers.get(refundId) ?? 0) + (as === 'paid' ? amountCents : -amountCents));
  }
  return covers;
}

function paymentIdsOf(changed: readonly { allocation: PaymentAllocation }[]): string[] {
  return [...new Set(changed.map(({ allocation }) => allocation.paymentId))];
}

function imagesOf(payments: readonly Payment[], allocations: readonly PaymentAllocation[]): object[] {
  return payments.map((payment) => payment.auditImage(allocations.filter(({ paymentId }) => paymentId === payment.id)));
}

function assertWithinLimit(live: readonly { paymentId: string }[]): void {
  const counts = new Map<string, number>();
  for (const { paymentId } of live) counts.set(paymentId, (counts.get(paymentId) ?? 0) + 1);
  if ([...counts.values()].every((count) => count <= MAX_LIVE_ALLOCATIONS)) return;
  throw conflict('allocation_limit_reached', 'The payment has reached its allocation limit', {
    limit: MAX_LIVE_ALLOCATIONS,
  });
}
