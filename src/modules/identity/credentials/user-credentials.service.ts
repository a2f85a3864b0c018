import { Injectable } from '@nestjs/common';
import { TokenVerifier } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';

/** Ends the sessions, devices and tokens of a user. Other processes notice it within a second. */
@Injectable()
export class UserCredentialsService {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends the sessions of the user in the current transaction, except the one with the ID `keptId`, and returns their number.
   * Also ends logins that wait for a code, and makes the devices of the ended sessions unknown.
   */
  async endSessions(userId: string, keptId: string | null = null): Promise<number> {
    const { count } = await this.database.execute(
      `update staff_sessions set ended_at = $2
       where user_id = $1 and ended_at is null and id is distinct from $3`,
      [userId, this.clock.now(), keptId],
    );
    await this.database.execute('delete from login_challenges where user_id = $1', [userId]);
    await this.database.execute(
      `delete from device_tokens d
       where d.user_id = $1 and not exists (select from staff_sessions s where s.id = $2 and s.device_id = d.id)`,
      [userId, keptId],
    );
    this.recheck();
    return count;
  }

  /** Records in the current transaction that the user of the session has just proved the second factor. */
  async confirmSecondFactor(sessionId: string): Promise<void> {
    await this.database.execute('update staff_sessions set second_factor_at = $2 where id = $1', [
      sessionId,
      this.clock.now(),
    ]);
    this.recheck();
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
