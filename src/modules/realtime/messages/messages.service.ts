import { Injectable } from '@nestjs/common';
import { DailyBudgets } from '../../../platform/admission/daily-budgets.js';
import type { Actor } from '../../../platform/context/actor.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { LIVE_CALLER } from '../../../platform/database/live-caller.js';
import { AppError, conflict, invalidField } from '../../../platform/errors/app-error.js';
import { databaseErrorOf, mapConstraint } from '../../../platform/errors/database-errors.js';
import { isId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { PublishMessage, ReadHistory } from './message.dto.js';
import type { Draft, Message } from './message.js';
import { MessagesRepository, type Page, type Position } from './messages.repository.js';

const DEFAULT_LIMIT = 100;
const MAX_BATCH = 100;

const MAX_CHANNELS = 'realtime_channels_of_publisher';
mapConstraint(MAX_CHANNELS, () =>
  conflict(
    'channel_limit_reached',
    'The publisher has 10,000 channels; those without messages for 30 days are deleted',
  ),
);
/** One publisher violates it; the error must not affect the others of its batch. */
const OF_ONE: readonly unknown[] = [LIVE_CALLER, MAX_CHANNELS];

interface QueuedDraft {
  draft: Draft;
  resolve: (message: Message) => void;
  reject: (error: unknown) => void;
}

/** Publishes messages and reads the history of channels. */
@Injectable()
export class MessagesService {
  /** Drafts by channel that wait while a batch of the channel is written. */
  private readonly queues = new Map<string, QueuedDraft[]>();

  constructor(
    private readonly database: Database,
    private readonly repository: MessagesRepository,
    private readonly outbox: Outbox,
    private readonly budgets: DailyBudgets,
  ) {}

  /**
   * Returns whether the channel belongs to the platform, or to an operator other than the actor's. A channel belongs to the
   * operator whose ID and a dot start its name, unless the event catalog has it for the platform. Operator IDs contain no dot, so
   * at most one operator owns a name. The name alone decides, so the answer reveals nothing about the messages of the channel.
   */
  isForeign(channel: string, { operatorId } = currentActor()): boolean {
    if (operatorId === null) return false;
    const isOfPlatform = this.outbox.isRelayed(channel) && !this.outbox.isOfOperator(channel);
    return isOfPlatform || !channel.startsWith(`${operatorId}.`);
  }

  assertOwn(channel: string): void {
    if (this.isForeign(channel)) {
      throw new AppError(403, 'forbidden', 'The channel does not belong to the operator of the credential');
    }
  }

  /**
   * Resolves when the message is committed. Publishers of one channel would wait for each other at its row, each with a
   * database connection; instead they are queued here, and one statement writes all that were queued in the meantime. A message
   * of a transaction (of a request with an idempotency key) is not queued: messages of others could become part of it.
   */
  async publish(channel: string, { event, data = null }: PublishMessage): Promise<Message> {
    this.assertOwn(channel);
    if (this.outbox.isRelayed(channel)) {
      throw new AppError(403, 'forbidden', 'Only the service publishes on this channel');
    }
    await this.assertNotOfOperator(channel);
    const actor = currentActor();
    await this.budgets.take('realtime-bytes', actor.id, Buffer.byteLength(event + JSON.stringify(data)));
    const publisher = { publishedBy: publisherOf(actor), credentialId: actor.credentialId };
    const draft = { channel, event, data, ...publisher };
    if (this.database.isInTransaction) {
      const [message] = await this.repository.append([draft]);
      if (!message) throw new Error('The message was not stored');
      return message;
    }
    return new Promise((resolve, reject) => {
      const queued = { draft, resolve, reject };
      const queue = this.queues.get(channel);
      if (queue) queue.push(queued);
      else void this.drain(channel, [queued]);
    });
  }

  /** Returns the messages after `sinceId`, or the newest ones, oldest first. */
  async history(
    channel: string,
    { sinceId, limit = DEFAULT_LIMIT }: ReadHistory,
  ): Promise<Pick<Page, 'messages' | 'complete'>> {
    this.assertOwn(channel);
    if (sinceId === undefined) return { messages: await this.repository.newest(channel, limit), complete: true };
    return this.repository.after(channel, await this.positionAfter(channel, sinceId), limit);
  }

  /** Returns the position of a reader whose last message is this one. */
  async positionAfter(channel: string, sinceId: string): Promise<Position> {
    const position = isId('rtm', sinceId) ? await this.repository.findPosition(channel, sinceId) : null;
    if (!position) throw invalidField('sinceId', 'is not the id of a message of this channel', 'unknown_message');
    return position;
  }

  /** A key of the platform acts for no operator: readers could not distinguish its message from one of the operator. */
  private async assertNotOfOperator(channel: string): Promise<void> {
    if (currentActor().operatorId !== null || !(await this.repository.isOfOperator(channel))) return;
    throw new AppError(403, 'forbidden', 'Only keys of the operator publish on this channel');
  }

  private async drain(channel: string, queue: QueuedDraft[]): Promise<void> {
    this.queues.set(channel, queue);
    while (queue.length > 0) await this.write(queue.splice(0, MAX_BATCH));
    this.queues.delete(channel);
  }

  private async write(batch: QueuedDraft[]): Promise<void> {
    try {
      const messages = await this.repository.append(batch.map(({ draft }) => draft));
      for (const [index, message] of messages.entries()) batch[index]?.resolve(message);
    } catch (error) {
      const isOfOne = batch.length > 1 && OF_ONE.includes(databaseErrorOf(error)?.constraint);
      if (isOfOne) for (const queued of batch) await this.write([queued]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

/** A key of an operator publishes in the name of the operator. The ID of another key stays the same when its token is replaced. */
function publisherOf({ id, operatorId }: Actor): string {
  return operatorId === null ? `key:${id}` : `operator:${operatorId}`;
}
