import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { CommissionLine } from './commission-line.entity.js';

/** The columns of a line that change together with its status. */
export type CommissionState = Pick<
  CommissionLine,
  'status' | 'payableAt' | 'voidedAt' | 'voidReason' | 'voidedByCancellation'
>;

/** Reads and writes commission lines; the booking is locked while they change. */
@Injectable()
export class CommissionsRepository {
  readonly rows: Rows<CommissionLine>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(CommissionLine);
  }

  async ofBooking(bookingId: string): Promise<CommissionLine[]> {
    return this.rows.listBy({ bookingId }, ['id']);
  }

  /** Newest first. */
  async ofItem(bookingItemId: string): Promise<CommissionLine[]> {
    return (await this.rows.listBy({ bookingItemId }, ['createdAt', 'id'])).reverse();
  }

  /** Sets all lines to the same state. */
  async setState(lines: readonly CommissionLine[], state: CommissionState, now: Date): Promise<void> {
    if (lines.length === 0) return;
    await this.database.query(
      `update commission_lines set status = $2, payable_at = $3, voided_at = $4, void_reason = $5,
         voided_by_cancellation = $6, updated_at = $7, version = version + 1 where id = any($1)`,
      [
        lines.map(({ id }) => id),
        state.status,
        state.payableAt,
        state.voidedAt,
        state.voidReason,
        state.voidedByCancellation,
        now,
      ],
    );
    for (const line of lines) Object.assign(line, state, { updatedAt: now, version: line.version + 1 });
  }

  /**
   * Returns whether the current plan of the booking has no open installment and at least one paid one, and its waived amount.
   */
  async planState(bookingId: string): Promise<{ isPaid: boolean; waivedCents: number }> {
    const [row] = await this.database.prepared<{ paid: boolean; waived: string }>(
      'commissions-plan-state',
      `select count(*) filter (where s.status = 'pending') = 0 and count(*) filter (where s.status = 'paid') > 0 as paid,
         coalesce(sum(s.amount_cents) filter (where s.waived), 0) as waived
       from payment_plans p join payment_schedules s on s.plan_id = p.id where p.booking_id = $1 and p.is_current`,
      [bookingId],
    );
    return { isPaid: row?.paid === true, waivedCents: Number(row?.waived ?? 0) };
  }

  /** Returns up to `limit` bookings after `afterId` with commissions that wait for the departure, sorted by id. */
  async bookingsAwaitingDeparture(afterId: string, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ booking_id: string }>(
      `select distinct booking_id from commission_lines
       where status = 'accrued' and payable_trigger <> 'paid_in_full' and booking_id > $1 order by booking_id limit $2`,
      [afterId, limit],
    );
    return rows.map((row) => row.booking_id);
  }
}
