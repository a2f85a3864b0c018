import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../../platform/auth/access.js';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { filterRows } from '../../../../platform/database/filter-rows.js';
import { make, type Rows } from '../../../../platform/database/rows.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { newId } from '../../../../platform/ids/id.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import { sortRows } from '../../../../platform/database/sort-rows.js';
import { ActionLedger } from '../../../action-ledger/index.js';
import type { BookingCancellation } from '../../../bookings/index.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import { CreditNotesService } from '../credit-notes/credit-notes.service.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { dayNumber, dayOf } from '../account/day-numbers.js';
import { type InstallmentBefore, PaymentPlansService } from '../plans/payment-plans.service.js';
import { RefundsService } from '../refunds/refunds.service.js';
import { FinanceSettingsService } from '../../books/index.js';
import { CancellationSettlement } from './cancellation-settlement.entity.js';
import { FeeInvoicesService } from './fee-invoices.service.js';
import { RECEIVED_CENTS } from './received.sql.js';
import type { ListSettlements, SettleCancellation, SettlementPreview } from './settlement.dto.js';

/** A settlement with a preview of settling it, which is null once it is settled. */
export interface SettlementView {
  settlement: CancellationSettlement;
  preview: SettlementPreview | null;
}

/**
 * Settles cancelled bookings. Each change locks the booking. Settling closes documents, plan and money of the booking at once.
 */
@Injectable()
export class SettlementsService {
  private readonly rows: Rows<CancellationSettlement>;

  constructor(
    private readonly database: Database,
    private readonly accounts: BookingAccountsService,
    private readonly plans: PaymentPlansService,
    private readonly invoices: InvoicesService,
    private readonly creditNotes: CreditNotesService,
    private readonly feeInvoices: FeeInvoicesService,
    private readonly refunds: RefundsService,
    private readonly settings: FinanceSettingsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(CancellationSettlement);
  }

  async get(bookingId: string): Promise<SettlementView> {
    const account = await this.accounts.read(bookingId);
    const settlement = await this.findLive(bookingId);
    if (!settlement) throw notFound();
    return { settlement, preview: settlement.status === 'open' ? await this.previewOf(settlement, account) : null };
  }

  /** What settling would do if the booking were cancelled now at this fee. */
  async forecast(bookingId: string, feeCents: number | null): Promise<SettlementPreview> {
    return this.previewOf({ agreedFeeCents: feeCents }, await this.accounts.read(bookingId));
  }

  /** Newest first. */
  async list({
    status,
    dueFrom,
    dueTo,
    dueBefore,
    sort = '-createdAt',
    ...page
  }: ListSettlements): Promise<{ rows: CancellationSettlement[]; total: number }> {
    const found = this.rows.query('settlement').where('settlement.reinstatedAt is null');
    filterRows(found, 'settlement.status', status);
    if (dueFrom !== undefined) found.andWhere('settlement.refundDueOn >= :dueFrom', { dueFrom });
    if (dueTo !== undefined) found.andWhere('settlement.refundDueOn <= :dueTo', { dueTo });
    if (dueBefore !== undefined) found.andWhere('settlement.refundDueOn < :dueBefore', { dueBefore });
    sortRows(found, sort, { nulls: sort.endsWith('refundDueOn') ? 'NULLS LAST' : undefined });
    return this.rows.page(found, pageBounds(page));
  }

  /** Called when a booking is cancelled: freezes the fee, and the members of the plan that the cancellation will change. */
  async open({ booking, installments }: BookingAccount, cancellation: BookingCancellation): Promise<void> {
    const { cancelledOn, initiator, informsCustomer, totalCents, cost } = cancellation;
    const { refundDays } = await this.settings.get();
    const now = this.clock.now();
    const settlement = make(CancellationSettlement, {
      id: newId('cset'),
      bookingId: booking.id,
      currency: booking.currency,
      status: 'open',
      cancelledOn,
      initiator,
      informsCustomer,
      totalCents,
      lines: cost.lines,
      warnings: cost.warnings,
      computedFeeCents: cost.feeCents,
      agreedFeeCents: cost.feeCents,
      outcome: cost.outcome,
      refundDueOn: dayOf(dayNumber(cancelledOn) + refundDays),
      planBefore: installments.map(({ id, amountCents, status }) => ({ id, amountCents, status })),
      createdAt: now,
    });
    await this.rows.insert(settlement);
    this.record('open', settlement, { before: null });
  }

  /** Called when the cancellation is reversed. Returns the installments before the cancellation. */
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

