import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

const MAC_BYTES = 16;

/**
 * Signs cursors and links that clients send back. The keys are stored in the database, so that all processes share them
 * and a restart changes nothing.
 */
@Injectable()
export class SigningKeys {
  private readonly keys = new Map<string, Promise<Buffer>>();

  constructor(private readonly database: Database) {}

  /** `base64url(JSON).base64url(HMAC-SHA256 cut to 128 bits)`, under the key of this purpose. */
  async seal(purpose: string, value: unknown): Promise<string> {
    const payload = Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${payload}.${(await this.mac(purpose, payload)).toString('base64url')}`;
  }

  /** The sealed value, or null if it was changed, cut, or sealed for another purpose. */
  async open(purpose: string, sealed: string): Promise<unknown> {
    const [payload = '', mac = '', ...rest] = sealed.split('.');
    // Compared as text: base64 has several encodings of the same bytes, and only the issued one is valid.
    const expected = Buffer.from((await this.mac(purpose, payload)).toString('base64url'));
    const given = Buffer.from(mac);
    const isOurs = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
    return isOurs ? (JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown) : null;
  }

  private async mac(purpose: string, payload: string): Promise<Buffer> {
    const hmac = createHmac('sha256', await this.key(purpose));
    return hmac.update(payload).digest().subarray(0, MAC_BYTES);
  }

  private key(purpose: string): Promise<Buffer> {
    const known = this.keys.get(purpose);
    if (known) return known;
    // A cached key must be in the database, even if the running transaction rolls back.
    const loading = this.database.apart(() => this.load(purpose));
    this.keys.set(purpose, loading);
    loading.catch(() => this.keys.delete(purpose));
    return loading;
  }

  private async load(purpose: string): Promise<Buffer> {
    await this.database.query('insert into signing_keys (purpose, secret) values ($1, $2) on conflict do nothing', [
      purpose,
      randomBytes(32),
    ]);
    const [row] = await this.database.query<{ secret: Buffer }>('select secret from signing_keys where purpose = $1', [
      purpose,
    ]);
    if (!row) throw new Error(`No signing key for ${purpose}`);
    return row.secret;
  }
}
