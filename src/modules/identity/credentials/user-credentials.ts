import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';

/** The credentials that a user holds, ended together. Other processes hear of it within a second. */
@Injectable()
export class UserCredentials {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
    private readonly clock: Clock,
  ) {}

  /** Ends the user's sessions in the running transaction, but for the one with this id; returns how many. */
  async endSessions(userId: string, spared: string | null = null): Promise<number> {
    const { count } = await this.database.execute(
      `update staff_sessions set ended_at = $2
       where user_id = $1 and ended_at is null and id is distinct from $3`,
      [userId, this.clock.now(), spared],
    );
    this.recheck();
    return count;
  }

  /** Revokes the user's tokens in the running transaction; returns how many. */
  async revokeTokens(userId: string): Promise<number> {
    const { count } = await this.database.execute(
      `update api_tokens set revoked_at = $2, updated_at = $2, version = version + 1
       where user_id = $1 and revoked_at is null`,
      [userId, this.clock.now()],
    );
    this.recheck();
    return count;
  }

  /** Has this process look at every credential anew, once the running transaction is committed. */
  recheck(): void {
    this.database.afterCommit(() => this.verifier.forget());
  }
}
