import { Injectable } from '@nestjs/common';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isId } from '../../../platform/ids/id.js';
import type { PublishMessage, ReadHistory } from './message.dto.js';
import type { Message } from './message.js';
import { MessageLog, type Page, type Place } from './message-log.js';
import { Publishing } from './publishing.js';

const DEFAULT_LIMIT = 100;

@Injectable()
export class Messages {
  constructor(
    private readonly log: MessageLog,
    private readonly publishing: Publishing,
  ) {}

  /** Resolves once the message is committed. */
  async publish(channel: string, { event, data = null }: PublishMessage): Promise<Message> {
    return this.publishing.publish({ channel, event, data });
  }

  /** Messages after `sinceId`, or the newest ones, oldest first. Throws 400 for an id that is none of the channel's. */
  async history(
    channel: string,
    { sinceId, limit = DEFAULT_LIMIT }: ReadHistory,
  ): Promise<Pick<Page, 'messages' | 'complete'>> {
    if (sinceId === undefined) return { messages: await this.log.newest(channel, limit), complete: true };
    return this.log.after(channel, await this.placeAfter(channel, sinceId), limit);
  }

  /** Where somebody stands who has seen this message last. Throws 400 for an id that is none of the channel's. */
  async placeAfter(channel: string, sinceId: string): Promise<Place> {
    const place = isId('rtm', sinceId) ? await this.log.findPlace(channel, sinceId) : null;
    if (!place) throw invalidField('sinceId', 'is not the id of a message of this channel', 'sinceId');
    return place;
  }
}
