import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { open, seal } from './aes-gcm.js';
import { type ServiceKey, ServiceKeys } from './service-keys.js';

const FORMAT = 1;
const VERSION_AT = 1;
const SALT_AT = VERSION_AT + 4;
const VALUE_AT = SALT_AT + 16;

/**
 * Encrypts small secrets that the database stores, such as secrets of second factors: a copy of the database does not reveal
 * them. Each value has its own key, derived from a stored key by a random salt, so the number of values is not limited.
 */
@Injectable()
export class SealingKeys {
  constructor(
    private readonly keys: ServiceKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Format (1 byte), version of the key (4), salt (16), nonce (12), ciphertext, tag (16). `place` identifies where the value is stored,
   * such as the id of its row: a value that was copied to another row cannot be opened.
   */
  async seal(purpose: string, plaintext: Buffer, place = ''): Promise<Buffer> {
    const key = this.keys.active('sealing');
    const head = Buffer.alloc(VALUE_AT);
    head.writeUInt8(FORMAT);
    head.writeUInt32BE(key.stored.version, VERSION_AT);
    randomBytes(VALUE_AT - SALT_AT).copy(head, SALT_AT);
    const derived = key.deriveOnce(`seal|${purpose}`, head.subarray(SALT_AT));
    return Buffer.concat([head, seal({ key: derived, aad: Buffer.from(place) }, plaintext)]);
  }

  /**
   * The plaintext, or null if the value was changed or sealed for another purpose or place. Throws 503 if the key-encryption
   * key is missing.
   */
  async open(purpose: string, sealed: Buffer, place = ''): Promise<Buffer | null> {
    if (sealed.length < VALUE_AT || sealed.readUInt8() !== FORMAT) return null;
    const key = await this.keys.find('sealing', sealed.readUInt32BE(VERSION_AT));
    const derived = key?.deriveOnce(`seal|${purpose}`, sealed.subarray(SALT_AT, VALUE_AT));
    return derived ? open({ key: derived, aad: Buffer.from(place) }, sealed.subarray(VALUE_AT)) : null;
  }

  /**
   * Returns authentication codes of the text, first under the active key, then under each key that was replaced within this
   * time. Throws 503 if the key-encryption key is missing.
   */
  codesOf(purpose: string, text: Buffer, withinSeconds: number): [Buffer, ...Buffer[]] {
    const codeBy = (key: ServiceKey) =>
      createHmac('sha256', key.derive(`code|${purpose}`))
        .update(text)
        .digest();
    const active = this.keys.active('sealing');
    const since = this.clock.inSeconds(-withinSeconds);
    const known = this.keys.valid('sealing');
    const others = known.filter((key, index) => {
      const replacedAt = known[index - 1]?.stored.activeAt;
      return key !== active && key.available && (replacedAt === undefined || replacedAt > since);
    });
    return [codeBy(active), ...others.map(codeBy)];
  }
}
