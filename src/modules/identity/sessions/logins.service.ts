import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { FairShare } from '../../../platform/context/fair-share.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { hashSecret, newCredential } from '../../../platform/ids/credentials.js';
import { newId, newSecret } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { addressKey } from '../../../platform/context/client-address.js';
import { FailureLimits } from '../../../platform/admission/failure-limits.js';
import { LOG } from '../../../platform/observability/log.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { DevicesService } from '../devices/devices.service.js';
import { CodeAttempts } from '../second-factors/code-attempts.service.js';
import { assertOneProof, SecondFactorsService } from '../second-factors/second-factors.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { passwordMatches } from '../users/password.js';
import { User } from '../users/user.entity.js';
import { LoginChallenge } from './login-challenge.entity.js';
import { ABSOLUTE_SECONDS } from './session-lifetime.js';
import type { ContinueLogin, Login } from './session.dto.js';
import { StaffSession } from './staff-session.entity.js';

const CHALLENGE_SECONDS = 5 * 60;
const CHALLENGE_TRIES = 5;
const UNAUTHORIZED = { 'WWW-Authenticate': 'Bearer realm="staff"' };

/** Unknown addresses share 4,096 buckets, because invented ones must not make the table of failures grow. */
const ACCOUNT = `
  select u.id as "userId",
    coalesce('account ' || u.id, 'unknown ' || left(encode(sha256(convert_to(given.email, 'UTF8')), 'hex'), 3)) as account
  from (select lower($1) as email) as given left join users u on lower(u.email) = given.email`;

export interface OpenSession {
  session: StaffSession;
  user: User;
  /** Returned once; only its hash is stored. */
  token: string;
  /** Sent with later logins from the same device. */
  deviceToken: string;
}

/** Logs users in with a password, and with a code if they have a second factor. */
@Injectable()
export class LoginsService {
  /**
   * Limits concurrent logins, and gives one address only a part: a flood of them must leave memory, threads and database
   * connections to other requests, and the queue to other users.
   */
  private readonly logins = new FairShare({ running: 4, waiting: 128, runningPerCaller: 2, waitingPerCaller: 32 });

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly secondFactors: SecondFactorsService,
    private readonly codes: CodeAttempts,
    private readonly devices: DevicesService,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly failures: FailureLimits,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Opens a session. Every wrong login gets the same error after the same work. If the user has a second factor, the right
   * password gets an error with the ID of a challenge.
   */
  async open(login: Login, address: string): Promise<OpenSession> {
    const outcome = await this.logins.run(addressKey(address), async () => {
      const { userId, account } = await this.accountOf(login.email);
      const subjects = await this.subjectsOf({ userId, account, deviceToken: login.deviceToken, address });
      return this.failures.count('login-failures', subjects, () => this.attempt(login));
    });
    if ('session' in outcome) return outcome;
    throw new AppError(401, 'second_factor_required', 'A second-factor code is required to complete the login', {
      details: { challengeId: outcome.challengeId },
      headers: UNAUTHORIZED,
    });
  }

  /**
   * Continues a login with a code. The error is the same for a wrong code and for a challenge that is unknown, has expired or
   * has no tries left.
   */
  async continue(login: ContinueLogin, address: string): Promise<OpenSession> {
    assertOneProof(login);
    const challenge = await this.database.findRow(LoginChallenge, { idHash: hashSecret(login.challengeId) });
    const deviceId = await this.devices.findId(challenge?.userId ?? null, login.deviceToken);
    const subjects = codeSubjects(login, { userId: challenge?.userId ?? null, deviceId, address });
    return this.failures.count('login-failures', subjects, () => this.attemptToContinue(login, deviceId !== null));
  }

  @Cron('identity.login-challenges.purge', '*/30 * * * *')
  async purge(): Promise<void> {
    await this.database.purge('login_challenges', 'expires_at < $1', [this.clock.now()]);
  }

  /** Finds the user with this e-mail address, ignoring case as the database does, and the subject of the failure limit. */
  private async accountOf(email: string): Promise<{ userId: string | null; account: string }> {
    const [row] = await this.database.query<{ userId: string | null; account: string }>(ACCOUNT, [email]);
    return row ?? { userId: null, account: '' };
  }

  /** Returns the subjects of failure limits: only a known device of the user, otherwise the account and the address. */
  private async subjectsOf({
    userId,
    account,
    deviceToken,
    address,
  }: {
    userId: string | null;
    account: string;
    deviceToken: string | undefined;
    address: string;
  }): Promise<string[]> {
    const deviceId = await this.devices.findId(userId, deviceToken);
    if (deviceId !== null) return [`device ${deviceId}`];
    return [account, `address ${addressKey(address)}`];
  }

