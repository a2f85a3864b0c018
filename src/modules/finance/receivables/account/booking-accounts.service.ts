import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { BookingsService, type BookingSummary } from '../../../bookings/index.js';
import { AccountAuditService } from './account-audit.service.js';
import { AllocationsService, type ReleasedPart } from './allocations.service.js';
import { type AccountMoney, BookingAccount } from './booking-account.js';
import { BookingAccountsRepository, type StoredReduction } from './booking-accounts.repository.js';
import type { Invoice } from './invoice.entity.js';
import { type InstallmentChange, LockedPlan, type PlannedBooking } from './locked-plan.js';
import { OpenDebts, toShare } from './open-debts.js';
import { Outstanding } from './outstanding.js';
import { type PaymentAllocation, type Share, sumOfShares } from '../../books/index.js';
import { redateReopened } from './plan-redating.js';
import type { PaymentPlan } from './payment-plan.entity.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';

/** A part of the paid amount of an installment. */
export interface Release {
  scheduleId: string;
  cents: number;
}

/**
 * Locks and saves booking accounts, and applies received money to debts. Everything happens in the transaction of the use case,
 * which locks the account first.
 */
@Injectable()
export class BookingAccountsService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly repository: BookingAccountsRepository,
    private readonly allocations: AllocationsService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {}

  async lock(bookingId: string, details?: { field: string }): Promise<BookingAccount> {
    return this.lockOf(await this.bookings.lock(bookingId, details));
  }

  /** Returns the account of a booking that is already locked. */
  async lockOf(booking: BookingSummary): Promise<BookingAccount> {
    const [{ plan, money }, installments, invoices] = await this.database.together(() =>
      Promise.all([
        this.repository.planAndMoney(booking.id),
        this.repository.lockInstallments(booking.id),
        this.repository.lockInvoices(booking.id),
      ]),
    );
    return accountOf(booking, { plan, installments, invoices, money });
  }

  /** Returns the account without locks, for a preview. */
  async read(bookingId: string): Promise<BookingAccount> {
    const booking = await this.bookings.getSummary(bookingId);
    const [{ plan, money }, installments, invoices] = await this.database.together(() =>
      Promise.all([
        this.repository.planAndMoney(booking.id),
        this.repository.installmentsOf(booking.id),
        this.repository.invoicesOf(booking.id),
      ]),
    );
    return accountOf(booking, { plan, installments, invoices, money });
  }

  async openBalanceOf(customerId: string, currency: string): Promise<number> {
    return this.repository.openBalanceOf(customerId, currency);
  }

  /** Returns the money received for the booking that settles nothing. */
  async unappliedCents(bookingId: string): Promise<number> {
    return (await this.repository.moneyOf(bookingId)).unappliedCents;
  }

  /** Adds the first plan of the account; money received earlier settles its installments. */
  async addPlan(account: BookingAccount, plan: LockedPlan): Promise<void> {
    account.plan = plan;
    await this.repository.insertPlan(plan.plan, plan.installments);
    plan.markStored();
    this.audit.planMaterialized(plan);
    await this.applyMoney(account);
    await this.allocations.installmentsChanged(account);
  }

  /**
   * Saves changed and added installments of the plan. The caller records the returned changes, if necessary after the
   * money that belongs to them was moved.
   */
  async savePlan(plan: LockedPlan): Promise<InstallmentChange[]> {
    const changes = plan.changes();
    const added = changes.filter(({ before }) => before === null).map(({ installment }) => installment);
    const changed = changes.filter(({ before }) => before !== null).map(({ installment }) => installment);
    await this.repository.saveInstallments(changed);
    await this.repository.insertInstallments(added);
    if (plan.plan.offByCents !== plan.offByCents) await this.repository.savePlanDeviation(plan.plan);
    plan.markStored();
    return changes;
  }

  /** Stores the amounts by which the cancellation of an item reduced installments. */
  async keepReductions(bookingItemId: string, reductions: readonly StoredReduction[]): Promise<void> {
    if (reductions.length > 0) await this.repository.insertReductions(bookingItemId, reductions);
  }

  /** Deletes the reductions of an item and returns them by position. */
  async takeReductions(bookingItemId: string): Promise<StoredReduction[]> {
    return this.repository.deleteReductions(bookingItemId);
  }

  /** Updates commissions and reminders, which depend on installments and their money. */
  async installmentsChanged(account: BookingAccount): Promise<void> {
    await this.allocations.installmentsChanged(account);
  }

  /**
   * Applies received money to debts. Must be called in each transaction that opens or lowers a debt, or frees money, after the
   * change was saved. Money on invoices alone also settles open installments, money on installments alone also settles open
   * invoices, and unapplied money settles open installments, open invoices and uncovered refunds. Money on invoices alone that
   * exceeds the claim becomes unapplied, so that it can be seen and refunded. Finally, reopened installments get new due dates
   * if their departure moved meanwhile. A second call writes nothing. With `onlyAutomatic: false` it also applies money that
   * staff released by hand.
   */
  async applyMoney(account: BookingAccount, { onlyAutomatic = true } = {}): Promise<void> {
    await this.applyInvoiceMoney(account);
    await this.applyInstallmentMoney(account);
    const isAnyApplied = await this.applyUnapplied(account, { onlyAutomatic });
    // An installment that was just paid no longer needs its invoice.
    if (isAnyApplied) await this.applyInstallmentMoney(account);
    if (await this.releaseExcess(account)) {
      await this.applyInstallmentMoney(account);
      await this.applyUnapplied(account, { onlyAutomatic });
    }
    await this.redateReopened(account);
  }

  /** Returns the debts that received money would settle now, in order. */
  async openDebts(account: BookingAccount): Promise<OpenDebts> {
    const { id } = account.booking;
    const [refunds, money] = await this.database.together(() =>
      Promise.all([this.repository.uncoveredRefunds(id), this.repository.moneyOf(id)]),
    );
    return account.openDebts(
      refunds.map((refund) => ({ id: refund.id, uncoveredCents: refund.uncoveredCents() })),
      money,
    );
  }

  /**
   * Applies money that was received before the issue of this invoice of a locked booking. Returns the paid part of its total;
   * the caller writes it together with the number.
   */
  async applyEarlyMoneyToNewInvoice(account: BookingAccount, invoice: Invoice, issueDate: string): Promise<number> {
    const { id, bookingId, scheduleId, totalCents } = invoice;
    const open = { id, scheduleId, issueDate, outstandingCents: totalCents };
    // Without a plan, no money is on installments.
    const replaced = account.plan ? await this.replaceInstallmentMoney(bookingId, account.outstanding([open])) : [];
    const early = sumOfShares(replaced);
    if (early === totalCents) return early;
    const present = replaced.length === 0 ? account : await this.lockOf(account.booking);
    return early + (await this.applyUnappliedTo(present, invoice, totalCents - early));
  }

  /** Releases money from installments, the latest allocation first. The money becomes unapplied. */
  async release(account: BookingAccount, releases: readonly Release[]): Promise<void> {
    if (releases.length === 0) return;
    const live = await this.repository.allocationsTo(releases.map(({ scheduleId }) => scheduleId));
    await this.allocations.release(
      account,
      releases.flatMap(({ scheduleId, cents }) =>
        latestOf(
          live.filter((allocation) => allocation.scheduleId === scheduleId),
          cents,
        ),
      ),
    );
  }

  /**
   * Releases this amount of the money paid on an invoice, from this day on. Releases money on the invoice alone first, which
   * becomes unapplied; then money that also settles an installment, which stays there. In both groups the latest allocation
   * goes first. `applyMoney` must be called only after the invoice was credited: while it is open, the money would settle it
   * again.
   */
  async releaseFromInvoice(
    account: BookingAccount,
    { id }: Invoice,
    { cents, day }: { cents: number; day: string },
  ): Promise<void> {
    const live = await this.repository.allocationsToInvoice(id);
    const isAlone = ({ scheduleId }: PaymentAllocation) => scheduleId === null;
    const inOrder = [...live.filter((one) => !isAlone(one)), ...live.filter(isAlone)];
    await this.allocations.release(account, latestOf(inOrder, cents), { day, from: 'invoices' });
  }

  /**
   * Releases all money of the booking from its installments and invoices, from this day on. It becomes unapplied; money that
   * covers refunds stays. Call `applyMoney` after closing the debts.
   */
  async releaseAll(account: BookingAccount, day: string): Promise<void> {
    const live = await this.repository.allocationsOfBooking(account.booking.id);
    await this.allocations.release(
      account,
      live.map((allocation) => ({ allocation, cents: allocation.amountCents })),
      { day },
    );
  }

  /** A reopened installment follows a departure that was moved while the installment was paid. */
  private async redateReopened(account: BookingAccount): Promise<void> {
    const { booking, plan } = account;
    const { departureDate, confirmedOn } = booking;
    if (!plan || departureDate === null || booking.status === 'cancelled') return;
    const floorDays = plan.plan.policy?.floorDays ?? 0;
    const { installments } = plan;
    redateReopened({ installments, departureDate, confirmedOn, today: this.clock.today(), floorDays });
    const changes = await this.savePlan(plan);
    if (changes.length === 0) return;
    this.audit.installmentsChanged(changes, () => 'redate');
    this.audit.planRedated(plan, []);
    await this.installmentsChanged(account);
  }

  /** Lets money on invoices alone also settle open installments, so that it is not requested again. */
  private async applyInvoiceMoney(account: BookingAccount): Promise<void> {
    const outstanding = account.outstandingInstallments();
    const isAnyPaid = account.invoices.some(({ paidCents }) => paidCents > 0);
    if (outstanding.isEmpty() || !isAnyPaid) return;
    const ownOf = new Map(account.invoices.map(({ id, scheduleId }) => [id, scheduleId]));
    const replacements = (await this.repository.allocationsWithoutInstallment(account.booking.id))
      .map((allocation) => {
        const { invoiceId, amountCents } = allocation;
        const own = ownOf.get(invoiceId ?? '') ?? null;
        return { allocation, shares: outstanding.onInstallmentsLater({ invoiceId, own }, amountCents).map(toShare) };
      })
      .filter(({ shares }) => shares.some(({ scheduleId }) => scheduleId !== null));
    await this.allocations.replace(replacements);
    const shares = replacements.flatMap((replacement) => replacement.shares);
    // These amounts are already counted on the invoices.
    await this.allocations.count(
      account,
      shares.map((share) => ({ ...share, invoiceId: null })),
      'paid',
    );
  }

  /** Counts money that settled an installment before its invoice was issued on the invoice. */
  private async applyInstallmentMoney(account: BookingAccount): Promise<void> {
    const isAnyPaid = account.installments.some(({ paidCents }) => paidCents > 0);
    if (!isAnyPaid || account.openInvoices().length === 0) return;
    const shares = await this.replaceInstallmentMoney(account.booking.id, account.outstanding());
    // These amounts are already counted on the installments.
    await this.allocations.count(
      account,
      shares.map((share) => ({ ...share, scheduleId: null })),
      'paid',
    );
  }

  /**
   * Releases money on invoices alone that exceeds the claim, or that money of an installment which counts on no invoice can
   * replace. Releases the latest allocation first, and returns whether it released any. Money of a cancelled booking stays
   * allocated until the settlement.
   */
  private async releaseExcess(account: BookingAccount): Promise<boolean> {
    const { booking, invoices, installments } = account;
    const isAnyOpen = installments.some((installment) => installment.isOpen());
    if (booking.status === 'cancelled' || isAnyOpen || invoices.every(({ paidCents }) => paidCents === 0)) return false;
    const alone = await this.repository.allocationsWithoutInstallment(booking.id);
    const aloneCents = sumOfShares(alone);
    const onInstallmentsCents = sumOfPaid(installments);
    const withoutInvoiceCents = onInstallmentsCents + aloneCents - sumOfPaid(invoices);
    const aboveClaimCents = aloneCents + onInstallmentsCents - account.claimCents();
    const released = latestOf(alone, Math.max(aboveClaimCents, withoutInvoiceCents));
    await this.allocations.release(account, released, { isExcess: true });
    return released.length > 0;
  }

  /** Allocates unapplied money. Returns whether any of it settles something. */
  private async applyUnapplied(account: BookingAccount, only: { onlyAutomatic: boolean }): Promise<boolean> {
    const { id } = account.booking;
    const payments = await this.repository.lockUnappliedPayments(id, only);
    if (payments.length === 0) return false;
    const debts = await this.openDebts(account);
    const applied = payments
      .map((payment) => ({ payment, shares: debts.take(payment.unappliedCents) }))
      .filter(({ shares }) => shares.length > 0);
    await this.allocations.apply(account, applied);
    return applied.length > 0;
  }

  /** Applies unapplied money to an invoice that is not open yet, and returns how much. */
  private async applyUnappliedTo(account: BookingAccount, invoice: Invoice, cents: number): Promise<number> {
    if (account.money.unappliedCents === 0) return 0;
    const payments = await this.repository.lockUnappliedPayments(account.booking.id, { onlyAutomatic: true });
    if (payments.length === 0) return 0;
    const billed = account.booking.status === 'draft' ? invoice.totalCents : 0;
    const leftCents = Math.min(cents, (await this.openDebts(account)).claimLeftCents + billed);
    const open = new Outstanding([], [{ ...invoice, issueDate: this.clock.today(), outstandingCents: leftCents }]);
    const applied = payments
      .map((payment) => ({ payment, shares: open.spreadOverInvoices(payment.unappliedCents).map(toShare) }))
      .filter(({ shares }) => shares.length > 0);
    // The caller writes the balance of the invoice.
    await this.allocations.apply(account, applied, { counts: false });
    return applied.reduce((sum, { shares }) => sum + sumOfShares(shares), 0);
  }

  /** Returns the shares that newly count on the invoices. */
  private async replaceInstallmentMoney(bookingId: string, outstanding: Outstanding): Promise<Share[]> {
    const live = await this.repository.allocationsWithoutInvoice(bookingId);
    const settled = outstanding.onInvoicesLater(live);
    const replacements = live
      .map((allocation, index) => ({ allocation, shares: (settled[index] ?? []).map(toShare) }))
      .filter(({ shares }) => shares.some(({ invoiceId }) => invoiceId !== null));
    await this.allocations.replace(replacements);
    return replacements.flatMap(({ shares }) => shares).filter(({ invoiceId }) => invoiceId !== null);
  }
}

