import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { lastBitsOf } from '../../../platform/ids/id.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { type Draft, KEPT_MESSAGES, type Message, retentionLimit } from './message.js';
import { AFTER, APPEND, HEADS, NEWEST, POSITION } from './messages.sql.js';

/** A position between two messages of a channel; messages with a higher number come after it. */
export interface Position {
  afterSeq: number;
  /** False if messages between the reader's own position and this one were deleted. */
  complete: boolean;
}

export interface Page {
  messages: Message[];
  /** False if messages between the position and the first of these were deleted. */
  complete: boolean;
  /** The number of the last message, or of the channel's newest message if there are none. Numbers have no gaps. */
  lastSeq: number;
}

/** Notifications with the name of a realtime channel and the number of its newest message. */
export const HEADS_CHANNEL = 'realtime_heads';

/** Receives each message that this process has published, with its number, after the commit. */
export type AppendListener = (message: Message, seq: number) => void;

type Stored = Pick<MessageRow, 'seq' | 'id' | 'publishedAt'>;

interface MessageRow {
  seq: string;
  id: string;
  event: string;
  data: unknown;
  publishedAt: Date;
  publishedBy: string | null;
}

interface PositionRow {
  channelId: string;
  headSeq: string;
  headId: string;
  oldestSeq: string;
  oldestId: string;
  sinceChannelId: string | null;
  sinceSeq: string | null;
}

/** A row of a page; only `headSeq` if there are no messages after the position. */
type AfterRow = { [K in keyof MessageRow]: MessageRow[K] | null } & { headSeq: string };

/** The messages of all channels, in the order of their commits. Messages that are no longer kept are not read. */
@Injectable()
export class MessagesRepository {
  private appended: AppendListener = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly notifier: Notifier,
  ) {}

  /** Call it in `onModuleInit`. */
  onAppended(listener: AppendListener): void {
    this.appended = listener;
  }

  /**
   * Adds messages, in the running transaction if there is one, and returns them in the order given. Until the commit
   * their channels are locked (in name order): otherwise a reader could see number 5 before number 4. Adds none if a
   * credential that publishes has ended.
   */
  async append(drafts: readonly Draft[]): Promise<Message[]> {
    const stored = await this.database.prepared<Stored>('realtime-append', APPEND, [
      drafts.map(({ channel }) => channel),
      drafts.map(({ event }) => event),
      drafts.map(({ data }) => JSON.stringify(data)),
      this.clock.now(),
      drafts.map(({ publishedBy }) => publishedBy),
      drafts.map(({ credentialId }) => credentialId ?? null),
    ]);
    const messages = stored.flatMap(({ seq, id, publishedAt }, index) => {
      const draft = drafts[index];
      if (!draft) return [];
      const { channel, event, data, publishedBy } = draft;
      return [{ seq: Number(seq), message: { id, channel, event, data, publishedAt, publishedBy } }];
    });
    this.database.afterCommit(() => {
      for (const { seq, message } of messages) this.appended(message, seq);
    });
    for (const { seq, message } of messages) this.notifier.notify(HEADS_CHANNEL, message.channel, seq);
    return messages.map(({ message }) => message);
  }

  /** The newest messages of a channel, oldest first. */
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
   * The position of a reader whose last message is this one. For a deleted message it is the position before the oldest kept
   * message. Null for an id of another channel.
   */
  async findPosition(channel: string, sinceId: string): Promise<Position | null> {
    const [row] = await this.database.prepared<PositionRow>('realtime-position', POSITION, [
      channel,
      KEPT_MESSAGES,
      retentionLimit(this.clock.now()),
      sinceId,
    ]);
    if (!row || (row.sinceChannelId !== null && row.sinceChannelId !== row.channelId)) return null;

    const [oldestSeq, sinceSeq] = [Number(row.oldestSeq), Number(row.sinceSeq)];
    if (sinceId === row.headId) {
      // No message follows it, so no message was missed, even if it is no longer kept.
      return { afterSeq: Number(row.headSeq), complete: true };
    } else if (row.sinceSeq !== null && sinceSeq >= oldestSeq) {
      return { afterSeq: sinceSeq, complete: true };
    } else {
      // An id ends in the number of its channel, so the channel is known even if the message was deleted.
      const wasDeleted = sinceId < row.oldestId && lastBitsOf(sinceId) === Number(row.channelId);
      return wasDeleted ? { afterSeq: oldestSeq - 1, complete: false } : null;
    }
  }

  /** The first messages after a position, oldest first. */
  async after(channel: string, position: Position, limit: number): Promise<Page> {
    const rows = await this.database.prepared<AfterRow>('realtime-after', AFTER, [
      channel,
      KEPT_MESSAGES,
      retentionLimit(this.clock.now()),
      limit,
      position.afterSeq,
    ]);
    const found = rows.filter(isMessage);
    const headSeq = Number(rows[0]?.headSeq ?? position.afterSeq);
    // Numbers have no gaps, so missing messages were deleted after the position was read.
    const nextSeq = Number(found[0]?.seq ?? headSeq + 1);
    return {
      messages: found.map((row) => toMessage(channel, row)),
      complete: position.complete && nextSeq === position.afterSeq + 1,
      lastSeq: Number(found.at(-1)?.seq ?? headSeq),
    };
  }

  /** Whether the name of the channel starts with the ID of an operator and a dot. */
  async isOfOperator(channel: string): Promise<boolean> {
    const [operatorId = '', ...rest] = channel.split('.');
    if (rest.length === 0) return false;
    const found = await this.database.prepared('realtime-operator', 'select from operators where id = $1', [
      operatorId,
    ]);
    return found.length > 0;
  }

  /** The number of the newest message of each of these channels; channels without any publication are omitted. */
  async heads(channels: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.prepared<{ name: string; headSeq: string }>('realtime-heads', HEADS, [channels]);
    return new Map(rows.map(({ name, headSeq }) => [name, Number(headSeq)]));
  }
}

function isMessage(row: AfterRow): row is MessageRow & { headSeq: string } {
  return row.seq !== null;
}

function toMessage(channel: string, { id, event, data, publishedAt, publishedBy }: MessageRow): Message {
  return { id, channel, event, data, publishedAt, publishedBy };
}
