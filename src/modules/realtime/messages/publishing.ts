import { Injectable } from '@nestjs/common';
import type { Draft, Message } from './message.js';
import { MessageLog } from './message-log.js';

interface Waiting {
  draft: Draft;
  resolve: (message: Message) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 100;

/**
 * Publishers of one channel wait for each other at its row, each with a database connection in hand: fifty of them would
 * leave none for anybody else. So they wait here, and what has come meanwhile goes in one statement.
 */
@Injectable()
export class Publishing {
  private readonly queues = new Map<string, Waiting[]>();

  constructor(private readonly log: MessageLog) {}

  /** Resolves once the message is committed. Not for use inside a transaction: the messages of others may go with it. */
  publish(draft: Draft): Promise<Message> {
    return new Promise((resolve, reject) => {
      const waiting = { draft, resolve, reject };
      const queue = this.queues.get(draft.channel);
      if (queue) queue.push(waiting);
      else void this.work(draft.channel, [waiting]);
    });
  }

  private async work(channel: string, queue: Waiting[]): Promise<void> {
    this.queues.set(channel, queue);
    while (queue.length > 0) await this.store(queue.splice(0, MAX_BATCH));
    this.queues.delete(channel);
  }

  private async store(batch: Waiting[]): Promise<void> {
    try {
      const messages = await this.log.append(batch.map(({ draft }) => draft));
      for (const [index, message] of messages.entries()) batch[index]?.resolve(message);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
