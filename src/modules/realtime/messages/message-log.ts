import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { lastBitsOf } from '../../../platform/ids/id.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { type Draft, KEPT_MESSAGES, type Message, retentionLimit } from './message.js';
import { AFTER, APPEND, HEADS, NEWEST, PLACE } from './message-log.sql.js';

/** A point between two messages of a channel: what has a higher number lies after it. */
export interface Place {
  afterSeq: number;
  /** False where messages were dropped between the reader's own point and this one. */
  complete: boolean;
}

export interface Page {
  messages: Message[];
  /** False where messages between the place and the first of these were dropped. */
  complete: boolean;
  /** The number of the last of them; they are numbered without holes. Where there are none, that of the channel's head. */
  lastSeq: number;
}

/** Notifications with the name of a realtime channel and the number of its newest message. */
export const HEADS_CHANNEL = 'realtime_heads';

type Stored = Pick<MessageRow, 'seq' | 'id' | 'publishedAt'>;

interface MessageRow {
  seq: string;
  id: string;
  event: string;
  data: unknown;
  publishedAt: Date;
}

interface PlaceRow {
  channelId: string;
  headSeq: string;
  headId: string;
  oldestSeq: string;
  oldestId: string;
  sinceChannelId: string | null;
  sinceSeq: string | null;
}

/** A page's row; the channel's head alone where nothing lies after the place. */
type AfterRow = { [K in keyof MessageRow]: MessageRow[K] | null } & { headSeq: string };

/** The messages of all channels, in the order of their commits. What retention no longer keeps is never read. */
@Injectable()
export class MessageLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly notifier: Notifier,
  ) {}

  /**
   * Adds messages, in the running transaction if there is one, and returns them in the order given. Until the commit
   * their channels are locked (in name order), so that nobody reads number 5 before number 4 is there.
   */
  async append(drafts: readonly Draft[]): Promise<Message[]> {
    const stored = await this.database.prepared<Stored>('realtime-append', APPEND, [
      drafts.map(({ channel }) => channel),
      drafts.map(({ event }) => event),
      drafts.map(({ data }) => JSON.stringify(data)),
      this.clock.now(),
    ]);
    const messages = stored.flatMap(({ seq, id, publishedAt }, index) => {
      const draft = drafts[index];
      return draft ? [{ seq: Number(seq), message: { ...draft, id, publishedAt } }] : [];
    });
    for (const { seq, message } of messages) this.notifier.notify(HEADS_CHANNEL, message.channel, seq);
    return messages.map(({ message }) => message);
  }

  /** The newest messages of a channel, oldest first; none where nothing was ever published to it. */
  async newest(channel: string, limit: number): Promise<Message[]> {
    const rows = await this.database.prepared<MessageRow>('realtime-newest', NEWEST, [
      channel,
      KEPT_MESSAGES,
      retentionLimit(this.clock.now()),
      limit,
    ]);
    return rows.map((row) => toMessage(channel, row));
  }

  /**
   * Where a reader stands who has seen this message last. A message that retention dropped, that is one older than what
   * is kept, gives the place before the oldest kept one. Null: the id is none of this channel's.
   */
  async findPlace(channel: string, sinceId: string): Promise<Place | null> {
    const [row] = await this.database.prepared<PlaceRow>('realtime-place', PLACE, [
      channel,
      KEPT_MESSAGES,
      retentionLimit(this.clock.now()),
      sinceId,
    ]);
    if (!row || (row.sinceChannelId !== null && row.sinceChannelId !== row.channelId)) return null;

    const [oldestSeq, sinceSeq] = [Number(row.oldestSeq), Number(row.sinceSeq)];
    if (sinceId === row.headId) {
      // Nothing lies after it, whether or not it is still kept: a quiet channel is no gap.
      return { afterSeq: Number(row.headSeq), complete: true };
    } else if (row.sinceSeq !== null && sinceSeq >= oldestSeq) {
      return { afterSeq: sinceSeq, complete: true };
    } else {
      // An id ends in its channel's number: it says whose it was, even when the message is gone.
      const wasDropped = sinceId < row.oldestId && lastBitsOf(sinceId) === Number(row.channelId);
      return wasDropped ? { afterSeq: oldestSeq - 1, complete: false } : null;
    }
  }

  /** The first messages after a place, oldest first. */
  async after(channel: string, place: Place, limit: number): Promise<Page> {
    const rows = await this.database.prepared<AfterRow>('realtime-after', AFTER, [
      channel,
      KEPT_MESSAGES,
      retentionLimit(this.clock.now()),
      limit,
      place.afterSeq,
    ]);
    const found = rows.filter(isMessage);
    const headSeq = Number(rows[0]?.headSeq ?? place.afterSeq);
    // Numbers have no holes, so what is missing here was dropped since the place was looked up.
    const nextSeq = Number(found[0]?.seq ?? headSeq + 1);
    return {
      messages: found.map((row) => toMessage(channel, row)),
      complete: place.complete && nextSeq === place.afterSeq + 1,
      lastSeq: Number(found.at(-1)?.seq ?? headSeq),
    };
  }

  /** How far each of these channels has come; those to which nothing was ever published are left out. */
  async heads(channels: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.prepared<{ name: string; headSeq: string }>('realtime-heads', HEADS, [channels]);
    return new Map(rows.map(({ name, headSeq }) => [name, Number(headSeq)]));
  }
}

function isMessage(row: AfterRow): row is MessageRow & { headSeq: string } {
  return row.seq !== null;
}

function toMessage(channel: string, { id, event, data, publishedAt }: MessageRow): Message {
  return { id, channel, event, data, publishedAt };
}
