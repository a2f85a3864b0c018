import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The folded names of travelers, by which the desk finds bookings. They are stored, because folding the names of 200,000 travelers
 * for each search takes seconds. A trigger sets them: a generated column would rewrite the table while processes wait for it.
 */
export class TravelerSearch1796345000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function booking_travelers_set_search_text() returns trigger language plpgsql
      set search_path = public, pg_temp as $$
      begin
        new.search_text := fold(coalesce(new.first_name, '') || ' ' || coalesce(new.last_name, ''));
        return new;
      end $$;
      alter table booking_travelers add search_text text not null default '';
      create trigger booking_travelers_search_text before insert or update of first_name, last_name on booking_travelers
        for each row execute function booking_travelers_set_search_text()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger booking_travelers_search_text on booking_travelers;
      drop function booking_travelers_set_search_text;
      alter table booking_travelers drop search_text`);
  }
}
