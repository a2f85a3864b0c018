import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { SYSTEM } from '../../../platform/context/actor.js';
import { currentContext, openContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { ConsentsService } from '../../customers/index.js';
import { MessageTokens } from '../messages/message-tokens.js';
import { MessagesService } from '../messages/messages.service.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';

export const UNSUBSCRIPTIONS_PATH = '/v1/public/notifications/unsubscriptions';

const PURPOSE = 'marketing_email';

/** The consent to marketing mails, and the links in them that end it. */
@Injectable()
export class UnsubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly tokens: MessageTokens,
    private readonly messages: MessagesService,
    private readonly consents: ConsentsService,
    private readonly suppressions: SuppressionsService,
    private readonly env: Env,
  ) {}

  /** The link of a message. It is not stored, and does not expire. */
  urlOf(messageId: string): string {
    return `${this.env.baseUrl}${UNSUBSCRIPTIONS_PATH}/${this.tokens.create('unsubscription', messageId, '')}`;
  }

  async hasConsent(customerId: string | null): Promise<boolean> {
    return customerId !== null && this.consents.isGranted(customerId, PURPOSE);
  }

  /** Throws 409 `consent_required`. */
  async assertConsent(customerId: string | null): Promise<void> {
    if (await this.hasConsent(customerId)) return;
    const details = { purpose: PURPOSE };
    throw conflict('consent_required', 'The customer does not consent to marketing by e-mail', details);
  }

  /** Returns the language of the customer whom a token unsubscribes, null if it is not known; undefined for an unknown token. */
  async findLanguage(token: string): Promise<string | null | undefined> {
    const messageId = this.messageOf(token);
    if (messageId === null) return undefined;
    const [message] = await this.database.query<{ language: string | null }>(
      `select customer.language from notification_messages message left join customers customer on customer.id = message.customer_id
       where message.id = $1 and message.kind = 'marketing'`,
      [messageId],
    );
    return message?.language;
  }

  /**
   * Withdraws the consent of the customer and suppresses marketing to the address; once, however often it is called. Of an erased
   * person neither is stored any more, and nothing changes. Does nothing for an unknown token.
   */
  async unsubscribe(token: string): Promise<void> {
    const messageId = this.messageOf(token);
    if (messageId === null) return;
    await openContext({ ...currentContext(), actor: SYSTEM }, () =>
      this.database.transaction(async () => {
        // The lock prevents that parallel requests record the withdrawal twice.
        const message = await this.messages.findLocked(messageId);
        if (message?.kind !== 'marketing') return;
        const { customerId, recipient, erasedAt } = message;
        if (customerId !== null) {
          await this.consents.withdraw(customerId, PURPOSE, `unsubscription by the link of the message ${messageId}`);
        }
        if (erasedAt !== null) return;
        await this.suppressions.add({ address: recipient, scope: 'marketing', reason: 'unsubscribed', messageId });
      }),
    );
  }

  private messageOf(token: string): string | null {
    const presented = this.tokens.read('unsubscription', token);
    return presented?.isFor('') ? presented.messageId : null;
  }
}
