import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { make } from '../../../../platform/database/rows.js';
import { conflict, invalidField, notFound } from '../../../../platform/errors/app-error.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { checkedAs } from '../../../../platform/http/format-check.js';
import { assertVersion, type Target } from '../../../../platform/http/if-match.js';
import {
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
} from '../../../action-ledger/index.js';
import { newId } from '../../../../platform/ids/id.js';
import { directionOf } from '../../../../platform/database/sort-rows.js';
import { BookingsService, type BookingSummary, type PaymentPolicy } from '../../../bookings/index.js';
import { AccountAuditService } from '../account/account-audit.service.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import { type InstallmentChange, LockedPlan, type NewInstallment } from '../account/locked-plan.js';
import { PaymentPlan, type PolicySource } from '../account/payment-plan.entity.js';
import { PaymentSchedule } from '../account/payment-schedule.entity.js';
import { toPolicyTerms } from '../policies/payment-policy.dto.js';
import { PaymentPoliciesService } from '../policies/payment-policies.service.js';
import { PaymentsService } from '../payments/payments.service.js';
import { FinanceSettingsService } from '../../books/index.js';
import { assertBeforeDeparture, balanceOver, editInstallment, restoreInstallment } from './installment-editing.js';
import {
  type CreatePaymentSchedule,
  type DepartureQuery,
  type InstallmentView,
  type ListPaymentSchedules,
  type PatchQuery,
  StoredInstallment,
  type UpdatePaymentSchedule,
} from './payment-schedule.dto.js';
import { type ComputedPlan, computePlan } from './plan.js';
import { redatePlan } from '../account/plan-redating.js';
import { pageSql } from './installment-list.sql.js';
import { growPlan, reductionsSince, releasesFor, restoreReductions, shrinkOpen } from './plan-resizing.js';
import { planTotalMismatch, reduceOthers } from './rebalance.js';

const MAX_INSTALLMENTS = 500;

interface ListedInstallment {
  id: string | null;
  departure_date: string | null;
  total: number;
}

/** The members of an installment that the cancellation of a booking changes. */
export type InstallmentBefore = Pick<PaymentSchedule, 'id' | 'amountCents' | 'status'>;

/** The policy used to compute a plan. */
export interface ChosenPolicy {
  policy: PaymentPolicy | null;
  source: PolicySource;
}

