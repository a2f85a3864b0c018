import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { newId } from '../../../platform/ids/id.js';
import { SealingKeys } from '../../../platform/keys/sealing-keys.js';
import { WebhookSecret } from './webhook-secret.entity.js';
import { newSecret, type SignatureType, signatureOf, type SignedContent } from './webhook-signatures.js';

const PURPOSE = 'webhook-secret';
/** Opening a secret costs more than a signature. */
const MAX_OPENED = 10_000;

/** The secrets of endpoints, at most two of which are live at a time. */
@Injectable()
export class WebhookSecretsService {
  private readonly opened = new Map<string, Buffer>();

  constructor(
    private readonly database: Database,
    private readonly sealing: SealingKeys,
    private readonly clock: Clock,
  ) {}

  /** Adds a secret in the running transaction, and returns it with the value to show; null if there is nothing to show. */
  async add(endpointId: string, signatureType: SignatureType): Promise<{ row: WebhookSecret; shown: string | null }> {
    const { bytes, shown, publicKey } = newSecret(signatureType);
    const id = newId('whs');
    const sealed = await this.sealing.seal(PURPOSE, bytes, id);
    const createdAt = this.clock.now();
    const row = make(WebhookSecret, { id, endpointId, signatureType, sealed, publicKey, createdAt });
    await this.database.insert(row);
    return { row, shown };
  }

  /** Sets the end of the secrets that would end later. */
  async endAll(endpointId: string, endsAt: Date): Promise<void> {
    await this.database.execute(
      'update webhook_secrets set ends_at = $2 where endpoint_id = $1 and (ends_at is null or ends_at > $2)',
      [endpointId, endsAt],
    );
  }

  /** The live secrets of these endpoints, newest first. */
  async liveOf(endpointIds: readonly string[]): Promise<WebhookSecret[]> {
    const now = this.clock.now();
    const found = await this.database.repository(WebhookSecret).find({
      where: { endpointId: In([...endpointIds]) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    return found.filter((secret) => secret.isLive(now));
  }

  /**
   * The header `webhook-signature`: one signature for each secret, with spaces in between. Null if there is no secret, or one
   * cannot be opened: nothing is sent unsigned, or without a signature that the receiver may expect.
   */
  async headerOf(secrets: readonly WebhookSecret[], content: SignedContent): Promise<string | null> {
    const signatures: string[] = [];
    for (const secret of secrets) {
      const bytes = await this.bytesOf(secret);
      if (!bytes) return null;
      signatures.push(signatureOf(secret.signatureType, bytes, content));
    }
    return signatures.length === 0 ? null : signatures.join(' ');
  }

  /** Deletes secrets that ended more than a day ago. */
  async purge(): Promise<void> {
    await this.database.purge('webhook_secrets', 'ends_at < $1', [this.clock.inSeconds(-86_400)]);
  }

  private async bytesOf({ id, sealed }: WebhookSecret): Promise<Buffer | null> {
    const known = this.opened.get(id);
    if (known) return known;
    const bytes = await this.sealing.open(PURPOSE, sealed, id);
    if (!bytes) return null;
    if (this.opened.size >= MAX_OPENED) this.opened.clear();
    this.opened.set(id, bytes);
    return bytes;
  }
}
