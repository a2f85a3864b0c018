import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Departures that are called off, and what happens with each of their bookings and reserved trips. */
export class CallOffs1796390000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table call_offs (
        id text primary key,
        departure_id text not null references departures on delete restrict,
        status text not null check (status in ('running', 'paused', 'completed', 'completed_with_failures', 'abandoned')),
        reason_code text not null check (reason_code ~ '^[a-z_]{1,50}$'),
        reason text not null check (length(reason) between 1 and 2000),
        action text not null check (action in ('move', 'cancel', 'keep')),
        target_departure_id text references departures on delete restrict,
        settle text check (settle in ('refund', 'credit', 'later')),
        reprice boolean not null,
        mails boolean not null,
        note text check (length(note) between 1 and 2000),
        ended_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint call_offs_target check ((action = 'move') = (target_departure_id is not null)),
        constraint call_offs_settle check ((action = 'cancel') = (settle is not null)),
        constraint call_offs_ended check ((status in ('running', 'paused')) = (ended_at is null))
      );
      create unique index call_offs_open on call_offs (departure_id)
        where status in ('running', 'paused', 'completed_with_failures');
      create index call_offs_of_departure on call_offs (departure_id, created_at, id);
      create index call_offs_running on call_offs (id) where status = 'running';
      create index call_offs_target_departure_id on call_offs (target_departure_id) where target_departure_id is not null`);
    await runner.query(`
      create table call_off_items (
        id text primary key,
        call_off_id text not null references call_offs on delete restrict,
        position integer not null check (position > 0),
        booking_id text references bookings on delete restrict,
        envelope_id text references trip_envelopes on delete restrict,
        action text not null check (action in ('move', 'cancel', 'keep', 'release')),
        target_departure_id text references departures on delete restrict,
        settle text check (settle in ('refund', 'credit', 'later')),
        reprice boolean not null,
        status text not null check (status in ('pending', 'done', 'failed', 'skipped')),
        code text check (code ~ '^[a-z_]{1,100}$'),
        people integer not null check (people >= 0),
        units integer not null check (units >= 0),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        total_cents bigint not null,
        settlement_id text references cancellation_settlements on delete restrict,
        refund_id text references payments on delete restrict,
        refunded_cents bigint not null check (refunded_cents >= 0),
        credited_cents bigint not null check (credited_cents >= 0),
        open_cents bigint not null check (open_cents >= 0),
        message_id text references notification_messages on delete restrict,
        attempts integer not null check (attempts >= 0),
        ended_at timestamptz,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint call_off_items_subject check ((booking_id is null) <> (envelope_id is null)),
        constraint call_off_items_trip check ((action = 'release') = (envelope_id is not null)),
        constraint call_off_items_target check ((action = 'move') = (target_departure_id is not null)),
        constraint call_off_items_settle check ((action = 'cancel') = (settle is not null)),
        constraint call_off_items_ended check ((status = 'pending') = (ended_at is null)),
        constraint call_off_items_position unique (call_off_id, position),
        constraint call_off_items_booking unique (call_off_id, booking_id),
        constraint call_off_items_envelope unique (call_off_id, envelope_id)
      );
      create index call_off_items_booking_id on call_off_items (booking_id) where booking_id is not null;
      create index call_off_items_envelope_id on call_off_items (envelope_id) where envelope_id is not null;
      create index call_off_items_target_departure_id on call_off_items (target_departure_id)
        where target_departure_id is not null;
      create index call_off_items_settlement_id on call_off_items (settlement_id) where settlement_id is not null;
      create index call_off_items_refund_id on call_off_items (refund_id) where refund_id is not null;
      create index call_off_items_message_id on call_off_items (message_id) where message_id is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table call_off_items, call_offs');
  }
}
