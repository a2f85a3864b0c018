import type { MigrationInterface, QueryRunner } from 'typeorm';

const MAX_CENTS = '9007199254740991';

/** Reservations of resellers on the OCTO surface, and the units of each. */
export class OctoBookings1796511000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table octo_bookings (
        id text primary key,
        connection_id text not null references octo_connections on delete restrict,
        uuid text not null,
        digest text not null,
        test_mode boolean not null,
        status text not null check (status in ('ON_HOLD', 'CONFIRMED', 'CANCELLED', 'EXPIRED')),
        product_id text not null,
        option_id text,
        departure_id text not null references departures on delete restrict,
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        has_voucher boolean not null,
        settlement text not null check (settlement in ('net', 'commission')),
        reseller_reference text,
        notes text,
        contact jsonb not null check (jsonb_typeof(contact) = 'object'),
        expires_at timestamptz,
        confirmed_at timestamptz,
        last_refund_days integer check (last_refund_days >= 0),
        cancelled_at timestamptz,
        cancel_reason text,
        refund text check (refund in ('FULL', 'PARTIAL', 'NONE')),
        booking_id text constraint octo_bookings_booking references bookings on delete restrict,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint octo_bookings_uuid unique (connection_id, uuid),
        constraint octo_bookings_hold check ((status = 'ON_HOLD') = (expires_at is not null)),
        constraint octo_bookings_confirmed check (status <> 'CONFIRMED' or confirmed_at is not null),
        constraint octo_bookings_cancelled check ((status = 'CANCELLED') = (cancelled_at is not null and refund is not null)),
        constraint octo_bookings_sold check (
          booking_id is null or (confirmed_at is not null and not test_mode)
        )
      )`);
    await runner.query(`create index octo_bookings_expires_at on octo_bookings (expires_at) where status = 'ON_HOLD'`);
    await runner.query(
      'create index octo_bookings_reseller_reference on octo_bookings (connection_id, reseller_reference)',
    );
    await runner.query('create index octo_bookings_departure_id on octo_bookings (departure_id, connection_id)');
    await runner.query(
      'create unique index octo_bookings_booking_id on octo_bookings (booking_id) where booking_id is not null',
    );
    await runner.query(`
      create table octo_unit_items (
        id text primary key,
        octo_booking_id text not null references octo_bookings on delete restrict,
        uuid text not null,
        position integer not null check (position >= 0),
        unit_id text not null,
        reseller_reference text,
        contact jsonb not null check (jsonb_typeof(contact) = 'object'),
        allotment_id text references allotments on delete restrict,
        seats integer not null check (seats >= 0),
        retail_cents bigint not null check (retail_cents between 0 and ${MAX_CENTS}),
        net_cents bigint not null check (net_cents between 0 and ${MAX_CENTS}),
        sold_unit jsonb not null check (jsonb_typeof(sold_unit) = 'object'),
        booking_item_id text references booking_items on delete restrict,
        cancelled_at timestamptz,
        constraint octo_unit_items_uuid unique (octo_booking_id, uuid),
        constraint octo_unit_items_net check (net_cents <= retail_cents)
      )`);
    await runner.query(
      'create index octo_unit_items_booking_item_id on octo_unit_items (booking_item_id) where booking_item_id is not null',
    );
    await runner.query(
      'create index octo_unit_items_allotment_id on octo_unit_items (allotment_id) where allotment_id is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table octo_unit_items');
    await runner.query('drop table octo_bookings');
  }
}
