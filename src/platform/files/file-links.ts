import { Injectable } from '@nestjs/common';
import { Listeners } from '../discovery/listeners.js';
import { SigningKeys } from '../keys/signing-keys.js';
import { Clock } from '../clock/clock.js';

/** The name and media type of a downloaded file. */
export interface LinkedFile {
  key: string;
  name: string;
  type: string;
  /** Whether a browser may display it in a page of this origin, if it is a PDF; otherwise it is downloaded. */
  inline?: boolean;
  /** For a file in `EnclosedFiles`: the id of the record for which it is encrypted, or null. */
  sealedFor?: string | null;
}

export interface FileLink {
  /** A path without the host name, which the client could have chosen. */
  path: string;
  expiresAt: Date;
}

const PURPOSE = 'file-link';
const VALID_SECONDS = 300;
const [INLINE, ATTACHMENT] = ['inline', 'attachment'];

/** Knows which credentials have ended. The module of the credentials implements it with `@Listens(LinkCredentials, ...)`. */
export abstract class LinkCredentials {
  /** Whether the session or API token with this ID still exists and its user is active. */
  abstract isLive(credentialId: string): Promise<boolean>;
}

/**
 * Links to files, valid for five minutes without a credential. They are signed, so they cannot be forged, and end with the
 * credential that made them: a user who is disabled must not read on.
 */
@Injectable()
export class FileLinks {
  constructor(
    private readonly keys: SigningKeys,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
  ) {}

  /** The link ends with the credential. */
  async linkTo({ key, name, type, inline = false, sealedFor }: LinkedFile, credentialId: string): Promise<FileLink> {
    const expiresAt = this.clock.inSeconds(VALID_SECONDS);
    const enclosed = sealedFor === undefined ? [] : [sealedFor];
    const disposition = inline ? [INLINE] : enclosed.map(() => ATTACHMENT);
    const content = [key, name, type, expiresAt.getTime(), credentialId, ...disposition, ...enclosed];
    return { path: `/v1/files/${await this.keys.sign(PURPOSE, content)}`, expiresAt };
  }

  /** The content of a link's token; null if it was forged, or the link or its credential has ended. */
  async open(token: string): Promise<LinkedFile | null> {
    const opened = await this.keys.verify(PURPOSE, token);
    if (!Array.isArray(opened)) return null;
    const [key, name, type, expiresAt, credentialId, disposition, sealedFor] = opened as unknown[];
    const texts = [key, name, type, credentialId];
    const isWhole = texts.every((part) => typeof part === 'string') && typeof expiresAt === 'number';
    if (!isWhole || expiresAt <= this.clock.now().getTime()) return null;
    for (const credentials of this.listeners.all(LinkCredentials)) {
      if (!(await credentials.isLive(String(credentialId)))) return null;
    }
    return {
      ...{ key: String(key), name: String(name), type: String(type), inline: disposition === INLINE },
      ...(typeof sealedFor === 'string' || sealedFor === null ? { sealedFor } : {}),
    };
  }
}
