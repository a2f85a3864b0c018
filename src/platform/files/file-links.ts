import { Injectable } from '@nestjs/common';
import { SigningKeys } from '../keys/signing-keys.js';
import { Clock } from '../clock/clock.js';

/** The name and media type of a downloaded file. */
export interface LinkedFile {
  key: string;
  /** Letters, digits, dots, dashes and underscores. */
  name: string;
  type: string;
}

const PURPOSE = 'file-link';
const VALID_SECONDS = 300;

/** Links to files, valid for five minutes without a credential. They are signed, so they cannot be forged. */
@Injectable()
export class FileLinks {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
  ) {}

  /** A path without the host name, which the client could have chosen. */
  async linkTo({ key, name, type }: LinkedFile): Promise<string> {
    const expiresAt = this.clock.inSeconds(VALID_SECONDS).getTime();
    return `/v1/files/${await this.keys.sign(PURPOSE, [key, name, type, expiresAt])}`;
  }

  /** The content of a link's token; null if it was forged or has expired. */
  async open(token: string): Promise<LinkedFile | null> {
    const opened = await this.keys.verify(PURPOSE, token);
    if (!Array.isArray(opened)) return null;
    const [key, name, type, expiresAt] = opened as unknown[];
    const isWhole = [key, name, type].every((part) => typeof part === 'string') && typeof expiresAt === 'number';
    if (!isWhole || expiresAt <= this.clock.now().getTime()) return null;
    return { key: String(key), name: String(name), type: String(type) };
  }
}
