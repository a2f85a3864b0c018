import { PLATFORM } from './message.js';

/* Each operation is a single statement, which sees or changes one state of the channel. */

/**
 * $1 channels, $2 events, $3 data as JSON text, $4 now, $5 publishers, $6 the credentials that publish, $7 the number of the first
 * message of a new channel. The row of the channel is locked until the commit.
 */
export const APPEND = `
  with drafts as (
    select n, channel, event, data::json as data, published_by,
      row_number() over (partition by channel order by n) - count(*) over (partition by channel) as from_last
    from unnest($1::text[], $2::text[], $3::text[], $5::text[]) with ordinality
      as draft (channel, event, data, published_by, n)
    cross join (
      select count(require_live_caller('api_key', credential, $4)) as checked
      from (select distinct credential from unnest($6::text[]) as credential where credential is not null) as used
    ) as callers
    where checked >= 0
  ), heads as (
    insert into realtime_channels as head (name, first_seq, oldest_seq, last_seq, last_published_at, created_by)
    select channel, $7::bigint, $7::bigint, $7::bigint - 1 + count(*), $4::timestamptz,
      nullif((array_agg(published_by order by n))[1], '${PLATFORM}')
    from drafts group by channel order by channel
    on conflict (name) do update set
      last_seq = head.last_seq + excluded.last_seq - excluded.first_seq + 1,
      last_published_at = greatest(head.last_published_at, excluded.last_published_at)
    returning id, name, last_seq, last_published_at
  )
  insert into realtime_messages (channel_id, seq, id, event, data, published_at, published_by)
  select
    head.id, last_seq + from_last, realtime_message_id(last_published_at, last_seq + from_last, head.id),
    event, data, last_published_at, published_by
  from drafts join heads as head on head.name = drafts.channel
  order by n
  returning seq, id, published_at as "publishedAt"`;

/** Returns the column list of an entity under an alias. */
type ColumnsUnder = (alias: string) => string;

/** Selects the kept messages of `channel`: the newest $2, published after $3. */
const kept = (message: ColumnsUnder) => `
  select ${message('stored')} from realtime_messages as stored
  where channel_id = channel.id and seq >= greatest(channel.oldest_seq, channel.last_seq - $2::integer + 1)
    and published_at > $3::timestamptz`;

/** $1 channel, $4 limit. */
export const newest = (message: ColumnsUnder) => `
  select ${message('message')} from realtime_channels as channel
  cross join lateral (${kept(message)} order by seq desc limit $4) as message
  where channel.name = $1 order by message.seq`;

/** $1 channel, $4 limit, $5 the number after which the page starts. The message is null if there are none. */
export const after = (message: ColumnsUnder) => `
  select channel.first_seq as "firstSeq", channel.last_seq as "headSeq", ${message('message')}
  from realtime_channels as channel
  left join lateral (${kept(message)} and seq > $5::bigint order by seq limit $4) as message on true
  where channel.name = $1 order by message.seq`;

/** $1 channel, $4 a message id. If no message is kept, `oldest` is the next message that will be published. */
export const position = (channel: ColumnsUnder, message: ColumnsUnder) => `
  select ${channel('channel')}, head.id as "headId",
    coalesce(oldest.seq, channel.last_seq + 1) as "oldestSeq", coalesce(oldest.id, head.id) as "oldestId",
    since.channel_id as "sinceChannelId", since.seq as "sinceSeq"
  from realtime_channels as channel
  cross join lateral realtime_message_id(channel.last_published_at, channel.last_seq, channel.id) as head (id)
  left join lateral (${kept(message)} order by seq limit 1) as oldest on true
  left join realtime_messages as since on since.id = $4
  where channel.name = $1`;

/** $1 channels. Channels that do not exist are omitted. */
export const heads = (channel: ColumnsUnder) =>
  `select ${channel('channel')} from realtime_channels as channel where name = any ($1)`;
