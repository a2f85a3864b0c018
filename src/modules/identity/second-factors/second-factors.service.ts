import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { assertSession } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import type { Actor } from '../../../platform/context/actor.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError, conflict, invalidField, notFound, unprocessable } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { SealingKeys } from '../../../platform/keys/sealing-keys.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AccountMailListener } from '../account-mails/account-mail-listener.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { SessionProofs, wrongPassword } from '../proofs/session-proofs.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { assertCallerHasScopes } from '../users/assert-caller-has-scopes.js';
import { scopesOf } from '../users/role.js';
import { User } from '../users/user.entity.js';
import { type CodeAttempt, CodeAttempts } from './code-attempts.service.js';
import { RECOVERY_CODES, type SecondFactorProof, type SecondFactorResponse } from './second-factor.dto.js';
import { hashRecoveryCode, newRecoveryCode, RecoveryCode, SecondFactor } from './second-factor.entity.js';
import { findStep, otpauthUri, SECRET_BYTES } from './totp.js';

const PURPOSE = 'second-factor';
const NONE: SecondFactorResponse = { active: false, activatedAt: null, recoveryCodesLeft: 0 };

/**
 * Manages second factors of users, which apply to sessions; API tokens have none. All checks of a user lock the second factor,
 * so that a code that is sent several times in parallel is accepted once.
 */
