import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A channel's id comes from its default, as a bigint. When publishers proposed the id that they had read, two constraints
 * could refuse their row: the name's, which ON CONFLICT expects, and the key's, which it does not.
 */
export class RealtimeChannelIds1790000000810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function realtime_message_id(timestamptz, bigint, integer)');
    await this.changeType(runner, 'bigint');
    await runner.query(`alter table realtime_channels alter id set default nextval('realtime_channel_ids')`);

    // Publishing to a known channel uses up an id too, so ids are many more than channels; the low 32 bits still tell
    // channels apart, unless thousands of millions of messages lie between them.
    await this.createMessageId(runner, 'bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function realtime_message_id(timestamptz, bigint, bigint)');
    await runner.query('alter table realtime_channels alter id drop default');
    await this.changeType(runner, 'integer');
    await this.createMessageId(runner, 'integer');
  }

  private async changeType(runner: QueryRunner, type: string): Promise<void> {
    await runner.query(`alter sequence realtime_channel_ids as ${type}`);
    await runner.query(`alter table realtime_channels alter id type ${type}`);
    await runner.query(`alter table realtime_messages alter channel_id type ${type}`);
  }

  private async createMessageId(runner: QueryRunner, type: string): Promise<void> {
    await runner.query(`
      create function realtime_message_id(published_at timestamptz, seq bigint, channel_id ${type}) returns text
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
}