interface Stored {
  plan: PaymentPlan | null;
  installments: PaymentSchedule[];
  invoices: Invoice[];
  money: AccountMoney;
}

function accountOf(booking: BookingSummary, { plan, installments, invoices, money }: Stored): BookingAccount {
  const account = new BookingAccount(booking, null, invoices, money);
  if (plan) {
    const own = installments.filter(({ planId }) => planId === plan.id).sort((a, b) => a.position - b.position);
    account.plan = new LockedPlan(plannedBooking(booking), plan, own, account.invoicedInstallments());
  }
  return account;
}

function sumOfPaid(paid: readonly { paidCents: number }[]): number {
  return paid.reduce((sum, { paidCents }) => sum + paidCents, 0);
}

function plannedBooking({ id, currency, totalCents }: BookingSummary): PlannedBooking {
  return { id, currency, totalCents };
}

/** Returns the latest of these allocations that make up this amount; the last one may be a part. */
function latestOf(live: readonly PaymentAllocation[], cents: number): ReleasedPart[] {
  let left = cents;
  const released: ReleasedPart[] = [];
  for (const allocation of live.toReversed()) {
    const part = Math.min(left, allocation.amountCents);
    if (part > 0) released.push({ allocation, cents: part });
    left -= part;
  }
  return released;
}