/** Manages payment plans of bookings and their installments. A plan adds up to the booking's total. */
@Injectable()
export class PaymentPlansService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly payments: PaymentsService,
    private readonly policies: PaymentPoliciesService,
    private readonly settings: FinanceSettingsService,
    private readonly audit: AccountAuditService,
    private readonly clock: Clock,
  ) {}

  /** Reads the installments of the booking's current plan with one statement. */
  async list(bookingId: string, query: ListPaymentSchedules): Promise<{ views: InstallmentView[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { status = null, dueFrom = null, dueTo = null } = query;
    const direction = directionOf(query.sort ?? 'dueDate');
    const rows = await this.database.read<PaymentSchedule, ListedInstallment>(PaymentSchedule, {
      name: `payment-schedules-of-booking-${direction}`,
      text: pageSql(this.database.columnsOf(PaymentSchedule, 'installment'), direction),
      values: [bookingId, this.clock.today(), status, dueFrom, dueTo, limit, offset],
    });
    const total = rows[0]?.raw.total ?? 0;
    // A booking with installments exists.
    if (total === 0) await this.bookings.getSummary(bookingId);
    const found = rows.filter(({ raw }) => raw.id !== null);
    return {
      views: found.map(({ entity, raw }) => ({ installment: entity, departureDate: raw.departure_date })),
      total,
    };
  }

  async get(bookingId: string, id: string): Promise<InstallmentView> {
    const installment = await this.database.findRow(PaymentSchedule, { id, bookingId });
    if (!installment) throw notFound();
    const { departureDate } = await this.bookings.getSummary(bookingId);
    return { installment, departureDate };
  }

  /** Adds an installment to the plan, or starts a plan with it. */
  async create(
    bookingId: string,
    input: CreatePaymentSchedule,
    { allowAfterDeparture = false }: DepartureQuery,
  ): Promise<InstallmentView> {
    const { label, dueDate, amountCents, type = 'installment', notes = null } = input;
    const installment: NewInstallment = { label, dueDate, amountCents, type, notes, basis: 'manual' };
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(bookingId);
      assertNotCancelled(account.booking);
      const totalCents = pricedTotalOf(account.booking);
      const { departureDate } = account.booking;
      assertBeforeDeparture(dueDate, { departureDate, allowAfterDeparture });
      const added = account.plan
        ? await this.add(account, account.plan, installment)
        : await this.startWith(account, { totalCents, installment });
      return { installment: added, departureDate };
    });
  }

  /** Changes an installment, and others that balance it. Writes nothing if there is no difference. */
  async update(
    { bookingId, scheduleId, expected }: Target<'bookingId' | 'scheduleId'>,
    body: UpdatePaymentSchedule,
    { rebalance = 'last_open', allowAfterDeparture = false }: PatchQuery,
  ): Promise<InstallmentView> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(bookingId);
      const { plan, installment } = installmentOf(account, scheduleId);
      assertVersion(expected, installment);
      assertIdentity(installment, body);
      assertNotCancelled(account.booking);

      const before = plan.imageBefore(installment);
      const { departureDate } = account.booking;
      const [today, now] = [this.clock.today(), this.clock.now()];
      const rules = { rebalance, allowAfterDeparture, departureDate, today, now };
      const { pays } = editInstallment(plan, installment, { changes: body, rules });
      const changes = await this.accounts.savePlan(plan);
      if (pays) await this.payments.payInstallment(account, installment);

      const others = changes.filter((change) => change.installment !== installment);
      const isChanged = pays || others.length < changes.length;
      if (isChanged) this.audit.installmentEdited({ installment, before });
      this.audit.installmentsChanged(others, (change) => (change.before === null ? 'create' : 'rebalance'));
      if (changes.length > 0) await this.moneyMayMove(account);
      return { installment, departureDate };
    });
  }

  /**
   * Restores an installment that is not paid as it was before an update or before it was waived. The ledger entry of the
   * reversal records it; the installments that balance it get their own entries.
   */
  @Reverses(['finance.payment_schedule.update', 'finance.payment_schedule.waive', 'finance.payment_schedule.unwaive'])
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const before = await checkedAs(StoredInstallment, entry.before);
    const account = await this.accounts.lock(before.bookingId);
    const { plan, installment } = installmentOf(account, before.id);
    assertUnchangedSince(entry, installment);
    assertNotCancelled(account.booking);
    const image = plan.imageBefore(installment);
    restoreInstallment(plan, installment, before);
    const changes = await this.accounts.savePlan(plan);
    this.audit.publishInstallment(installment.status === 'cancelled' ? 'cancelled' : 'updated', installment);
    const others = changes.filter((change) => change.installment !== installment);
    this.audit.installmentsChanged(others, () => 'rebalance');
    await this.moneyMayMove(account);
    return { before: image, after: installment.auditImage() };
  }

  /**
   * Waives the rest of an installment that is too small to be collected. The paid amount stays on the installment; the rest
   * becomes a separate waived installment, which staff can restore.
   */
  async writeOff(
    { bookingId, scheduleId, expected }: Target<'bookingId' | 'scheduleId'>,
    reason: string | null,
  ): Promise<InstallmentView> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(bookingId);
      const { plan, installment } = installmentOf(account, scheduleId);
      assertVersion(expected, installment);
      assertNotCancelled(account.booking);
      if (installment.status === 'paid') throw conflict('schedule_paid', 'The installment is paid');
      if (installment.status === 'cancelled') throw conflict('schedule_cancelled', 'The installment is cancelled');
      const { toleranceCents } = await this.settings.get();
      assertWithin(toleranceCents, installment);

      const before = plan.imageBefore(installment);
      const waived = this.splitRest(plan, installment);
      waived.cancel({ waived: true });
      waived.waiveReason = reason;
      const changes = await this.accounts.savePlan(plan);
      this.audit.installmentChanged('write_off', { installment, before }, reason);
      const added = changes.filter((change) => change.installment !== installment);
      this.audit.installmentsChanged(added, () => 'create', reason ?? undefined);
      await this.moneyMayMove(account);
      return { installment, departureDate: account.booking.departureDate };
    });
  }

  /** Returns the plan that the booking would get today, from the first existing policy. */
  async compute(
    booking: BookingSummary,
    { requested = null, today }: { requested?: PaymentPolicy | null; today: string },
  ): Promise<ChosenPolicy & { computed: ComputedPlan }> {
    const { policy, source } = await this.policyFor(booking, requested);
    const { departureDate } = booking;
    const computed = computePlan({ totalCents: booking.totalCents ?? 0, today, departureDate, policy });
    return { policy, source, computed };
  }

  /** Adds a plan to an account without one. The installments add up to the booking's total. */
  async start(
    account: BookingAccount,
    { policy, source }: ChosenPolicy,
    installments: readonly NewInstallment[],
  ): Promise<LockedPlan> {
    const { booking } = account;
    const now = this.clock.now();
    const row = make(PaymentPlan, {
      id: newId('plan'),
      bookingId: booking.id,
      planVersion: 1,
      policy,
      source,
      totalCents: booking.totalCents ?? 0,
      offByCents: 0,
      isCurrent: true,
      createdAt: now,
    });
    const plan = new LockedPlan(booking, row, [], account.invoicedInstallments());
    for (const installment of installments) plan.add(installment, now);
    await this.accounts.addPlan(account, plan);
    return plan;
  }

  /**
   * Handles the confirmation of a booking: its quote becomes receivable, and installments with past due dates are due today.
   */
  async confirm(account: BookingAccount): Promise<void> {
    const { plan } = account;
    if (!plan) return this.startIfMissing(account);
    const today = this.clock.today();
    const past = plan.installments.filter((installment) => installment.isOpen() && installment.dueDate < today);
    for (const installment of past) installment.dueDate = today;
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), () => 'update');
    await this.moneyMayMove(account);
  }

  /** Adds a plan to a booking without one. */
  async startIfMissing(account: BookingAccount): Promise<void> {
    const { booking, plan } = account;
    if (plan || booking.totalCents === null || booking.totalCents === 0) return;
    const { policy, source, computed } = await this.compute(booking, { today: this.clock.today() });
    await this.start(account, { policy, source }, computed.entries);
  }

  /** Handles the cancellation of a booking: nothing more is collected, and installments shrink to their paid amounts. */
  async cancelOpen({ plan }: BookingAccount, reason: string): Promise<void> {
    if (!plan) return;
    const open = plan.installments.filter((installment) => installment.isOpen());
    for (const installment of open) installment.reduce(installment.outstandingCents());
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), verbOf, reason);
  }

  /** Handles a moved departure: open installments that a policy dates from it follow. */
  async redate(account: BookingAccount): Promise<void> {
    const { booking, plan } = account;
    if (!plan || booking.departureDate === null || booking.status === 'cancelled') return;
    const floorDays = plan.plan.policy?.floorDays ?? 0;
    const { departureDate } = booking;
    const warnings = redatePlan({
      installments: plan.installments,
      departureDate,
      today: this.clock.today(),
      floorDays,
    });
    const changes = await this.accounts.savePlan(plan);
    this.audit.installmentsChanged(changes, () => 'redate');
    if (changes.length > 0 || warnings.length > 0) this.audit.planRedated(plan, warnings);
  }

  /** Makes the fee of a settled cancellation due today, as the only open installment, and applies received money to it. */
  async addFee(account: BookingAccount, feeCents: number): Promise<PaymentSchedule> {
    const fee: NewInstallment = {
      type: 'fee',
      label: 'Cancellation fee',
      dueDate: this.clock.today(),
      amountCents: feeCents,
      basis: 'manual',
    };
    if (!account.plan) {
      const { installments } = await this.start(account, { policy: null, source: 'none' }, [fee]);
      const [first] = installments;
      if (!first) throw new Error('A plan without installments was started');
      return first;
    }
    const added = account.plan.add(fee, this.clock.now());
    this.audit.installmentsChanged(await this.accounts.savePlan(account.plan), verbOf);
    await this.accounts.applyMoney(account);
    await this.accounts.installmentsChanged(account);
    return added;
  }

  /** Lowers the fee of a settled cancellation; money beyond it becomes unapplied. */
  async lowerFee(account: BookingAccount, cents: number): Promise<void> {
    const { plan } = account;
    const fee = plan?.installments.find(({ type, status }) => type === 'fee' && status !== 'cancelled');
    if (!plan || !fee) throw conflict('booking_closed', 'The booking is cancelled');
    const released = Math.max(0, cents - fee.outstandingCents());
    await this.accounts.release(account, released > 0 ? [{ scheduleId: fee.id, cents: released }] : []);
    fee.reduce(cents);
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), verbOf);
    await this.accounts.installmentsChanged(account);
  }

  /** Handles a reversed cancellation: the installments are due as before, less the money paid back meanwhile. */
  async restore(account: BookingAccount, before: readonly InstallmentBefore[], reason: string): Promise<void> {
    const { plan } = account;
    if (!plan) return;
    for (const { id, amountCents, status } of before) {
      if (status !== 'cancelled') plan.find(id)?.resize(amountCents);
    }
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), verbOf, reason);
    await this.accounts.applyMoney(account);
    await this.accounts.installmentsChanged(account);
  }

  /**
   * Handles a higher price: the plan gets a further installment. For a reinstated item, the installments that its cancellation
   * reduced come first.
   */
  async grow({ booking, plan }: BookingAccount, cents: number, reinstatedItemId: string | null): Promise<void> {
    if (!plan) return;
    const reductions = reinstatedItemId === null ? [] : await this.accounts.takeReductions(reinstatedItemId);
    const left = restoreReductions(plan, reductions, cents);
    const { departureDate } = booking;
    if (left > 0) growPlan(plan, { cents: left, departureDate, today: this.clock.today(), now: this.clock.now() });
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), verbOf);
  }

  /**
   * Handles a lower price: open installments shrink first, then paid ones, whose money becomes unapplied. The reductions for a
   * cancelled item are stored for its reinstatement.
   */
  async shrink(account: BookingAccount, cents: number, cancelledItemId: string | null): Promise<void> {
    const { plan } = account;
    if (!plan) return;
    const before = new Map(plan.installments.map((installment) => [installment.id, { ...installment }]));
    const left = shrinkOpen(plan, cents);
    const releases = left > 0 ? releasesFor(plan, left) : [];
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), verbOf);

    await this.accounts.release(account, releases);
    for (const { scheduleId, cents: released } of releases) plan.find(scheduleId)?.reduce(released);
    this.audit.installmentsChanged(await this.accounts.savePlan(plan), verbOf);
    if (cancelledItemId !== null) await this.accounts.keepReductions(cancelledItemId, reductionsSince(before, plan));
  }

  /** Waives the installment itself if none of it is paid. */
  private splitRest(plan: LockedPlan, installment: PaymentSchedule): PaymentSchedule {
    const amountCents = installment.outstandingCents();
    if (amountCents === installment.amountCents) return installment;
    const { dueDate } = installment;
    const label = 'Small difference';
    installment.reduce(amountCents);
    return plan.add({ type: 'other', label, dueDate, amountCents, basis: 'manual' }, this.clock.now());
  }

  private async moneyMayMove(account: BookingAccount): Promise<void> {
    await this.accounts.applyMoney(account);
    await this.accounts.installmentsChanged(account);
  }

  /** The other open installments shrink by its amount. */
  private async add(account: BookingAccount, plan: LockedPlan, installment: NewInstallment): Promise<PaymentSchedule> {
    if (plan.installments.length >= MAX_INSTALLMENTS) {
      throw conflict('schedule_limit_reached', `A plan has at most ${MAX_INSTALLMENTS} installments`);
    }
    const added = plan.add(installment, this.clock.now());
    reduceOthers(plan, added, installment.amountCents);
    const changes = await this.accounts.savePlan(plan);
    this.audit.installmentsChanged(changes, ({ before }) => (before === null ? 'create' : 'rebalance'));
    await this.moneyMayMove(account);
    return added;
  }

  /** The remainder of the total is due with the installment. */
  private async startWith(
    account: BookingAccount,
    { totalCents, installment }: { totalCents: number; installment: NewInstallment },
  ): Promise<PaymentSchedule> {
    const rest = totalCents - installment.amountCents;
    if (rest < 0) throw planTotalMismatch({ expected: totalCents, actual: BigInt(installment.amountCents) });
    const installments = rest === 0 ? [installment] : [installment, balanceOver(rest, installment.dueDate)];
    const plan = await this.start(account, { policy: null, source: 'none' }, installments);
    const [first] = plan.installments;
    if (!first) throw new Error('A plan without installments was started');
    this.audit.installmentChanged('create', { installment: first, before: null });
    return first;
  }

  /** Returns the requested policy, otherwise the booking's, otherwise the organization's, or none. */
  private async policyFor(booking: BookingSummary, requested: PaymentPolicy | null): Promise<ChosenPolicy> {
    if (requested) return { policy: requested, source: 'request' };
    if (booking.paymentPolicy) return { policy: booking.paymentPolicy, source: 'booking' };
    const organization = await this.policies.find();
    if (organization) return { policy: toPolicyTerms(organization), source: 'organization' };
    return { policy: null, source: 'none' };
  }
}

