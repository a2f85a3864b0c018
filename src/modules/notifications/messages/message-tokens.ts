import { Injectable } from '@nestjs/common';
import { LinkTokens } from '../../../platform/keys/link-tokens.js';
import { emailKey } from '../../customers/index.js';

const PREFIX = 'nmsg';

/** A token in an envelope sender. */
export const BOUNCE_TOKENS = /bounces\+([0-9a-z]{51})@/g;

/** Where a token is used: it is valid there only. */
export type TokenPurpose = 'bounce' | 'file' | 'unsubscription';

/** The message to which a token belongs, if its code is right for this subject. */
export interface PresentedMessageToken {
  messageId: string;
  isFor(subject: string): boolean;
}

/**
 * Tokens of messages. The subject of a bounce is the recipient: a message that is sent again to a corrected address has another
 * token, so a late report about the former address does not match.
 */
@Injectable()
export class MessageTokens {
  constructor(private readonly tokens: LinkTokens) {}

  create(purpose: TokenPurpose, messageId: string, subject: string): string {
    return this.tokens.create(purpose, messageId, emailKey(subject));
  }

  /** Null if the text is not a well-formed token. */
  read(purpose: TokenPurpose, token: string): PresentedMessageToken | null {
    const presented = this.tokens.read(purpose, PREFIX, token);
    return presented && { messageId: presented.id, isFor: (subject) => presented.isFor(emailKey(subject)) };
  }
}
