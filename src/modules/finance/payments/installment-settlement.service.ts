import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { BookingSummary } from '../../bookings/index.js';
import { PaymentSchedule } from '../payment-plans/payment-schedule.entity.js';
import { ScheduleJournal } from '../payment-plans/schedule-journal.service.js';
import { SettlementFollowers } from '../payment-plans/settlement-followers.js';
import type { Share } from './debt.js';

interface HeldInstallments {
  booking: BookingSummary;
  installments: readonly PaymentSchedule[];
}

/** What payments do to installments that are held; the payment's own ledger entry says why one became paid. */
@Injectable()
export class InstallmentSettlement {
  constructor(
    private readonly database: Database,
    private readonly journal: ScheduleJournal,
    private readonly followers: SettlementFollowers,
    private readonly clock: Clock,
  ) {}

  /** The installments of a booking that is held, held until the transaction ends. */
  async lock(bookingId: string): Promise<PaymentSchedule[]> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database.repository(PaymentSchedule).find({ where: { bookingId }, order: { id: 'ASC' }, lock });
  }

  /** Counts shares as paid (1), or takes them off again (-1), in one statement for all installments. */
  async move({ booking, installments }: HeldInstallments, shares: readonly Share[], sign: 1 | -1): Promise<void> {
    const moved = installments.flatMap((installment) => {
      const cents = sumFor(installment, shares);
      return cents === 0 ? [] : [{ installment, wasPaid: installment.status === 'paid', cents: sign * cents }];
    });
    if (moved.length === 0) return;
    for (const { installment, cents } of moved) count(installment, cents, booking.status === 'cancelled');
    await this.save(moved.map(({ installment }) => installment));
    for (const { installment, wasPaid } of moved) {
      if (installment.status === 'paid' && !wasPaid) this.journal.announce('paid', installment);
    }
    await this.followers.settled(booking.id);
  }

  private async save(installments: readonly PaymentSchedule[]): Promise<void> {
    const now = this.clock.now();
    const column = <T>(pick: (installment: PaymentSchedule) => T): T[] => installments.map(pick);
    await this.database.query(
      `update payment_schedules installment
       set paid_cents = paid.cents, amount_cents = paid.amount, status = paid.status, version = version + 1,
         updated_at = $5
       from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) as paid (id, cents, amount, status)
       where installment.id = paid.id`,
      [
        column(({ id }) => id),
        column(({ paidCents }) => paidCents),
        column(({ amountCents }) => amountCents),
        column(({ status }) => status),
        now,
      ],
    );
    for (const installment of installments) {
      Object.assign(installment, { version: installment.version + 1, updatedAt: now });
    }
  }
}

function sumFor({ id }: PaymentSchedule, shares: readonly Share[]): number {
  return shares.reduce((sum, { scheduleId, amountCents }) => (scheduleId === id ? sum + amountCents : sum), 0);
}

/** Of a cancelled booking nobody collects any more: its installments shrink to what is left of their money. */
function count(installment: PaymentSchedule, cents: number, isCancelled: boolean): void {
  const { amountCents } = installment;
  installment.paidCents += cents;
  if (!isCancelled) installment.resize(amountCents);
  else if (installment.paidCents === 0) installment.cancel();
  else installment.resize(installment.paidCents);
}
