import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Open settlements of bookings that were cancelled before there were settlements had the day of the cancellation in UTC; the
 * booking has that of the organization. Settlements that were made by the service agree already, so `down` changes nothing.
 */
export class SettlementDays1793000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update cancellation_settlements s
      set cancelled_on = b.cancelled_on, refund_due_on = s.refund_due_on + (b.cancelled_on - s.cancelled_on)
      from bookings b
      where b.id = s.booking_id and s.status = 'open' and s.reinstated_at is null and s.computed_fee_cents is null
        and s.cancelled_on <> b.cancelled_on`);
  }

  async down(): Promise<void> {}
}
