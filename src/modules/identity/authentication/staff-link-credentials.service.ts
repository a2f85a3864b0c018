import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { LinkCredentials } from '../../../platform/files/file-links.js';

const LIVE = `
  select from users u where u.active and (
    u.id = (select user_id from staff_sessions where id = $1 and ended_at is null)
    or u.id = (select user_id from api_tokens where id = $1 and revoked_at is null))`;

/** Checks for signed links whether the session or API token that made them has ended. */
@Injectable()
@Listens(LinkCredentials, 10)
export class StaffLinkCredentialsService extends LinkCredentials {
  constructor(private readonly database: Database) {
    super();
  }

  async isLive(credentialId: string): Promise<boolean> {
    const rows = await this.database.prepared('identity-link-credential', LIVE, [credentialId]);
    return rows.length > 0;
  }
}
