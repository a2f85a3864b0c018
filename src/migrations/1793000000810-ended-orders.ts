import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An attention for items that were reinstated after the order at the provider had ended. */
export class EndedOrders1793000000810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await limitCodes(runner, [...CODES, 'order_not_reinstated']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from trip_attentions where code = 'order_not_reinstated';
      update trip_envelopes t set attention =
        exists (select from trip_attentions a where a.envelope_id = t.id and a.resolved_at is null)
      where t.attention`);
    await limitCodes(runner, CODES);
  }
}

const CODES = [
  'provider_outcome_unknown',
  'provider_order_live',
  'release_failed',
  'confirmation_refused',
  'confirmation_unknown',
  'cancellation_failed',
];

async function limitCodes(runner: QueryRunner, codes: readonly string[]): Promise<void> {
  await runner.query(`
    alter table trip_attentions drop constraint trip_attentions_code_check;
    alter table trip_attentions add constraint trip_attentions_code_check
      check (code in (${codes.map((code) => `'${code}'`).join(', ')}))`);
}