function installmentOf(
  { plan }: BookingAccount,
  scheduleId: string,
): { plan: LockedPlan; installment: PaymentSchedule } {
  const installment = plan?.find(scheduleId);
  if (!plan || !installment) throw notFound();
  return { plan, installment };
}

function assertWithin(toleranceCents: number, installment: PaymentSchedule): void {
  const outstandingCents = installment.outstandingCents();
  if (outstandingCents <= toleranceCents) return;
  throw conflict('beyond_tolerance', 'The rest of the installment is larger than the tolerance of the settings', {
    outstandingCents,
    toleranceCents,
  });
}

function assertNotCancelled({ status }: BookingSummary): void {
  if (status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
}

export function pricedTotalOf({ totalCents }: BookingSummary): number {
  if (totalCents === null) throw conflict('booking_not_priced', 'The booking has no items');
  return totalCents;
}

/** Accepts members that clients send back unchanged, and rejects changed ones. */
function assertIdentity(installment: PaymentSchedule, { id, bookingId, currency }: UpdatePaymentSchedule): void {
  if (id !== undefined && id !== installment.id) throw invalidField('id', 'id cannot change', 'immutable');
  if (bookingId !== undefined && bookingId !== installment.bookingId) {
    throw invalidField('bookingId', 'bookingId cannot change', 'immutable');
  }
  if (currency !== undefined && currency !== installment.currency) {
    throw conflict('currency_immutable', 'The installment currency must be the booking currency', {
      currency: installment.currency,
    });
  }
}

function verbOf({ installment, before }: InstallmentChange): 'create' | 'rebalance' | 'cancel' {
  if (before === null) return 'create';
  return installment.status === 'cancelled' && before.status !== 'cancelled' ? 'cancel' : 'rebalance';
}
