import { Injectable } from '@nestjs/common';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { OAuthClient } from './oauth-client.entity.js';

type Bounds = Pick<OAuthClient, 'grantId' | 'expiresAt'>;

/**
 * A client may make others and give them secrets, but nobody outlasts by that what he was granted: they work under its grant,
 * and end no later than it does. Whoever is no client, a platform's key for one, is bound by nothing of this.
 */
@Injectable()
export class CallerBounds {
  constructor(private readonly database: Database) {}

  /** What the new client is to have where nothing else is wanted. */
  async handOn(wanted: Bounds): Promise<Bounds> {
    const caller = await this.find();
    if (!caller) return wanted;
    return { grantId: wanted.grantId ?? caller.grantId, expiresAt: wanted.expiresAt ?? caller.expiresAt };
  }

  /**
   * Throws 403 for another grant and 409 `grant_conflict` for a later end than those of the caller, where he is a client, and
   * another one than this.
   */
  async assertCovers(client: Bounds & { id: string }): Promise<void> {
    const caller = await this.find();
    if (caller && caller.id !== client.id) assertWithin(caller, client);
  }

  private async find(): Promise<OAuthClient | null> {
    const { type, id } = currentActor();
    return type === 'oauth_client' ? this.database.repository(OAuthClient).findOneByOrFail({ id }) : null;
  }
}

function assertWithin(caller: Bounds, { grantId, expiresAt }: Bounds): void {
  if (caller.grantId !== null && grantId !== caller.grantId) {
    throw new AppError(403, 'forbidden', 'A client bound to a grant can create access only under that grant');
  }
  const outlives = caller.expiresAt !== null && (expiresAt === null || expiresAt > caller.expiresAt);
  if (outlives)
    throw conflict('grant_conflict', 'A client cannot create access that lasts longer than its own', {
      reason: 'expiry',
    });
}
