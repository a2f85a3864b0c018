import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { lastBitsOf, timeOf } from '../../../platform/ids/id.js';
import { Database } from '../../../platform/database/database.js';
import { Notifier } from '../../../platform/database/notifier.js';
import { RealtimeChannel } from './channel.entity.js';
import { channelRetentionLimit, type Draft, KEPT_MESSAGES, type Message, retentionLimit } from './message.js';
import { RealtimeMessage } from './message.entity.js';
import { after, APPEND, heads, newest, position } from './messages.sql.js';

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

type Stored = Pick<RealtimeMessage, 'id' | 'publishedAt'> & { seq: string };

/** Properties of the channel that its row does not contain, for the message with the given id. */
interface PositionRow {
  headId: string;
  oldestSeq: string;
  oldestId: string;
  sinceChannelId: string | null;
  sinceSeq: string | null;
}

/** The messages of all channels, in the order of their commits. Messages that are no longer kept are not read. */
@Injectable()
export class MessagesRepository {
  private appended: AppendListener = () => undefined;
  private readonly channel = (alias: string) => this.database.columnsOf(RealtimeChannel, alias);
  private readonly message = (alias: string) => this.database.columnsOf(RealtimeMessage, alias);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly notifier: Notifier,
  ) {}

  /** Must be called in `onModuleInit`. */
  onAppended(listener: AppendListener): void {
    this.appended = listener;
  }

  /**
   * Adds messages, in the running transaction if there is one, and returns them in the order given. Locks their channels in
   * name order until the commit: otherwise a reader could see number 5 before number 4. Adds none if a publishing credential
   * has ended.
   */
  async append(drafts: readonly Draft[]): Promise<Message[]> {
    const stored = await this.database.prepared<Stored>('realtime-append', APPEND, [
      drafts.map(({ channel }) => channel),
      drafts.map(({ event }) => event),
      drafts.map(({ data }) => JSON.stringify(data)),
      this.clock.now(),
      drafts.map(({ publishedBy }) => publishedBy),
      drafts.map(({ credentialId }) => credentialId ?? null),
      this.clock.now().getTime(),
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

  /** Returns the newest messages of a channel, oldest first. */
  async newest(channel: string, limit: number): Promise<Message[]> {
    const found = await this.database.read(RealtimeMessage, {
      name: 'realtime-newest',
      text: newest(this.message),
      values: [channel, KEPT_MESSAGES, retentionLimit(this.clock.now()), limit],
    });
    return found.map(({ entity }) => toMessage(channel, entity));
  }

  /**
   * Returns the position of a reader whose last message is this one. For a deleted message it is the position before the oldest
   * kept message. Returns null for an id of another channel.
   */
  async findPosition(channel: string, sinceId: string): Promise<Position | null> {
    const [found] = await this.database.read<RealtimeChannel, PositionRow>(RealtimeChannel, {
      name: 'realtime-position',
      text: position(this.channel, this.message),
      values: [channel, KEPT_MESSAGES, retentionLimit(this.clock.now()), sinceId],
    });
    if (!found) return (await this.isOfDeleted(sinceId)) ? { afterSeq: 0, complete: false } : null;
    const { entity: head, raw: row } = found;
    if (row.sinceChannelId !== null && Number(row.sinceChannelId) !== head.id) return null;

    const [oldestSeq, sinceSeq] = [Number(row.oldestSeq), Number(row.sinceSeq)];
    if (sinceId === row.headId) {
      // No message follows it, so no message was missed, even if it is no longer kept.
      return { afterSeq: head.lastSeq, complete: true };
    } else if (row.sinceSeq !== null && sinceSeq >= oldestSeq) {
      return { afterSeq: sinceSeq, complete: true };
    } else {
      // An id ends in the number of its channel, so the channel is known even if the message was deleted.
      const isOwn = sinceId < row.oldestId && lastBitsOf(sinceId) === head.id % 2 ** 32;
      const wasDeleted = isOwn || (lastBitsOf(sinceId) < head.id && (await this.isOfDeleted(sinceId)));
      return wasDeleted ? { afterSeq: oldestSeq - 1, complete: false } : null;
    }
  }

  /**
   * Returns whether the id can belong to a deleted channel, whose name is no longer known; it may be this channel before it was
   * created again.
   */
  private async isOfDeleted(messageId: string): Promise<boolean> {
    if (timeOf(messageId) > channelRetentionLimit(this.clock.now())) return false;
    const numbered = 'select from realtime_channels where id % 4294967296 = $1';
    return (await this.database.query(numbered, [lastBitsOf(messageId)])).length === 0;
  }

  /** Returns the first messages after a position, oldest first. */
  async after(channel: string, { afterSeq, complete }: Position, limit: number): Promise<Page> {
    const rows = await this.database.read<RealtimeMessage, { firstSeq: string; headSeq: string; seq: string | null }>(
      RealtimeMessage,
      {
        name: 'realtime-after',
        text: after(this.message),
        values: [channel, KEPT_MESSAGES, retentionLimit(this.clock.now()), limit, afterSeq],
      },
    );
    const found = rows.filter(({ raw }) => raw.seq !== null).map(({ entity }) => entity);
    const { firstSeq = 1, headSeq = afterSeq } = rows[0]?.raw ?? {};
    // Numbers have no gaps, so missing messages were deleted after the position was read. A reader that came before the first
    // message of the channel has missed none.
    const nextSeq = found[0]?.seq ?? Number(headSeq) + 1;
    return {
      messages: found.map((row) => toMessage(channel, row)),
      complete: complete && nextSeq === Math.max(afterSeq + 1, Number(firstSeq)),
      lastSeq: found.at(-1)?.seq ?? Number(headSeq),
    };
  }

  /** Returns whether the name of the channel starts with the ID of an operator and a dot. */
  async isOfOperator(channel: string): Promise<boolean> {
    const [operatorId = '', ...rest] = channel.split('.');
    if (rest.length === 0) return false;
    const found = await this.database.prepared('realtime-operator', 'select from operators where id = $1', [
      operatorId,
    ]);
    return found.length > 0;
  }

  /** Returns the number of the newest message of each of these channels; omits channels without any publication. */
  async heads(channels: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.database.read(RealtimeChannel, {
      name: 'realtime-heads',
      text: heads(this.channel),
      values: [channels],
    });
    return new Map(found.map(({ entity }) => [entity.name, entity.lastSeq]));
  }
}

function toMessage(channel: string, { id, event, data, publishedAt, publishedBy }: RealtimeMessage): Message {
  return { id, channel, event, data, publishedAt, publishedBy };
}
