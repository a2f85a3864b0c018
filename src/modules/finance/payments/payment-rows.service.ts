import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In, MoreThan } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Payment } from './payment.entity.js';

/** Several payments at once, for what moves the money of a booking; each call is one statement. */
@Injectable()
export class PaymentRows {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Completed payments of a booking that have unapplied money, the oldest first, held until the transaction ends. */
  async lockUnapplied(bookingId: string): Promise<Payment[]> {
    const payments = await this.lock({ bookingId, status: 'completed', unappliedCents: MoreThan(0) });
    return payments.sort(byDay);
  }

  /** Held until the transaction ends. */
  async lockAll(ids: readonly string[]): Promise<Payment[]> {
    return this.lock({ id: In([...ids]) });
  }

  /** Writes what is unapplied of payments that are held, and raises their versions. */
  async save(payments: readonly Payment[]): Promise<void> {
    const now = this.clock.now();
    const { count } = await this.database.execute(
      `update payments set unapplied_cents = moved.unapplied, version = payments.version + 1, updated_at = $4
       from unnest($1::text[], $2::integer[], $3::bigint[]) as moved (id, version, unapplied)
       where payments.id = moved.id and payments.version = moved.version`,
      [
        payments.map(({ id }) => id),
        payments.map(({ version }) => version),
        payments.map(({ unappliedCents }) => unappliedCents),
        now,
      ],
    );
    if (count !== payments.length) throw new Error('Payments were changed without their locks');
    for (const payment of payments) Object.assign(payment, { version: payment.version + 1, updatedAt: now });
  }

  private async lock(where: FindOptionsWhere<Payment>): Promise<Payment[]> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database.repository(Payment).find({ where, order: { id: 'ASC' }, lock });
  }
}

function byDay(one: Payment, other: Payment): number {
  if (one.paidOn !== other.paidOn) return one.paidOn < other.paidOn ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
