import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../platform/context/actor.js';
import { AppError, unprocessable } from '../../../platform/errors/app-error.js';
import { FailureLimits } from '../../../platform/admission/failure-limits.js';
import type { SecurityEventKind } from '../security-events/security-event.entity.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { passwordMatches } from '../users/password.js';
import type { User } from '../users/user.entity.js';

type Proof = 'password' | 'code' | 'recovery code';

/**
 * Limits wrong proofs of identity within a session. They are counted per session and kind of proof: failed logins by an
 * attacker who knows the e-mail address must not stop a user who is logged in, and wrong codes must not block a recovery code.
 */
@Injectable()
export class SessionProofs {
  constructor(
    private readonly failures: FailureLimits,
    private readonly events: SecurityEventsService,
  ) {}

  /** Runs the work, unless proofs of this kind have failed too often in the session (429). */
  async count<T>(
    { credentialId }: Actor,
    proof: Proof,
    checked: { work: () => Promise<T>; isFailure: (error: unknown) => boolean },
  ): Promise<T> {
    return this.failures.countIf('login-failures', [`session ${credentialId} ${proof}`], checked);
  }

  /** A wrong password is recorded as an event of this kind. */
  async verifyPassword(
    actor: Actor,
    { id: userId, passwordHash }: User,
    { password, rejection }: { password: string; rejection: SecurityEventKind },
  ): Promise<void> {
    const work = async () => {
      if (await passwordMatches(password, passwordHash)) return;
      await this.events.recordRejection(rejection, { userId });
      throw wrongPassword();
    };
    await this.count(actor, 'password', { work, isFailure: isWrongPassword });
  }
}

export function wrongPassword(): AppError {
  return unprocessable('current_password_wrong', 'The current password is incorrect', { field: 'currentPassword' });
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof AppError && error.code === 'current_password_wrong';
}
