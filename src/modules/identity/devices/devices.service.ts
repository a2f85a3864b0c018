import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { hashSecret } from '../../../platform/ids/credentials.js';
import { newId, newSecret } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { DeviceToken } from './device-token.entity.js';

const LIFETIME_SECONDS = 90 * 24 * 60 * 60;
/** Clients that never send their token back get a new one with each login. */
const MAX_PER_USER = 50;

/**
 * Devices from which users have logged in. A login from a known device has its own failure limit, so that attackers who exhaust
 * the limit of the account cannot lock its user out. A device token replaces neither the password nor a code.
 */
@Injectable()
export class DevicesService {
  constructor(
    private readonly database: Database,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {}

  /** Returns the ID of the device; null unless the token belongs to this user. */
  async findId(userId: string | null, token: string | undefined): Promise<string | null> {
    const [device] = await this.database.query<{ id: string }>(
      'select id from device_tokens where token_hash = $1 and user_id = $2 and expires_at > $3',
      [hashSecret(token ?? ''), userId, this.clock.now()],
    );
    return device?.id ?? null;
  }

  /** Extends the token in the transaction of a login, or issues a new one if it does not belong to the user. */
  async remember(userId: string, token: string | undefined): Promise<{ id: string; token: string }> {
    const now = this.clock.now();
    const expiresAt = this.clock.inSeconds(LIFETIME_SECONDS);
    if (token !== undefined) {
      const [known] = await this.database.query<{ id: string }>(
        `update device_tokens set last_used_at = $3, expires_at = $4
         where token_hash = $1 and user_id = $2 and expires_at > $3 returning id`,
        [hashSecret(token), userId, now, expiresAt],
      );
      if (known) return { id: known.id, token };
    }
    const issued = `vsd_${newSecret()}`;
    const device = make(DeviceToken, {
      id: newId('devc'),
      userId,
      tokenHash: hashSecret(issued),
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
    });
    await this.database.insert(device);
    await this.forgetOldest(userId);
    await this.events.record('device_added', { userId, subjectId: device.id });
    return { id: device.id, token: issued };
  }

  /** Deletes a device in the running transaction. */
  async forget(userId: string, id: string): Promise<void> {
    const { count } = await this.database.execute('delete from device_tokens where id = $1 and user_id = $2', [
      id,
      userId,
    ]);
    if (count > 0) await this.events.record('device_removed', { userId, subjectId: id });
  }

  @Cron('identity.devices.purge', '43 3 * * *')
  async purge(): Promise<void> {
    await this.database.purge('device_tokens', 'expires_at < $1', [this.clock.now()]);
  }

  private async forgetOldest(userId: string): Promise<void> {
    await this.database.execute(
      `delete from device_tokens where id in (
         select id from device_tokens where user_id = $1 order by last_used_at desc, id desc offset $2)`,
      [userId, MAX_PER_USER],
    );
  }
}
