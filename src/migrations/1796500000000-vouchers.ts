import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Vouchers, with whose codes travelers are admitted to what was sold. */
export class Vouchers1796500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A traveler can be deleted, but the void voucher of the traveler stays: its id has no foreign key.
    await runner.query(`
      create table vouchers (
        id text primary key,
        code text not null constraint vouchers_code unique check (code ~ '^[0-9A-HJKMNP-TV-Z]{13}$'),
        booking_id text not null references bookings on delete restrict,
        item_id text not null references booking_items on delete restrict,
        traveler_id text,
        status text not null check (status in ('issued', 'redeemed', 'void')),
        redeemed_at timestamptz,
        redeemed_by text,
        voided_at timestamptz,
        void_cause text check (void_cause in ('item_cancelled', 'seat_lost', 'staff')),
        void_reason text check (length(void_reason) between 1 and 500),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint vouchers_redeemed check ((redeemed_at is null) = (redeemed_by is null)
          and (status <> 'issued' or redeemed_at is null) and (status <> 'redeemed' or redeemed_at is not null)),
        constraint vouchers_void check ((status = 'void') = (voided_at is not null)
          and (voided_at is null) = (void_cause is null) and (void_reason is null or voided_at is not null))
      );
      create index vouchers_booking_id on vouchers (booking_id, created_at, id);
      create index vouchers_item_id on vouchers (item_id);
      create unique index vouchers_one_of_item on vouchers (item_id) where traveler_id is null and status <> 'void';
      create unique index vouchers_one_of_traveler on vouchers (item_id, traveler_id)
        where traveler_id is not null and status <> 'void'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table vouchers');
  }
}
