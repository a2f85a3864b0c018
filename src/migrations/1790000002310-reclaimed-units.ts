import type { MigrationInterface, QueryRunner } from 'typeorm';

const CAUSES = `'opened', 'changed', 'item', 'step', 'hand', 'out_of_range', 'departure_cancelled', 'deleted'`;

/** A reversal has units back that an allotment gave away. */
export class ReclaimedUnits1790000002310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.allow(runner, `${CAUSES}, 'reversal'`);
  }

  /** Movements stay as they are; the check is for those to come. */
  async down(runner: QueryRunner): Promise<void> {
    await this.allow(runner, CAUSES, 'not valid');
  }

  private async allow(runner: QueryRunner, causes: string, validity = ''): Promise<void> {
    await runner.query(`
      alter table allotment_movements
        drop constraint allotment_movements_cause_check,
        add constraint allotment_movements_cause_check check (cause in (${causes})) ${validity}`);
  }
}
