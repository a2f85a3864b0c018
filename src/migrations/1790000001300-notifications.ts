import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reminder rules with their stages and channels, the runs they are planned into, and the messages that are sent. */
export class Notifications1790000001300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createRules(runner);
    await this.createRuns(runner);
    await this.createMessages(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table notification_messages, reminder_runs');
    await runner.query('drop table reminder_plannings, reminder_stage_channels, reminder_stages, reminder_rules');
  }

  private async createRules(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table reminder_rules (
        id text primary key,
        name text not null check (length(name) between 1 and 255),
        trigger text not null check (trigger in (
          'deposit_due', 'balance_due', 'installment_due', 'invoice_due', 'departure_upcoming', 'booking_confirmed',
          'payment_complete', 'hold_expiry', 'supplier_response_due', 'supplier_reconciliation_due',
          'legal_acceptance_due', 'legal_signature_due', 'booking_cancelled_non_payment', 'document_missing'
        )),
        enabled boolean not null,
        priority integer not null check (priority between 0 and 1000),
        send_time text not null check (send_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
        suppression_group text check (length(suppression_group) between 1 and 100),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index reminder_rules_created on reminder_rules (created_at, id);
      create index reminder_rules_enabled on reminder_rules (trigger) where enabled;`);

    // No entity: stages are inserted as a set with their rule, never change, and are read with their channels.
    await runner.query(`
      create table reminder_stages (
        id text primary key,
        rule_id text not null constraint reminder_stages_rule references reminder_rules on delete restrict,
        position integer not null check (position >= 0),
        name text check (length(name) between 1 and 255),
        offset_days integer not null check (offset_days between -3650 and 3650),
        send_if_late_by_hours integer not null check (send_if_late_by_hours between 0 and 720),
        constraint reminder_stages_position unique (rule_id, position),
        constraint reminder_stages_of_rule unique (id, rule_id)
      )`);

    // `config` is json and not jsonb: the API returns it with its members in the order in which they were sent.
    // No entity: inserted as a set with the rule, and read as a JSON array of the stage.
    await runner.query(`
      create table reminder_stage_channels (
        stage_id text not null constraint reminder_stage_channels_stage references reminder_stages on delete restrict,
        position smallint not null check (position between 0 and 9),
        config json not null check (json_typeof(config) = 'object'),
        primary key (stage_id, position)
      )`);

    // No entity: the progress of planning a rule, changed by conditional updates and increments only.
    await runner.query(`
      create table reminder_plannings (
        rule_id text primary key constraint reminder_plannings_rule references reminder_rules on delete restrict,
        requested_at timestamptz not null,
        finished_at timestamptz,
        targets bigint not null check (targets >= 0),
        runs bigint not null check (runs >= 0),
        last_target_id text
      )`);
  }

  private async createRuns(runner: QueryRunner): Promise<void> {
    // A run is one message for one target. reminder_runs_once prevents that a rule is planned twice for the same
    // target, anchor date, stage and channel.
    await runner.query(`
      create table reminder_runs (
        id text primary key,
        rule_id text not null constraint reminder_runs_rule references reminder_rules on delete restrict,
        stage_id text not null,
        channel_position smallint not null,
        channel text not null check (length(channel) between 1 and 50),
        priority integer not null check (priority between 0 and 1000),
        booking_id text not null constraint reminder_runs_booking references bookings on delete restrict,
        schedule_id text constraint reminder_runs_schedule references payment_schedules on delete restrict,
        invoice_id text constraint reminder_runs_invoice references invoices on delete restrict,
        target_id text not null generated always as (coalesce(schedule_id, invoice_id, booking_id)) stored,
        anchor_date date not null check (anchor_date between '1900-01-01' and '2199-12-31'),
        status text not null check (status in (
          'planned', 'queued', 'sending', 'sent', 'failed', 'cancelled', 'superseded', 'expired', 'skipped'
        )),
        reason text check (length(reason) between 1 and 100),
        run_at timestamptz not null,
        recipient text check (length(recipient) between 3 and 255),
        attempts integer not null check (attempts between 0 and 8),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint reminder_runs_stage foreign key (stage_id, rule_id)
          references reminder_stages (id, rule_id) on delete restrict,
        constraint reminder_runs_channel foreign key (stage_id, channel_position)
          references reminder_stage_channels on delete restrict,
        constraint reminder_runs_target check (num_nonnulls(schedule_id, invoice_id) <= 1),
        constraint reminder_runs_reason check (status not in ('failed', 'skipped') or reason is not null),
        constraint reminder_runs_once unique (rule_id, target_id, anchor_date, stage_id, channel_position)
      );
      create index reminder_runs_planned on reminder_runs (run_at, id) where status = 'planned';
      create index reminder_runs_queued on reminder_runs (priority desc, run_at, id) where status = 'queued';
      create index reminder_runs_open on reminder_runs (rule_id) where status in ('planned', 'queued');
      create index reminder_runs_booking_id on reminder_runs (booking_id, run_at desc, id);
      create index reminder_runs_invoice_id on reminder_runs (invoice_id) where invoice_id is not null;`);
  }

  private async createMessages(runner: QueryRunner): Promise<void> {
    // A message is marked as sending, with a lease, before the mail server is called: after a crash it is found again.
    await runner.query(`
      create table notification_messages (
        id text primary key,
        kind text not null check (kind in ('reminder', 'contract')),
        run_id text unique constraint notification_messages_run references reminder_runs on delete restrict,
        contract_id text constraint notification_messages_contract references contracts on delete restrict,
        status text not null check (status in ('queued', 'sending', 'sent', 'recorded', 'failed', 'cancelled')),
        reason text check (length(reason) between 1 and 100),
        error text check (length(error) between 1 and 500),
        recipient text not null check (length(recipient) between 3 and 255),
        recipient_kind text not null check (recipient_kind in ('primary', 'cc', 'bcc')),
        suppression_group text check (length(suppression_group) between 1 and 100),
        subject text not null check (length(subject) between 1 and 500),
        text text not null check (length(text) between 1 and 20000),
        attempts integer not null check (attempts between 0 and 8),
        send_at timestamptz not null,
        lease_until timestamptz,
        sent_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint notification_messages_of check (
          (kind = 'reminder') = (run_id is not null) and (kind = 'contract') = (contract_id is not null)
        ),
        constraint notification_messages_lease check ((status = 'sending') = (lease_until is not null)),
        constraint notification_messages_sent check ((status = 'sent') = (sent_at is not null)),
        constraint notification_messages_reason check ((status = 'failed') = (reason is not null))
      );
      create index notification_messages_created on notification_messages (created_at, id);
      create index notification_messages_queued on notification_messages (send_at, id) where status = 'queued';
      create index notification_messages_sending on notification_messages (lease_until) where status = 'sending';
      create index notification_messages_recipient on notification_messages (lower(recipient), updated_at)
      where kind = 'reminder';
      create index notification_messages_contract_id on notification_messages (contract_id);`);
  }
}
