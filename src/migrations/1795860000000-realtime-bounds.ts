import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bounds of what partners store: the channels of one publisher, and amounts per caller and day. Channels that exist already, and
 * those of processes of earlier builds, have no publisher and are not counted.
 */
export class RealtimeBounds1795860000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Numbers of a channel start at the time of its creation in milliseconds: a channel that was deleted and is created again
    // continues above its earlier numbers, which streams may still remember.
    await runner.query(`
      alter table realtime_channels
        add first_seq bigint not null default 1,
        add created_by text check (created_by ~ '^(operator:[A-Za-z0-9_-]{1,64}|key:[A-Za-z0-9_]{1,90})$'),
        add check (first_seq between 1 and last_seq)`);

    // No entity: only the trigger writes it. Counting the channels of a publisher at each creation would be a race.
    await runner.query(`
      create table realtime_channel_counts (
        publisher text primary key,
        channels integer not null constraint realtime_channels_of_publisher check (channels between 0 and 10000)
      );
      create function realtime_count_channel() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into realtime_channel_counts as count (publisher, channels) values (new.created_by, 1)
          on conflict (publisher) do update set channels = count.channels + 1;
        else
          update realtime_channel_counts set channels = channels - 1 where publisher = old.created_by;
        end if;
        return null;
      end $$;
      create trigger realtime_channels_created after insert on realtime_channels for each row
      when (new.created_by is not null) execute function realtime_count_channel();
      create trigger realtime_channels_deleted after delete on realtime_channels for each row
      when (old.created_by is not null) execute function realtime_count_channel();`);

    // No entity: one conditional statement reserves an amount.
    await runner.query(`
      create table daily_budgets (
        name text not null,
        subject text not null,
        day date not null,
        used bigint not null check (used > 0),
        primary key (name, subject, day)
      );
      create index daily_budgets_day on daily_budgets (day);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table daily_budgets');
    await runner.query('drop trigger realtime_channels_created on realtime_channels');
    await runner.query('drop trigger realtime_channels_deleted on realtime_channels');
    await runner.query('drop function realtime_count_channel');
    await runner.query('drop table realtime_channel_counts');
    await runner.query('alter table realtime_channels drop first_seq, drop created_by');
  }
}
