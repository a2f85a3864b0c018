import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { type BookingSummary, BookingsService } from '../../bookings/index.js';
import { RemindersService } from '../../notifications/index.js';
import { CommissionsService } from '../commissions/commissions.service.js';
import { INSTALLMENT_TRIGGERS, INVOICE_TRIGGERS } from '../reminders/reminder-triggers.js';
import { AccountAuditService } from './account-audit.service.js';
import { BookingAccount, toShare } from './booking-account.js';
import { BookingAccountsRepository } from './booking-accounts.repository.js';
import type { Invoice } from './invoice.entity.js';
import { type InstallmentChange, LockedPlan, type PlannedBooking } from './locked-plan.js';
import { type OpenInvoice, Outstanding } from './outstanding.js';
import { MAX_LIVE_ALLOCATIONS, PaymentAllocation, type Share, sumOfShares } from './payment-allocation.entity.js';
import type { PaymentPlan } from './payment-plan.entity.js';
import type { PaymentSchedule } from './payment-schedule.entity.js';
import type { Payment } from './payment.entity.js';

/** A part of what is paid on an installment. */
export interface Release {
  scheduleId: string;
  cents: number;
}

export interface NewAllocation extends Share {
  /** For demo rows with ids that the API document's examples name. */
  id?: string;
  paymentId: string;
  effectiveOn: string;
}

/**
 * Locks and saves booking accounts, and alone writes balances: what is paid on installments and invoices, their statuses,
 * and what is unapplied of payments. Everything happens in the transaction of the use case, which locks the account first.
 */
