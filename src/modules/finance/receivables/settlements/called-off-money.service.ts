import { Injectable } from '@nestjs/common';
import { named } from '../../../../platform/http/named-values.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import { RefundsService } from '../refunds/refunds.service.js';
import { SettlementsService } from './settlements.service.js';

export const SETTLEMENT_CHOICES = named('CallOffSettlement', ['refund', 'credit', 'later']);
/** What happens with the money of a booking whose departure is called off; `later` leaves it to staff. */
export type SettlementChoice = (typeof SETTLEMENT_CHOICES)[number];

/** The money of a booking after its services were cancelled. */
export interface SettledMoney {
  /** The settlement of the cancellation; null if only a part of the booking was cancelled. */
  settlementId: string | null;
  refundId: string | null;
  refundedCents: number;
  creditedCents: number;
  /** Money that staff have to settle later. */
  openCents: number;
}

/** Settles what customers have paid for services that were called off. The caller has cancelled these, without a fee. */
@Injectable()
export class CalledOffMoneyService {
  constructor(
    private readonly settlements: SettlementsService,
    private readonly accounts: BookingAccountsService,
    private readonly refunds: RefundsService,
  ) {}

  async unappliedCents(bookingId: string): Promise<number> {
    return this.accounts.unappliedCents(bookingId);
  }

  /** Settles the cancellation of a whole booking; by its terms if the choice is null. */
  async settleBooking(bookingId: string, choice: SettlementChoice | null, reason: string): Promise<SettledMoney> {
    if (choice === 'later') {
      const { settlement, preview } = await this.settlements.get(bookingId);
      const nothing = { refundId: null, refundedCents: 0, creditedCents: 0 };
      return { settlementId: settlement.id, ...nothing, openCents: preview?.restCents ?? 0 };
    }
    const refund = { method: 'bank_transfer', reason } as const;
    const settled = await this.settlements.settle(bookingId, { ...(choice && { outcome: choice }), refund }, null);
    const { id: settlementId, refundId } = settled;
    const restCents = settled.restCents ?? 0;
    const isRefunded = refundId !== null;
    return {
      ...{ settlementId, refundId, openCents: 0 },
      refundedCents: isRefunded ? restCents : 0,
      creditedCents: isRefunded ? 0 : restCents,
    };
  }

  /** Settles what the cancellation of a part of a booking has released: the unapplied money beyond that of before. */
  async settlePart(
    bookingId: string,
    choice: SettlementChoice | null,
    { beforeCents, reason }: { beforeCents: number; reason: string },
  ): Promise<SettledMoney> {
    const cents = Math.max(0, (await this.accounts.unappliedCents(bookingId)) - beforeCents);
    const none = { settlementId: null, refundId: null, refundedCents: 0, creditedCents: 0, openCents: 0 };
    if (cents === 0) return none;
    if (choice === 'later') return { ...none, openCents: cents };
    if (choice === 'credit') return { ...none, creditedCents: cents };
    const refund = await this.refunds.request(bookingId, { amountCents: cents, method: 'bank_transfer', reason });
    return { ...none, refundId: refund.id, refundedCents: cents };
  }
}
