import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SealingKeys } from '../../../platform/keys/sealing-keys.js';
import { isId } from '../../../platform/ids/id.js';
import { emailKey } from '../../customers/index.js';

const PREFIX = 'nmsg';
const ID_LENGTH = 26;
/** 128 bits in 25 digits of base 36: mail servers may change the case, and a local part has at most 64 characters. */
const CODE_LENGTH = 25;
const CODE_BYTES = 16;
/** Longer than any service runs: replaced keys are kept, and the codes under all of them are compared. */
const EVER_SECONDS = 100 * 366 * 24 * 3_600;

/** A token in an envelope sender. */
export const BOUNCE_TOKENS = /bounces\+([0-9a-z]{51})@/g;
const TOKEN = /^[0-9a-z]{51}$/;

/** Where a token is used: it is valid there only. */
export type TokenPurpose = 'bounce' | 'unsubscription';

/** The message to which a token belongs, if its code is right for this subject. */
export interface PresentedToken {
  messageId: string;
  isFor(subject: string): boolean;
}

/**
 * Tokens that mails contain: the id of the message, and an authentication code of the message and a subject. No token is stored.
 * The subject of a bounce is the recipient: a message that is sent again to a corrected address has another token, so a late report
 * about the former address does not match.
 */
@Injectable()
export class MessageTokens {
  constructor(private readonly keys: SealingKeys) {}

  create(purpose: TokenPurpose, messageId: string, subject: string): string {
    const [code] = this.codesOf(purpose, messageId, subject);
    return `${messageId.slice(-ID_LENGTH)}${inBase36(code)}`;
  }

  /** Null if the text has not the form of a token. */
  read(purpose: TokenPurpose, token: string): PresentedToken | null {
    const messageId = `${PREFIX}_${token.slice(0, ID_LENGTH)}`;
    if (!TOKEN.test(token) || !isId(PREFIX, messageId)) return null;
    const code = Buffer.from(token.slice(ID_LENGTH));
    const isFor = (subject: string) =>
      this.codesOf(purpose, messageId, subject).some((known) => timingSafeEqual(Buffer.from(inBase36(known)), code));
    return { messageId, isFor };
  }

  private codesOf(purpose: TokenPurpose, messageId: string, subject: string): [Buffer, ...Buffer[]] {
    return this.keys.codesOf(purpose, Buffer.from(`${messageId}|${emailKey(subject)}`), EVER_SECONDS);
  }
}

function inBase36(code: Buffer): string {
  const digits = BigInt(`0x${code.subarray(0, CODE_BYTES).toString('hex')}`).toString(36);
  return digits.padStart(CODE_LENGTH, '0');
}
