import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { CommissionLine, type CommissionStatus } from './commission-line.entity.js';

interface Filter {
  status?: CommissionStatus | undefined;
  recipientId?: string | undefined;
}

/** What a move changes of a line. */
export type CommissionState = Pick<CommissionLine, 'status' | 'payableAt' | 'voidedAt' | 'voidReason'>;

/** The rows of commissions. Whoever writes them holds their booking. */
@Injectable()
export class CommissionRows {
  constructor(private readonly database: Database) {}

  /** All lines of an item, newest first. */
  async ofItem(bookingItemId: string, { status, recipientId }: Filter = {}): Promise<CommissionLine[]> {
    return this.database.repository(CommissionLine).find({
      where: { bookingItemId, ...(status ? { status } : {}), ...(recipientId ? { recipientId } : {}) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  /** All lines of a booking, by id. */
  async ofBooking(bookingId: string): Promise<CommissionLine[]> {
    return this.database.repository(CommissionLine).find({ where: { bookingId }, order: { id: 'ASC' } });
  }

  /** Throws 404, also for a line of another item. */
  async get(bookingItemId: string, id: string): Promise<CommissionLine> {
    const line = await this.database.repository(CommissionLine).findOneBy({ id, bookingItemId });
    if (!line) throw notFound();
    return line;
  }

  async insert(lines: readonly CommissionLine[]): Promise<void> {
    if (lines.length > 0) await this.database.repository(CommissionLine).insert([...lines]);
  }

  async update(line: CommissionLine): Promise<void> {
    await this.database.update(line);
  }

  /** Takes all of them to one state. */
  async move(lines: readonly CommissionLine[], state: CommissionState, now: Date): Promise<void> {
    if (lines.length === 0) return;
    await this.database.query(
      `update commission_lines set status = $2, payable_at = $3, voided_at = $4, void_reason = $5, updated_at = $6,
         version = version + 1 where id = any($1)`,
      [lines.map(({ id }) => id), state.status, state.payableAt, state.voidedAt, state.voidReason, now],
    );
    for (const line of lines) Object.assign(line, state, { updatedAt: now, version: line.version + 1 });
  }

  /** Stores what was computed anew. */
  async storeAmounts(lines: readonly CommissionLine[], now: Date): Promise<void> {
    if (lines.length === 0) return;
    await this.database.query(
      `update commission_lines c set base_cents = n.base_cents, amount_cents = n.amount_cents, computed_at = $4,
         updated_at = $4, version = c.version + 1
       from unnest($1::text[], $2::bigint[], $3::bigint[]) as n (id, base_cents, amount_cents) where c.id = n.id`,
      [
        lines.map(({ id }) => id),
        lines.map(({ baseCents }) => baseCents),
        lines.map(({ amountCents }) => amountCents),
        now,
      ],
    );
    for (const line of lines) Object.assign(line, { updatedAt: now, version: line.version + 1 });
  }

  /** Whether nothing is left to be paid of the booking's current plan. */
  async isPaid(bookingId: string): Promise<boolean> {
    const [row] = await this.database.prepared<{ paid: boolean }>(
      'commissions-booking-paid',
      `select count(*) filter (where s.status = 'pending') = 0 and count(*) filter (where s.status = 'paid') > 0 as paid
       from payment_plans p join payment_schedules s on s.plan_id = p.id where p.booking_id = $1 and p.is_current`,
      [bookingId],
    );
    return row?.paid === true;
  }

  /** Bookings whose departure something waits for: so many, after this one. */
  async waitingForDeparture(after: string, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ booking_id: string }>(
      `select distinct booking_id from commission_lines
       where status = 'accrued' and payable_trigger <> 'paid_in_full' and booking_id > $1 order by booking_id limit $2`,
      [after, limit],
    );
    return rows.map((row) => row.booking_id);
  }
}