  /**
   * Settles a cancellation in one transaction: deletes drafts, credits invoices, releases money, and bills the fee, which
   * received money pays. The rest is refunded or stays as a credit. A fee other than the computed one, and crediting invoices,
   * require finance:approve.
   */
  async settle(
    bookingId: string,
    input: SettleCancellation,
    expected: ExpectedVersions,
  ): Promise<CancellationSettlement> {
    return this.database.transaction(async () => {
      const account = await this.accounts.lock(bookingId);
      const settlement = await this.findLive(bookingId);
      if (!settlement) throw notFound();
      assertVersion(expected, settlement);
      settlement.assertOpen();
      await this.agree(settlement, input);
      const feeCents = settlement.fee();
      const before = settlement.auditImage();
      await this.closeDebts(account);
      const fee = feeCents > 0 ? await this.plans.addFee(account, feeCents) : null;
      const feeInvoice = fee && (await this.feeInvoices.issue(account.booking, fee));
      // Lets money that staff released by hand also pay the fee, before the rest is refunded.
      await this.accounts.applyMoney(await this.accounts.lock(bookingId), { onlyAutomatic: false });
      const restCents = await this.accounts.unappliedCents(bookingId);
      const refundId = await this.refundRest(settlement, restCents, input);
      const [feeScheduleId, feeInvoiceId] = [fee?.id ?? null, feeInvoice?.id ?? null];
      const [today, now] = [this.clock.today(), this.clock.now()];
      settlement.settle({ restCents, feeScheduleId, feeInvoiceId, refundId }, { today, now });
      await this.rows.update(settlement);
      this.record('settle', settlement, { before });
      this.publishSettled(settlement);
      return settlement;
    });
  }

  /** The fee and the outcome that staff choose. */
  private async agree(settlement: CancellationSettlement, input: SettleCancellation): Promise<void> {
    const { agreedFeeCents, feeReason = null, outcome } = input;
    if (agreedFeeCents === undefined && outcome === undefined) return;
    const before = settlement.auditImage();
    if (agreedFeeCents !== undefined) {
      if (settlement.isOverride(agreedFeeCents)) assertScope('finance:approve');
      settlement.agree(agreedFeeCents, settlement.isOverride(agreedFeeCents) ? feeReason : null);
    }
    Object.assign(settlement, { outcome: outcome ?? settlement.outcome, updatedAt: this.clock.now() });
    await this.rows.update(settlement);
    this.record('update', settlement, { before, reason: settlement.feeReason });
  }

  /** Now nothing of the cancelled booking is billed or due, and all its money is unapplied. */
  private async closeDebts(account: BookingAccount): Promise<void> {
    await this.invoices.deleteDrafts(account);
    for (const invoice of account.invoices) {
      if (!invoice.isBilled() || invoice.uncreditedCents() === 0) continue;
      assertScope('finance:approve');
      await this.creditNotes.creditInFull(account, invoice, {
        reason: 'cancellation',
        reasonText: 'The booking was cancelled',
      });
    }
    await this.accounts.releaseAll(account, this.clock.today());
    await this.plans.cancelOpen(account, 'The booking was cancelled');
  }

  /** Returns the id of the refund; null if there is none. */
  private async refundRest(
    { bookingId, outcome, refundDueOn }: CancellationSettlement,
    restCents: number,
    { refund }: SettleCancellation,
  ): Promise<string | null> {
    if (restCents === 0 || outcome === 'credit') return null;
    const { method = 'bank_transfer', reason = 'The booking was cancelled', paymentId } = refund ?? {};
    const today = this.clock.today();
    const dueOn = refundDueOn < today ? today : refundDueOn;
    const requested = { amountCents: restCents, method, reason, dueOn, ...(paymentId ? { paymentId } : {}) };
    return (await this.refunds.request(bookingId, requested, { within: 'refund.' })).id;
  }

  private publishSettled(settlement: CancellationSettlement): void {
    const { id: settlementId, bookingId, currency, agreedFeeCents, restCents, outcome } = settlement;
    const data = { settlementId, bookingId, currency, feeCents: agreedFeeCents, restCents, outcome };
    for (const channel of [`bookings.${bookingId}`, 'bookings']) {
      this.outbox.add({ channel, event: 'booking.settled', data });
    }
  }

  private async previewOf(
    { agreedFeeCents }: Pick<CancellationSettlement, 'agreedFeeCents'>,
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

  private async receivedCents({ booking }: BookingAccount): Promise<number> {
    const [found] = await this.database.prepared<{ cents: number }>(
      'settlement-received',
      `select least(${RECEIVED_CENTS}, 9007199254740991)::float8 as cents from bookings booking where booking.id = $1`,
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
