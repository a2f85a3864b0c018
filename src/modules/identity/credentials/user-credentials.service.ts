import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';

/** Ends all sessions or tokens of a user. Other processes notice it within a second. */
@Injectable()
export class UserCredentialsService {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
    private readonly clock: Clock,
  ) {}

  /** Ends the sessions of the user in the current transaction, except the one with the ID `keptId`; returns their number. */
  async endSessions(userId: string, keptId: string | null = null): Promise<number> {
    const { count } = await this.database.execute(
      `update staff_sessions set ended_at = $2
       where user_id = $1 and ended_at is null and id is distinct from $3`,
      [userId, this.clock.now(), keptId],
    );
    this.recheck();
    return count;
  }

  /** Revokes the tokens of the user in the current transaction; returns their number. */
  async revokeTokens(userId: string): Promise<number> {
    const { count } = await this.database.execute(
      `update api_tokens set revoked_at = $2, updated_at = $2, version = version + 1
       where user_id = $1 and revoked_at is null`,
      [userId, this.clock.now()],
    );
    this.recheck();
    return count;
  }

  /** Clears the cache of verified credentials of this process after the commit. */
  recheck(): void {
    this.database.afterCommit(() => this.verifier.forget());
  }
}
