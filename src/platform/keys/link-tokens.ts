import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isId } from '../ids/id.js';
import { SealingKeys } from './sealing-keys.js';

const ID_LENGTH = 26;
/** 128 bits in 25 digits of base 36: mail servers may change the case, and a local part has at most 64 characters. */
const CODE_LENGTH = 25;
const CODE_BYTES = 16;
/** Longer than any service runs: replaced keys are kept, and the codes under all of them are compared. */
const EVER_SECONDS = 100 * 366 * 24 * 3_600;

export const LINK_TOKEN_LENGTH = ID_LENGTH + CODE_LENGTH;
const TOKEN = /^[0-9a-z]{51}$/;

/** The record to which a token belongs, if its code is right for this subject. */
export interface PresentedToken {
  id: string;
  isFor(subject: string): boolean;
}

/**
 * Tokens that mails contain: the id of a record, and an authentication code of the record and a subject. No token is stored. What
 * changes the subject ends the tokens for the former one.
 */
@Injectable()
export class LinkTokens {
  constructor(private readonly keys: SealingKeys) {}

  /** A token is valid for its purpose only. */
  create(purpose: string, id: string, subject: string): string {
    const [code] = this.codesOf(purpose, id, subject);
    return `${id.slice(-ID_LENGTH)}${inBase36(code)}`;
  }

  /** Null if the text is not a well-formed token for a record with this prefix. */
  read(purpose: string, prefix: string, token: string): PresentedToken | null {
    const id = `${prefix}_${token.slice(0, ID_LENGTH)}`;
    if (!TOKEN.test(token) || !isId(prefix, id)) return null;
    const code = Buffer.from(token.slice(ID_LENGTH));
    const isFor = (subject: string) =>
      this.codesOf(purpose, id, subject).some((known) => timingSafeEqual(Buffer.from(inBase36(known)), code));
    return { id, isFor };
  }

  private codesOf(purpose: string, id: string, subject: string): [Buffer, ...Buffer[]] {
    return this.keys.codesOf(purpose, Buffer.from(`${id}|${subject}`), EVER_SECONDS);
  }
}

function inBase36(code: Buffer): string {
  const digits = BigInt(`0x${code.subarray(0, CODE_BYTES).toString('hex')}`).toString(36);
  return digits.padStart(CODE_LENGTH, '0');
}
