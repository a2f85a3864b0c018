import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Trigger and name; their order gives the ids. */
const RULES: readonly (readonly [trigger: string, name: string])[] = [
  ['booking_confirmed', 'Confirmation of the booking'],
  ['departure_changed', 'Change of the departure'],
  ['booking_cancelled', 'Cancellation of the booking'],
];

/**
 * The rules of a new installation inform customers about their bookings without delay. An installation with rules or bookings
 * has decided by itself which mails it sends.
 */
export class DefaultReminderRules1796562000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const names = RULES.map(([, name]) => name);
    const triggers = RULES.map(([trigger]) => trigger);
    // At midnight the mail is due at once on its day; quiet hours can delay it until the next one.
    await runner.query(
      `with rule as (
         insert into reminder_rules
           (id, name, trigger, enabled, priority, send_time, suppression_group, version, created_at, updated_at)
         select 'rrul_01k0' || lpad(number::text, 22, '0'), name, trigger, true, 0, '00:00', null, 1, now(), now()
         from unnest($1::text[], $2::text[]) with ordinality as wanted (name, trigger, number)
         where not exists (select from reminder_rules) and not exists (select from bookings)
         returning id
       ), stage as (
         insert into reminder_stages (id, rule_id, position, name, offset_days, send_if_late_by_hours)
         select replace(id, 'rrul_', 'rstg_'), id, 0, null, 0, 48 from rule
         returning id
       )
       insert into reminder_stage_channels (stage_id, position, config)
       select id, 0, '{"channel":"email"}' from stage`,
      [names, triggers],
    );
  }

  /** Rules whose mails were sent are part of the history, so they stay. */
  async down(): Promise<void> {}
}