@Injectable()
export class BookingAccountsService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly repository: BookingAccountsRepository,
    private readonly commissions: CommissionsService,
    private readonly reminders: RemindersService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the booking, its installments and its invoices until the transaction ends. Throws 404; `details` are for an id
   * that a body contains.
   */
  async lock(bookingId: string, details?: { field: string }): Promise<BookingAccount> {
    return this.lockOf(await this.bookings.lock(bookingId, details));
  }

  /** The account of a booking that is locked already. */
  async lockOf(booking: BookingSummary): Promise<BookingAccount> {
    const [plan, installments, invoices] = await this.database.together(() =>
      Promise.all([
        this.repository.currentPlan(booking.id),
        this.repository.lockInstallments(booking.id),
        this.repository.lockInvoices(booking.id),
      ]),
    );
    return accountOf(booking, { plan, installments, invoices });
  }

  /** The account without locks, for a preview. Throws 404. */
  async read(bookingId: string): Promise<BookingAccount> {
    const booking = await this.bookings.getSummary(bookingId);
    const [plan, installments, invoices] = await this.database.together(() =>
      Promise.all([
        this.repository.currentPlan(booking.id),
        this.repository.installmentsOf(booking.id),
        this.repository.invoicesOf(booking.id),
      ]),
    );
    return accountOf(booking, { plan, installments, invoices });
  }

  /** Money received for the booking that settles nothing. */
  async unappliedCents(bookingId: string): Promise<number> {
    return this.repository.unappliedCents(bookingId);
  }

  /** The live allocations of a payment, the oldest first. */
  async allocationsOf(paymentId: string): Promise<PaymentAllocation[]> {
    return this.repository.allocationsOf([paymentId]);
  }

  /** Adds the first plan of the account; money that was received before settles its installments. */
  async addPlan(account: BookingAccount, plan: LockedPlan): Promise<void> {
    account.plan = plan;
    await this.repository.insertPlan(plan.plan, plan.installments);
    plan.markStored();
    this.audit.planMaterialized(plan);
    await this.allocateUnapplied(account);
    await this.installmentsChanged(account);
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

  /** Updates what depends on installments and their money: which commissions are payable, and reminders. */
  async installmentsChanged({ booking, plan }: BookingAccount): Promise<void> {
    await this.commissions.settle(booking.id);
    if (plan) await this.reminders.reschedule(booking.id, INSTALLMENT_TRIGGERS);
  }

  /** Adds allocations beside the `present` ones of the same payments. Throws 409 `allocation_limit_reached`. */
  async addAllocations(
    allocations: readonly NewAllocation[],
    present: readonly PaymentAllocation[] = [],
  ): Promise<PaymentAllocation[]> {
    assertWithinLimit([...present, ...allocations]);
    const createdAt = this.clock.now();
    const added = allocations.map(({ id = newId('pall'), paymentId, effectiveOn, ...share }) => {
      const { scheduleId, invoiceId, supplierInvoiceId, amountCents } = share;
      const columns = { paymentId, scheduleId, invoiceId, supplierInvoiceId, amountCents, effectiveOn };
      return make(PaymentAllocation, { id, ...columns, reversesId: null, createdAt });
    });
    await this.repository.insertAllocations(added);
    return added;
  }

  /** Reverses allocations, each by a row that repeats it; they no longer count from today on. */
  async reverseAllocations(allocations: readonly PaymentAllocation[]): Promise<void> {
    const [createdAt, today] = [this.clock.now(), this.clock.today()];
    await this.repository.insertAllocations(
      allocations.map((reversed) => {
        // If the organization moved to a time zone with an earlier day, an allocation must not end before it began.
        const effectiveOn = today < reversed.effectiveOn ? reversed.effectiveOn : today;
        const row = { ...reversed, id: newId('pall'), reversesId: reversed.id, effectiveOn, createdAt };
        return make(PaymentAllocation, row);
      }),
    );
  }

  /** Counts allocated shares as paid on the account. */
  async settle(account: BookingAccount, shares: readonly Share[]): Promise<void> {
    await this.count(account, shares, 'paid');
    await this.applyEarlyMoneyToInvoices(account);
  }

  /** Counts the shares of reversed allocations as no longer paid. */
  async unsettle(account: BookingAccount, shares: readonly Share[]): Promise<void> {
    await this.count(account, shares, 'unpaid');
  }

  /** Applies money that was received before the plan existed or before an invoice was issued. */
  async applyEarlyMoney(account: BookingAccount): Promise<void> {
    await this.applyEarlyMoneyToPlan(account);
    await this.applyEarlyMoneyToInvoices(account);
  }

  /**
   * Applies money that settled installments before this invoice of a locked booking was issued. Returns how much of its
   * total is paid; the caller writes that together with the number.
   */
  async applyEarlyMoneyToNewInvoice(
    { id, bookingId, scheduleId, totalCents }: Invoice,
    issueDate: string,
  ): Promise<number> {
    const invoice = { id, scheduleId, issueDate, outstandingCents: totalCents };
    return sumOfShares(await this.allocateEarlyMoney(bookingId, [invoice]));
  }

  /** Lets early and unapplied money settle the account's open installments, the oldest of each first. */
  async allocateUnapplied(account: BookingAccount): Promise<void> {
    await this.applyEarlyMoney(account);
    const payments = await this.repository.lockUnappliedPayments(account.booking.id);
    const outstanding = account.outstanding();
    const allocated = payments
      .map((payment) => ({ payment, shares: outstanding.spread(payment.unappliedCents).map(toShare) }))
      .filter(({ shares }) => shares.length > 0);
    if (allocated.length === 0) return;

    const effectiveOn = this.clock.today();
    const changed = allocated.map(({ payment }) => payment);
    await this.changePayments(changed, 'allocate', async () => {
      await this.addAllocations(
        allocated.flatMap(({ payment, shares }) =>
          shares.map((share) => ({ ...share, paymentId: payment.id, effectiveOn })),
        ),
      );
      for (const { payment, shares } of allocated) payment.unappliedCents -= sumOfShares(shares);
    });
    await this.settle(
      account,
      allocated.flatMap(({ shares }) => shares),
    );
  }

  /** Releases money from installments, what was allocated last first. It is unapplied then. */
  async release(account: BookingAccount, releases: readonly Release[]): Promise<void> {
    if (releases.length === 0) return;
    const live = await this.repository.allocationsTo(releases.map(({ scheduleId }) => scheduleId));
    const released = releases.flatMap((release) => latestOf(live, release));
    const payments = await this.repository.lockPayments(paymentIdsOf(released));
    await this.changePayments(payments, 'deallocate', async () => {
      await this.reverseAllocations(released.map(({ allocation }) => allocation));
      // What remains of an allocation is a row of its own.
      const remaining = released.filter(({ allocation, cents }) => cents < allocation.amountCents);
      const effectiveOn = this.clock.today();
      await this.addAllocations(
        remaining.map(({ allocation: { id: _reversed, ...kept }, cents }) => ({
          ...kept,
          amountCents: kept.amountCents - cents,
          effectiveOn,
        })),
      );
      await this.unsettle(
        account,
        released.map(({ allocation, cents }) => ({ ...allocation, amountCents: cents })),
      );
      for (const payment of payments) {
        const own = released.filter(({ allocation }) => allocation.paymentId === payment.id);
        payment.unappliedCents += own.reduce((sum, { cents }) => sum + cents, 0);
      }
    });
  }

  private async count(account: BookingAccount, shares: readonly Share[], as: 'paid' | 'unpaid'): Promise<void> {
    const changes = account.count(shares, as);
    await this.database.together(() =>
      Promise.all([
        this.repository.saveInvoiceBalances(changes.invoices),
        this.repository.saveInstallments(changes.installments),
      ]),
    );
    // These amounts are not a change of the plan: their ledger entry is that of the payment.
    account.plan?.markStored();
    for (const invoice of changes.settledInvoices) this.audit.publishInvoice('settled', invoice);
    for (const installment of changes.settledInstallments) this.audit.publishInstallment('paid', installment);
    if (changes.invoices.length > 0) await this.reminders.reschedule(account.booking.id, INVOICE_TRIGGERS);
    if (changes.installments.length > 0) await this.installmentsChanged(account);
  }

  /** Money that paid an invoice before there was a plan settles installments too, so that it is not requested again. */
  private async applyEarlyMoneyToPlan(account: BookingAccount): Promise<void> {
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
    await this.replaceAllocations(replacements);
    const shares = replacements.flatMap((replacement) => replacement.shares);
    // They counted on the invoices before.
    await this.count(
      account,
      shares.map((share) => ({ ...share, invoiceId: null })),
      'paid',
    );
  }

  /** Money that settled an installment before its invoice was issued counts on the invoice too. */
  private async applyEarlyMoneyToInvoices(account: BookingAccount): Promise<void> {
    const isAnyPaid = account.installments.some(({ paidCents }) => paidCents > 0);
    const shares = isAnyPaid ? await this.allocateEarlyMoney(account.booking.id, account.openInvoices()) : [];
    // They counted on the installments before.
    if (shares.length > 0) {
      await this.count(
        account,
        shares.map((share) => ({ ...share, scheduleId: null })),
        'paid',
      );
    }
  }

  /** Returns the shares that count on the invoices now and did not before. */
  private async allocateEarlyMoney(bookingId: string, invoices: readonly OpenInvoice[]): Promise<Share[]> {
    const outstanding = new Outstanding([], invoices);
    if (outstanding.isEmpty()) return [];
    const replacements = (await this.repository.allocationsWithoutInvoice(bookingId))
      .map((allocation) => {
        const { scheduleId, amountCents } = allocation;
        return { allocation, shares: outstanding.onInvoicesLater(scheduleId, amountCents).map(toShare) };
      })
      .filter(({ shares }) => shares.some(({ invoiceId }) => invoiceId !== null));
    await this.replaceAllocations(replacements);
    return replacements.flatMap(({ shares }) => shares).filter(({ invoiceId }) => invoiceId !== null);
  }

  /** Replaces allocations by shares that make up their amounts, effective today. */
  private async replaceAllocations(
    replacements: readonly { allocation: PaymentAllocation; shares: readonly Share[] }[],
  ): Promise<void> {
    if (replacements.length === 0) return;
    const payments = await this.repository.lockPayments(paymentIdsOf(replacements));
    await this.changePayments(payments, 'allocate', async () => {
      await this.reverseAllocations(replacements.map(({ allocation }) => allocation));
      const effectiveOn = this.clock.today();
      await this.addAllocations(
        replacements.flatMap(({ allocation: { paymentId }, shares }) =>
          shares.map((share) => ({ ...share, paymentId, effectiveOn })),
        ),
      );
    });
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

interface Stored {
  plan: PaymentPlan | null;
  installments: PaymentSchedule[];
  invoices: Invoice[];
}

function accountOf(booking: BookingSummary, { plan, installments, invoices }: Stored): BookingAccount {
  const account = new BookingAccount(booking, null, invoices);
  if (plan) {
    const own = installments.filter(({ planId }) => planId === plan.id).sort((a, b) => a.position - b.position);
    account.plan = new LockedPlan(plannedBooking(booking), plan, own, account.invoicedInstallments());
  }
  return account;
}

function plannedBooking({ id, currency, totalCents }: BookingSummary): PlannedBooking {
  return { id, currency, totalCents };
}

function paymentIdsOf(replaced: readonly { allocation: PaymentAllocation }[]): string[] {
  return [...new Set(replaced.map(({ allocation }) => allocation.paymentId))];
}

function imagesOf(payments: readonly Payment[], allocations: readonly PaymentAllocation[]): object[] {
  return payments.map((payment) => payment.auditImage(allocations.filter(({ paymentId }) => paymentId === payment.id)));
}

/** The latest allocations of an installment that make up this amount; of the last one maybe a part. */
function latestOf(live: readonly PaymentAllocation[], { scheduleId, cents }: Release) {
  let left = cents;
  const released: { allocation: PaymentAllocation; cents: number }[] = [];
  for (const allocation of live.filter((one) => one.scheduleId === scheduleId).reverse()) {
    const part = Math.min(left, allocation.amountCents);
    if (part > 0) released.push({ allocation, cents: part });
    left -= part;
  }
  return released;
}

function assertWithinLimit(live: readonly { paymentId: string }[]): void {
  const counts = new Map<string, number>();
  for (const { paymentId } of live) counts.set(paymentId, (counts.get(paymentId) ?? 0) + 1);
  if ([...counts.values()].every((count) => count <= MAX_LIVE_ALLOCATIONS)) return;
  throw conflict('allocation_limit_reached', 'The payment has reached its allocation limit', {
    limit: MAX_LIVE_ALLOCATIONS,
  });
}
