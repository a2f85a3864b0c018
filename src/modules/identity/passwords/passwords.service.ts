import { Injectable } from '@nestjs/common';
import { assertAnySession } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { unprocessable } from '../../../platform/errors/app-error.js';
import { Job } from '../../../platform/jobs/job-decorators.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AccountLinksService, linkInvalid } from '../account-links/account-links.service.js';
import { AccountMailListener } from '../account-mails/account-mail-listener.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { DevicesService } from '../devices/devices.service.js';
import { SessionProofs, wrongPassword } from '../proofs/session-proofs.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { assertHardToGuess } from '../users/password-policy.js';
import { hashPassword, passwordMatches } from '../users/password.js';
import { User } from '../users/user.entity.js';
import type {
  ChangePassword,
  CompletedPasswordReset,
  CompletePasswordReset,
  EndedCredentialsResponse,
} from './password.dto.js';

const SEND_LINK = 'identity.password-reset';
/** The work for a known address must not begin while the response is on its way: it would take longer. */
const SEND_DELAY_SECONDS = 2;
const MAX_LINKS = 3;
const HOUR_SECONDS = 60 * 60;

/** Lets users change and reset their own passwords. There is no other way to set the password of an existing user. */
@Injectable()
export class PasswordsService {
  private readonly rows: Rows<User>;

  constructor(
    private readonly database: Database,
    private readonly credentials: UserCredentialsService,
    private readonly links: AccountLinksService,
    private readonly devices: DevicesService,
    private readonly proofs: SessionProofs,
    private readonly listeners: Listeners,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(User);
  }

  /** Changes the password of the caller. */
  async change({ currentPassword, newPassword, revokeTokens = false }: ChangePassword) {
    const actor = assertAnySession();
    const known = await this.rows.get(actor.principal);
    await this.proofs.verifyPassword(actor, known, {
      password: currentPassword,
      rejection: 'password_change_rejected',
    });
    if (await passwordMatches(newPassword, known.passwordHash)) {
      throw unprocessable('password_unchanged', 'The new password must differ from the current one', {
        field: 'newPassword',
      });
    }
    assertHardToGuess(newPassword, known, 'newPassword');
    const passwordHash = await hashPassword(newPassword);
    return this.database.transaction(async () => {
      const user = await this.rows.lock(known.id);
      // The password has been changed or reset since it was verified.
      if (user.passwordHash !== known.passwordHash) throw wrongPassword();
      return this.set(user, { passwordHash, by: actor, revokeTokens });
    });
  }

  /**
   * Sends a link to the user with this address. Does the same work for an address that no active user has: everything that
   * depends on the user happens in a job.
   */
  async requestReset(email: string): Promise<void> {
    await this.database.transaction(async () => {
      const [user] = await this.database.query<{ id: string }>(
        'select id from users where lower(email) = lower($1) and active',
        [email],
      );
      const userId = user?.id ?? null;
      await this.events.record('password_reset_requested', { userId });
      await this.jobs.add(SEND_LINK, { userId }, { runAt: this.clock.inSeconds(SEND_DELAY_SECONDS) });
    });
  }

  @Job(SEND_LINK)
  async sendResetLink(payload: unknown): Promise<void> {
    const userId: unknown = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'userId') : null;
    if (typeof userId !== 'string') return;
    await this.database.transaction(async () => {
      const user = await this.rows.lock(userId);
      if (!user.active) return;
      if ((await this.links.countIssued('password_reset', userId, HOUR_SECONDS)) >= MAX_LINKS) return;
      const link = await this.links.issue('password_reset', userId);
      await this.listeners.call(AccountMailListener, (listener) =>
        listener.passwordResetRequested?.(user.mailAddress(), link.id),
      );
      this.ledger.record('identity.user.password_reset_request', {
        ...subjectOf(user),
        after: { expiresAt: link.expiresAt },
      });
    });
  }

  /**
   * The device of a fresh link becomes known, so that failed logins of others do not limit the user who has just received the
   * mail.
   */
  async completeReset({ token, password }: CompletePasswordReset): Promise<CompletedPasswordReset> {
    const userId = await this.links.check('password_reset', token);
    assertHardToGuess(password, await this.rows.get(userId));
    // Runs only for a valid link, because hashing is the most expensive work of this route.
    const passwordHash = await hashPassword(password);
    return this.database.transaction(async () => {
      const user = await this.rows.lock(userId);
      await this.links.use('password_reset', token);
      if (!user.active) throw linkInvalid();
      const ended = await this.set(user, { passwordHash, by: null, revokeTokens: true });
      const { token: deviceToken } = await this.devices.remember(userId, undefined);
      return { ...ended, deviceToken };
    });
  }

  /** Without a caller (`by` is null) this is a reset. */
  private async set(
    user: User,
    { passwordHash, by, revokeTokens }: { passwordHash: string; by: Actor | null; revokeTokens: boolean },
  ): Promise<EndedCredentialsResponse> {
    user.setPassword(passwordHash, this.clock.now());
    await this.rows.update(user);
    const endedSessions = await this.credentials.endSessions(user.id, by?.credentialId ?? null);
    const revokedTokens = revokeTokens ? await this.credentials.revokeTokens(user.id) : 0;
    await this.links.end('password_reset', user.id);
    await this.events.record(by ? 'password_changed' : 'password_reset', { userId: user.id });
    await this.listeners.call(AccountMailListener, (listener) => listener.passwordChanged?.(user.mailAddress()));
    this.ledger.recordAs(
      by ?? { type: 'user', id: user.id },
      by ? 'identity.user.password_change' : 'identity.user.password_reset',
      { ...subjectOf(user), after: { endedSessions, revokedTokens } },
    );
    return { endedSessions, revokedTokens };
  }
}

function subjectOf({ id }: User) {
  return { subjectType: 'user', subjectId: id };
}
