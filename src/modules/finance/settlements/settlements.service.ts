import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { BookingCancellation } from '../../bookings/index.js';
import type { BookingAccount } from '../booking-account/booking-account.js';
import { BookingAccountsService } from '../booking-account/booking-accounts.service.js';
import { dayNumber, dayOf } from '../payment-plans/day-numbers.js';
import type { InstallmentBefore } from '../payment-plans/payment-plans.service.js';
import { FinanceSettingsService } from '../settings/finance-settings.service.js';
import { CancellationSettlement } from './cancellation-settlement.entity.js';
import type { ListSettlements, SettlementPreview } from './settlement.dto.js';

/** A settlement with what settling it would do; null once it is settled. */
export interface SettlementView {
  settlement: CancellationSettlement;
  preview: SettlementPreview | null;
}

/** The settlements of cancelled bookings. Each change locks the booking. */
@Injectable()
export class SettlementsService {
  private readonly rows: Rows<CancellationSettlement>;

  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly settings: FinanceSettingsService,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(CancellationSettlement);
  }

  /** Throws 404 if the booking is not cancelled. */
  async get(bookingId: string): Promise<SettlementView> {
    const account = await this.accounts.read(bookingId);
    const settlement = await this.findLive(bookingId);
    if (!settlement) throw notFound();
    return { settlement, preview: settlement.status === 'open' ? await this.previewOf(settlement, account) : null };
  }

  /** Newest first. */
  async list({
    status,
    dueBefore,
    ...page
  }: ListSettlements): Promise<{ rows: CancellationSettlement[]; total: number }> {
    const found = this.rows.query('settlement').where('settlement.reinstatedAt is null');
    if (status !== undefined) found.andWhere('settlement.status = :status', { status });
    if (dueBefore !== undefined) found.andWhere('settlement.refundDueOn < :dueBefore', { dueBefore });
    found.orderBy('settlement.createdAt', 'DESC').addOrderBy('settlement.id', 'DESC');
    return this.rows.page(found, pageBounds(page));
  }

  /** The booking was cancelled: freezes the fee and what the cancellation is about to change of the plan. */
  async open({ booking, installments }: BookingAccount, cancellation: BookingCancellation): Promise<void> {
    const { cancelledOn, initiator, totalCents, cost } = cancellation;
    const { refundDays } = await this.settings.get();
    const now = this.clock.now();
    const settlement = make(CancellationSettlement, {
      id: newId('cset'),
      bookingId: booking.id,
      currency: booking.currency,
      status: 'open',
      cancelledOn,
      initiator,
      totalCents,
      lines: cost.lines,
      warnings: cost.warnings,
      computedFeeCents: cost.feeCents,
      agreedFeeCents: cost.feeCents,
      feeReason: null,
      outcome: cost.outcome,
      refundDueOn: dayOf(dayNumber(cancelledOn) + refundDays),
      restCents: null,
      planBefore: installments.map(({ id, amountCents, status }) => ({ id, amountCents, status })),
      feeScheduleId: null,
      feeInvoiceId: null,
      refundId: null,
      settledOn: null,
      settledAt: null,
      reinstatedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    await this.rows.insert(settlement);
    this.record('open', settlement, { before: null });
  }

  /** The cancellation is reversed. Returns the installments of before. Throws 409 `settlement_done`. */
  async reinstate(bookingId: string): Promise<readonly InstallmentBefore[]> {
    const settlement = await this.findLive(bookingId);
    if (!settlement) return [];
    settlement.assertOpen();
    const before = settlement.auditImage();
    const now = this.clock.now();
    Object.assign(settlement, { reinstatedAt: now, updatedAt: now });
    await this.rows.update(settlement);
    this.record('update', settlement, { before });
    return settlement.planBefore;
  }

  private async previewOf(
    { agreedFeeCents }: CancellationSettlement,
    account: BookingAccount,
  ): Promise<SettlementPreview> {
    const receivedCents = await this.receivedCents(account);
    const idsOf = (isMeant: (status: string) => boolean) =>
      account.invoices.filter(({ status }) => isMeant(status)).map(({ id }) => id);
    return {
      deletedInvoiceIds: idsOf((status) => status === 'draft'),
      creditedInvoiceIds: idsOf((status) => ['issued', 'partially_paid', 'paid'].includes(status)),
      receivedCents,
      openFeeCents: agreedFeeCents === null ? null : Math.max(0, agreedFeeCents - receivedCents),
      restCents: agreedFeeCents === null ? null : Math.max(0, receivedCents - agreedFeeCents),
    };
  }

  /** What was received for the booking and is still there. */
  private async receivedCents({ booking }: BookingAccount): Promise<number> {
    const [found] = await this.database.prepared<{ cents: number }>(
      'settlement-received',
      `select least(coalesce(sum(amount_cents), 0), 9007199254740991)::float8 as cents
       from payments where booking_id = $1 and status = 'completed'`,
      [booking.id],
    );
    return found?.cents ?? 0;
  }

  private async findLive(bookingId: string): Promise<CancellationSettlement | null> {
    const settlements = await this.rows.listBy({ bookingId }, ['createdAt', 'id']);
    return settlements.find(({ reinstatedAt }) => reinstatedAt === null) ?? null;
  }

  private record(
    verb: 'open' | 'update' | 'settle',
    settlement: CancellationSettlement,
    { before, reason = null }: { before: object | null; reason?: string | null },
  ): void {
    const subject = { subjectType: 'cancellation_settlement', subjectId: settlement.id };
    const after = settlement.auditImage();
    this.ledger.record(`finance.cancellation_settlement.${verb}`, { ...subject, before, after, reason });
  }
}