@Injectable()
export class SecondFactorsService {
  constructor(
    private readonly database: Database,
    private readonly credentials: UserCredentialsService,
    private readonly sealing: SealingKeys,
    private readonly proofs: SessionProofs,
    private readonly attempts: CodeAttempts,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Whether logins of the user require a code. */
  async isActive(userId: string): Promise<boolean> {
    const found = await this.database.findRow(SecondFactor, { userId });
    return found?.activatedAt != null;
  }

  /** Returns the second factor of the caller. */
  async getOwn(): Promise<SecondFactorResponse> {
    const { principal: userId } = assertSession();
    const factor = await this.database.findRow(SecondFactor, { userId });
    if (!factor?.activatedAt) return NONE;
    const [{ count } = { count: 0 }] = await this.database.query<{ count: number }>(
      'select count(*)::int as count from recovery_codes where user_id = $1 and used_at is null',
      [userId],
    );
    return { active: true, activatedAt: factor.activatedAt.toISOString(), recoveryCodesLeft: count };
  }

  /**
   * Returns the otpauth URI with a new secret. The caller proves the current password, because a stolen session alone must not
   * lock its user out.
   */
  async setUp(password: string): Promise<string> {
    const actor = assertSession();
    const { principal: userId } = actor;
    const known = await this.database.rows(User).get(userId);
    await this.proofs.verifyPassword(actor, known, { password, rejection: 'second_factor_setup_rejected' });
    const secret = randomBytes(SECRET_BYTES);
    const sealedSecret = await this.sealing.seal(PURPOSE, secret, userId);
    return this.database.transaction(async () => {
      const user = await this.database.rows(User).lock(userId);
      if (user.passwordHash !== known.passwordHash) throw wrongPassword();
      const earlier = await this.lock(userId);
      if (earlier?.activatedAt) throw alreadyActive();
      if (earlier) await this.database.repository(SecondFactor).delete({ userId });
      const createdAt = this.clock.now();
      await this.database.insert(make(SecondFactor, { userId, sealedSecret, lastStep: 0, createdAt, wrongCodes: 0 }));
      this.record('create', userId, { active: false });
      return otpauthUri(secret, { issuer: this.env.orgName, account: user.email });
    });
  }

  /** Activates the second factor of the caller and returns its recovery codes. */
  async activate(code: string): Promise<string[]> {
    const actor = assertSession();
    const { principal: userId, credentialId } = actor;
    return this.countFailures(actor, 'code', () =>
      this.database.transaction(async () => {
        const user = await this.database.rows(User).lock(userId);
        const factor = await this.lock(userId);
        if (!factor) throw inactive();
        if (factor.activatedAt) throw alreadyActive();
        if (!(await this.accepts(factor, { code }))) throw wrongCode();
        await this.database.repository(SecondFactor).update({ userId }, { activatedAt: this.clock.now() });
        const recoveryCodes = await this.issueRecoveryCodes(userId);
        // These sessions were opened without a code.
        const endedSessions = await this.credentials.endSessions(userId, credentialId);
        await this.credentials.confirmSecondFactor(credentialId);
        await this.events.record('second_factor_activated', { userId });
        await this.listeners.call(AccountMailListener, (listener) =>
          listener.secondFactorActivated?.(user.mailAddress()),
        );
        this.record('activate', userId, { active: true, endedSessions });
        return recoveryCodes;
      }),
    );
  }

  /** Replaces the recovery codes of the caller. */
  async replaceRecoveryCodes(proof: SecondFactorProof): Promise<string[]> {
    return this.runVerified(proof, async (userId) => {
      await this.database.repository(RecoveryCode).delete({ userId });
      const recoveryCodes = await this.issueRecoveryCodes(userId);
      await this.events.record('recovery_codes_replaced', { userId });
      this.record('replace_recovery_codes', userId, { recoveryCodes: RECOVERY_CODES });
      return recoveryCodes;
    });
  }

  /** Removes the second factor of the caller. */
  async removeOwn(proof: SecondFactorProof): Promise<SecondFactorResponse> {
    return this.runVerified(proof, async (userId) => {
      await this.remove(await this.database.rows(User).get(userId));
      this.record('remove', userId, { active: false });
      return NONE;
    });
  }

  /** Removes the second factor of another user. */
  async removeOfUser(userId: string): Promise<SecondFactorResponse> {
    // Otherwise a stolen session could remove it without a code.
    if (userId === currentActor().principal) {
      throw conflict('own_second_factor', 'Remove your own second factor with a code');
    }
    return this.database.transaction(async () => {
      const user = await this.database.rows(User).lock(userId);
      assertCallerHasScopes(scopesOf(user.roles));
      if (!(await this.lock(userId))?.activatedAt) throw notFound();
      await this.remove(user);
      const endedSessions = await this.credentials.endSessions(userId);
      this.record('remove', userId, { active: false, endedSessions });
      return NONE;
    });
  }

  /**
   * Serves the command with which an operator helps an owner who lost app and recovery codes. Ends the user's sessions. The
   * address must belong to an active user with a second factor.
   */
  async removeByAddress(email: string): Promise<void> {
    await this.database.transaction(async () => {
      const text = 'select id from users where lower(email) = lower($1)';
      const [found] = await this.database.query<{ id: string }>(text, [email]);
      if (!found) throw notFound();
      const user = await this.database.rows(User).lock(found.id);
      if (!user.active || !(await this.lock(user.id))?.activatedAt) throw notFound();
      await this.remove(user);
      const endedSessions = await this.credentials.endSessions(user.id);
      this.record('remove', user.id, { active: false, endedSessions });
    });
  }

  /** Runs the work in a transaction if the caller proves the second factor. */
  async runVerified<T>(proof: SecondFactorProof, work: (userId: string) => Promise<T>): Promise<T> {
    const actor = assertSession();
    const { principal: userId } = actor;
    assertOneProof(proof);
    return this.countFailures(actor, proof.code === undefined ? 'recovery code' : 'code', async () => {
      if (!(await this.isActive(userId))) throw inactive();
      // A session was opened with the second factor: its device is known.
      const attempt = await this.attempts.take(userId, proof, true);
      return this.compare(attempt, () =>
        this.database.transaction(async () => {
          if (!(await this.verify(attempt, proof))) throw wrongCode();
          return work(userId);
        }),
      );
    });
  }

  /** Runs the work, which compares the code of this attempt, and counts a wrong one. */
  private async compare<T>(attempt: CodeAttempt, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isWrongCode(error)) await this.attempts.fail(attempt);
      throw error;
    }
  }

  /**
   * Returns whether this proves the active second factor of the user. In the running transaction it uses up the code, and locks
   * the second factor until the commit.
   */
  async verify(attempt: CodeAttempt, proof: SecondFactorProof): Promise<boolean> {
    const factor = await this.lock(attempt.userId);
    if (factor?.activatedAt == null || !(await this.accepts(factor, proof))) return false;
    await this.attempts.succeed(attempt);
    return true;
  }

  private async accepts(factor: SecondFactor, { code, recoveryCode }: SecondFactorProof): Promise<boolean> {
    if (recoveryCode !== undefined) return this.useRecoveryCode(factor.userId, recoveryCode);
    const { userId, sealedSecret, lastStep } = factor;
    const secret = await this.sealing.open(PURPOSE, sealedSecret, userId);
    if (!secret) throw new Error(`The secret of the second factor of ${userId} cannot be opened`);
    const step = findStep(secret, code ?? '', { now: this.clock.now(), lastStep });
    secret.fill(0);
    if (step === null) return false;
    await this.database.repository(SecondFactor).update({ userId }, { lastStep: step });
    return true;
  }

  private async useRecoveryCode(userId: string, code: string): Promise<boolean> {
    const { count } = await this.database.execute(
      'update recovery_codes set used_at = $3 where user_id = $1 and code_hash = $2 and used_at is null',
      [userId, hashRecoveryCode(userId, code), this.clock.now()],
    );
    if (count === 1) await this.events.record('recovery_code_used', { userId });
    return count === 1;
  }

  /** Wrong codes count for the session. */
  private async countFailures<T>(actor: Actor, kind: 'code' | 'recovery code', work: () => Promise<T>): Promise<T> {
    const { principal: userId } = actor;
    return this.proofs.count(actor, kind, {
      isFailure: isWrongCode,
      work: async () => {
        try {
          return await work();
        } catch (error) {
          // Runs after the transaction: recording needs a separate connection, and parallel guesses would use all of them.
          if (isWrongCode(error)) await this.events.recordRejection('second_factor_rejected', { userId });
          throw error;
        }
      },
    });
  }

  private async lock(userId: string): Promise<SecondFactor | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    return this.database.repository(SecondFactor).findOne({ where: { userId }, lock });
  }

  private async issueRecoveryCodes(userId: string): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    for (const code of codes) {
      const codeHash = hashRecoveryCode(userId, code);
      await this.database.insert(make(RecoveryCode, { id: newId('rcod'), userId, codeHash }));
    }
    return codes;
  }

  private async remove(user: User): Promise<void> {
    await this.database.repository(SecondFactor).delete({ userId: user.id });
    this.credentials.recheck();
    await this.events.record('second_factor_removed', { userId: user.id });
    await this.listeners.call(AccountMailListener, (listener) => listener.secondFactorRemoved?.(user.mailAddress()));
  }

  private record(verb: string, subjectId: string, after: object): void {
    this.ledger.record(`identity.second_factor.${verb}`, { subjectType: 'second_factor', subjectId, after });
  }
}

const WRONG_CODE = 'second_factor_code_wrong';

/** Requires exactly one of the two. */
export function assertOneProof({ code, recoveryCode }: SecondFactorProof): void {
  if ((code === undefined) === (recoveryCode === undefined)) {
    throw invalidField('code', 'send either code or recoveryCode', 'exactly_one');
  }
}

function alreadyActive(): AppError {
  return conflict('second_factor_active', 'The second factor is active; remove it first');
}

function inactive(): AppError {
  return conflict('second_factor_inactive', 'The user has no second factor; set it up first');
}

function wrongCode(): AppError {
  return unprocessable(WRONG_CODE, 'The code is wrong or was used already', { field: 'code' });
}

function isWrongCode(error: unknown): boolean {
  return error instanceof AppError && error.code === WRONG_CODE;
}
