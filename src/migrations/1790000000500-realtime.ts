import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Channels and their messages. A publisher locks the row of the channel and takes the next numbers from it, so numbers,
 * times and ids follow the order of the commits.
 */
export class Realtime1790000000500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The id is a default and not proposed by the publisher: concurrent publishers that propose the same id would
    // violate the primary key, but ON CONFLICT expects only the name. A publication to a known channel consumes an id
    // too, so the sequence is a bigint.
    // No entity: one statement creates or locks the channel and inserts the messages.
    await runner.query(`
      create sequence realtime_channel_ids;
      create table realtime_channels (
        id bigint primary key default nextval('realtime_channel_ids'),
        name text not null constraint realtime_channels_name unique
          check (name ~ '^[A-Za-z0-9_=@,.;:-]{1,164}$'),
        last_seq bigint not null check (last_seq between 1 and 4398046511103),
        oldest_seq bigint not null default 1 check (oldest_seq between 1 and last_seq + 1),
        last_published_at timestamptz not null
      );
      alter sequence realtime_channel_ids owned by realtime_channels.id;`);

    // No entity: inserted by the statement above, read in pages, and deleted in batches.
    await runner.query(`
      create table realtime_messages (
        channel_id bigint not null references realtime_channels (id),
        seq bigint not null,
        id text not null constraint realtime_messages_id unique,
        event text not null check (event ~ '^[A-Za-z0-9_.:-]{1,200}$'),
        data json not null,
        published_at timestamptz not null,
        primary key (channel_id, seq)
      );
      create index realtime_messages_published_at on realtime_messages (published_at);`);

    // A UUIDv7 in the base32 of TypeID: 48 bits of milliseconds, 42 of the number in its channel, 32 of the channel.
    // Ids sort by time, then by number. The low 32 bits of channel ids differ unless 2^32 publications lie between
    // them.
    await runner.query(`
      create function realtime_message_id(published_at timestamptz, seq bigint, channel_id bigint) returns text
      language sql stable strict parallel safe
      begin atomic
        select 'rtm_' || string_agg(
          substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(bits from 1 + 5 * digit for 5)::bit(5)::integer, 1),
          '' order by digit)
        from (
          select b'00' || (extract(epoch from published_at) * 1000)::bigint::bit(48)
            || b'0111' || (seq >> 30)::bit(12) || b'10' || seq::bit(30) || channel_id::bit(32) as bits
        ) as uuid, generate_series(0, 25) as digit;
      end`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function realtime_message_id');
    await runner.query('drop table realtime_messages, realtime_channels');
  }
}