  private async attempt({ email, password, deviceToken }: Login): Promise<OpenSession | { challengeId: string }> {
    const known = await this.findUser('lower(u.email) = lower(:email)', { email });
    const matches = await passwordMatches(password, known?.active ? known.passwordHash : null);
    if (!known || !matches) return this.reject('login_rejected', known?.id ?? null);
    const outcome = await this.database.transaction(async () => {
      // The user may have been disabled or changed since the password was verified.
      const user = await this.findUser('u.id = :id', { id: known.id }, 'pessimistic_read');
      if (!user?.active || user.passwordHash !== known.passwordHash) return null;
      if (await this.secondFactors.isActive(user.id)) return { challengeId: await this.challenge(user.id) };
      return this.start(user, { deviceToken, secondFactorAt: null });
    });
    return outcome ?? this.reject('login_rejected', known.id);
  }

  private async attemptToContinue(
    { challengeId, deviceToken, ...proof }: ContinueLogin,
    isKnownDevice: boolean,
  ): Promise<OpenSession> {
    const idHash = hashSecret(challengeId);
    // Taken before the code is compared and never returned, so that parallel guesses cannot exceed the allowed number of attempts.
    const [challenge] = await this.database.query<{ userId: string }>(
      `update login_challenges set tries_left = tries_left - 1
       where id_hash = $1 and tries_left > 0 and expires_at > $2 returning user_id as "userId"`,
      [idHash, this.clock.now()],
    );
    if (!challenge) return this.reject('second_factor_rejected', null);
    const { userId } = challenge;
    const attempt = await this.codes.take(userId, proof, isKnownDevice);
    let wasCompared = false;
    const opened = await this.database.transaction(async () => {
      wasCompared = false;
      const user = await this.findUser('u.id = :id', { id: userId }, 'pessimistic_read');
      // Without a row, a parallel request has used the challenge, or a new password has ended it.
      const waiting = await this.database.query('select from login_challenges where id_hash = $1 for update', [idHash]);
      if (!user?.active || waiting.length === 0) return null;
      wasCompared = true;
      if (!(await this.secondFactors.verify(attempt, proof))) return null;
      await this.database.execute('delete from login_challenges where id_hash = $1', [idHash]);
      return this.start(user, { deviceToken, secondFactorAt: this.clock.now() });
    });
    if (opened) return opened;
    await (wasCompared ? this.codes.fail(attempt) : this.codes.giveBack(attempt));
    return this.reject('second_factor_rejected', userId);
  }

  private async challenge(userId: string): Promise<string> {
    const challengeId = newSecret();
    const challenge = make(LoginChallenge, {
      idHash: hashSecret(challengeId),
      userId,
      triesLeft: CHALLENGE_TRIES,
      createdAt: this.clock.now(),
      expiresAt: this.clock.inSeconds(CHALLENGE_SECONDS),
    });
    await this.database.insert(challenge);
    return challengeId;
  }

  private async start(
    user: User,
    { deviceToken, secondFactorAt }: { deviceToken: string | undefined; secondFactorAt: Date | null },
  ): Promise<OpenSession> {
    const { token, publicId, secretHash } = newCredential('vss');
    const device = await this.devices.remember(user.id, deviceToken);
    const { client } = currentContext();
    const now = this.clock.now();
    const session = make(StaffSession, {
      id: newId('sess'),
      publicId,
      secretHash,
      userId: user.id,
      createdAt: now,
      expiresAt: this.clock.inSeconds(ABSOLUTE_SECONDS),
      lastUsedAt: now,
      address: client?.address || null,
      userAgent: client?.userAgent || null,
      deviceId: device.id,
      secondFactorAt,
    });
    await this.database.insert(session);
    await this.events.record('login', { userId: user.id, subjectId: session.id });
    this.ledger.recordAs({ type: 'user', id: user.id }, 'identity.session.create', {
      subjectType: 'staff_session',
      subjectId: session.id,
      after: { userId: user.id },
    });
    return { session, user, token, deviceToken: device.token };
  }

  private findUser(condition: string, values: object, lock?: 'pessimistic_read'): Promise<User | null> {
    const found = this.database.repository(User).createQueryBuilder('u').where(condition, values);
    if (lock) found.setLock(lock);
    return found.getOne();
  }

  /** Runs outside transactions: recording needs a separate connection. */
  private async reject(kind: 'login_rejected' | 'second_factor_rejected', userId: string | null): Promise<never> {
    await this.events.recordRejection(kind, { userId });
    const { requestId, client } = currentContext();
    this.log.warn({ requestId, clientAddress: client?.address, userId, kind }, 'login rejected');
    const message =
      kind === 'login_rejected'
        ? 'The e-mail address or the password is wrong'
        : 'The code is wrong, or the login must be started again';
    throw new AppError(401, 'unauthorized', message, { headers: UNAUTHORIZED });
  }
}

/**
 * Returns the subject of a failed second step. Wrong codes, recovery codes, unknown challenges and passwords are counted
 * separately, so that wrong codes do not block a recovery code, even from the same address.
 */
function codeSubjects(
  { code }: ContinueLogin,
  { userId, deviceId, address }: { userId: string | null; deviceId: string | null; address: string },
): string[] {
  if (userId === null) return [`challenges from ${addressKey(address)}`];
  if (code === undefined) return [`recovery codes of ${userId}`];
  return deviceId === null ? [`codes of ${userId}`, `codes from ${addressKey(address)}`] : [`codes on ${deviceId}`];
}
