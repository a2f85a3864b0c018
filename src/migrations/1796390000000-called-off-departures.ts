import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A departure that is called off keeps its sales until they are moved or cancelled. */
export class CalledOffDepartures1796390000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they write no departure that is called off, and the wider constraints hold for the rows that they write. They
    // would sell on such a departure, which none is until the last of them has stopped.
    await runner.query(`
      alter table departures
        drop constraint departures_status_check,
        drop constraint departures_cancelled_unsold,
        add reason_code text,
        add cancel_reason text,
        add constraint departures_status_check check (status in ('scheduled', 'called_off', 'cancelled')) not valid,
        add constraint departures_cancelled_unsold check (status <> 'cancelled' or sold + held = 0) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update departures set status = 'scheduled' where status = 'called_off';
      alter table departures
        drop constraint departures_status_check,
        drop constraint departures_cancelled_unsold,
        drop reason_code,
        drop cancel_reason,
        add constraint departures_status_check check (status in ('scheduled', 'cancelled')),
        add constraint departures_cancelled_unsold check (status = 'scheduled' or sold + held = 0)`);
  }
}
