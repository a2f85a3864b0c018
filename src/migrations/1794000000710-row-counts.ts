import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The columns by which the rows of each table are counted. They are never null. */
const COUNTED: readonly [table: string, columns: readonly string[]][] = [
  ['bookings', ['status']],
  ['contracts', ['status']],
  ['departures', ['status']],
  ['invoices', ['type', 'status']],
  ['notification_messages', ['status']],
  ['payments', ['direction', 'kind', 'status']],
  ['supplier_invoices', ['status']],
  ['trip_envelopes', ['status']],
];

/**
 * Exact numbers of rows by status, so that the total of a list does not count millions of rows. A change is added to a slot
 * that no other transaction has locked, so writers never wait for each other; the number of rows is the sum of the slots.
 */
export class RowCounts1794000000710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: written by triggers, and read as a sum by the statements of lists.
    await runner.query(`
      create table row_counts (
        relation text not null,
        part text[] not null,
        slot bigint generated always as identity,
        number bigint not null,
        primary key (relation, part, slot)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
    await runner.query(`
      create function add_to_row_count(counted text, counted_part text[], change bigint) returns void language plpgsql as $$
      declare
        free bigint;
      begin
        -- Two statements, because the second must see what another transaction has committed before the lock.
        select slot into free from row_counts
        where relation = counted and part = counted_part limit 1 for no key update skip locked;
        if found then
          update row_counts set number = number + change where relation = counted and part = counted_part and slot = free;
        else
          insert into row_counts (relation, part, number) values (counted, counted_part, change);
        end if;
      end $$`);
    for (const [table, columns] of COUNTED) await this.countTable(runner, { table, columns });
    // For a database that was restored or changed while its triggers were disabled.
    await runner.query(`
      create function recount_rows() returns void language plpgsql as $$
      begin
        ${COUNTED.map(([table, columns]) => recount(table, columns)).join('')}
      end $$`);
    await runner.query('select recount_rows()');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table] of COUNTED) {
      await runner.query(`
        drop trigger ${table}_counted_insert on ${table};
        drop trigger ${table}_counted_delete on ${table};
        drop trigger ${table}_counted_update on ${table};
        drop function count_${table}`);
    }
    await runner.query('drop function recount_rows, add_to_row_count');
    await runner.query('drop table row_counts');
  }

  private async countTable(
    runner: QueryRunner,
    { table, columns }: { table: string; columns: readonly string[] },
  ): Promise<void> {
    const part = (row: string) => `array[${columns.map((column) => `${row}.${column}`).join(', ')}]`;
    const differs = columns.map((column) => `old.${column} <> new.${column}`).join(' or ');
    await runner.query(`
      create function count_${table}() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          perform add_to_row_count('${table}', part, number)
          from (select ${part('r')} as part, count(*) as number from changed r group by 1 order by 1) as counted;
        elsif tg_op = 'DELETE' then
          perform add_to_row_count('${table}', part, -number)
          from (select ${part('r')} as part, count(*) as number from changed r group by 1 order by 1) as counted;
        else
          perform add_to_row_count('${table}', ${part('old')}, -1);
          perform add_to_row_count('${table}', ${part('new')}, 1);
        end if;
        return null;
      end $$;
      create trigger ${table}_counted_insert after insert on ${table} referencing new table as changed
      for each statement execute function count_${table}();
      create trigger ${table}_counted_delete after delete on ${table} referencing old table as changed
      for each statement execute function count_${table}();
      create trigger ${table}_counted_update after update on ${table} for each row
      when (${differs}) execute function count_${table}();`);
  }
}

function recount(table: string, columns: readonly string[]): string {
  return `
        lock table ${table} in share mode;
        delete from row_counts where relation = '${table}';
        insert into row_counts (relation, part, number)
        select '${table}', array[${columns.join(', ')}], count(*) from ${table} group by ${columns.join(', ')};`;
}
