import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor, currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import { type PageQuery, pageBounds } from '../../../platform/http/dto.js';
import { newCredential } from '../../../platform/ids/credentials.js';
import { newId } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { addressKey } from '../../../platform/limits/client-address.js';
import { ConcurrencyCounter } from '../../../platform/limits/concurrency-counter.js';
import { FailureLimits } from '../../../platform/limits/failure-limits.js';
import { LOG } from '../../../platform/observability/log.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { passwordMatches } from '../users/password.js';
import { User } from '../users/user.entity.js';
import { ABSOLUTE_SECONDS, IDLE_SECONDS } from './session-lifetime.js';
import type { Login } from './session.dto.js';
import { StaffSession } from './staff-session.entity.js';

/** Ended sessions are kept for 90 days, for investigations. */
const RETENTION_SECONDS = 90 * 24 * 60 * 60;

export interface OpenSession {
  session: StaffSession;
  user: User;
  /** Returned once; only its hash is stored. */
  token: string;
}

const ACCOUNT = `
  select coalesce(
    (select 'account ' || id from users where lower(email) = lower($1)), 'unknown ' || lower($1)) as account`;

/** Logins, and the sessions of the calling user. */
@Injectable()
export class SessionsService {
  /** Limits concurrent logins: a flood of them must leave memory, threads and database connections to other requests. */
  private readonly logins = new ConcurrencyCounter({ running: 4, waiting: 32 });

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentialsService,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly failures: FailureLimits,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Opens a session. Throws the same 401, after the same work, for every wrong login, and 429 after too many failures of
   * the account or the address.
   */
  async open(login: Login, address: string): Promise<OpenSession> {
    return this.logins.run(async () => {
      const subjects = [await this.accountOf(login.email), `address ${addressKey(address)}`];
      return this.failures.count('login-failures', subjects, () => this.attempt(login));
    });
  }

  /** The sessions that can still be used, newest first. */
  async list(query: PageQuery): Promise<{ sessions: StaffSession[]; total: number }> {
    const found = this.database.repository(StaffSession).createQueryBuilder('s');
    found.where('s.userId = :userId and s.endedAt is null', { userId: currentActor().principal });
    found.andWhere('s.expiresAt > :now', { now: this.clock.now() });
    found.andWhere('s.lastUsedAt > :idle', { idle: this.clock.inSeconds(-IDLE_SECONDS) });
    found.orderBy('s.createdAt', 'DESC').addOrderBy('s.id', 'DESC');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { sessions: rows.map(({ entity }) => entity), total };
  }

  /** Ends the session of the request; null if the request was made with an API token. */
  async endCurrent(): Promise<StaffSession | null> {
    const { type, credentialId } = currentActor();
    return type === 'user' ? this.end(credentialId) : null;
  }

  /** Throws 404 if it has ended or belongs to another user. */
  async end(id: string): Promise<StaffSession> {
    return this.database.transaction(async () => {
      const repository = this.database.repository(StaffSession);
      const lock = { mode: 'pessimistic_write' } as const;
      const session = await repository.findOne({ where: { id, userId: currentActor().principal }, lock });
      if (!session || session.endedAt) throw notFound();
      session.endedAt = this.clock.now();
      await repository.update({ id }, { endedAt: session.endedAt });
      this.credentials.recheck();
      const subject = { subjectType: 'staff_session', subjectId: id };
      await this.events.record('session_ended', { userId: session.userId, subjectId: id });
      this.ledger.record('identity.session.end', { ...subject, after: { userId: session.userId } });
      return session;
    });
  }

  /** Deletes sessions that ended more than 90 days ago. */
  @Cron('identity.sessions.purge', '41 3 * * *')
  async purge(): Promise<void> {
    await this.database.transaction(async () => {
      const { count } = await this.database.execute('delete from staff_sessions where expires_at < $1', [
        this.clock.inSeconds(-RETENTION_SECONDS),
      ]);
      const subject = { subjectType: 'staff_session', subjectId: 'expired' };
      if (count > 0) this.ledger.record('identity.session.purge', { ...subject, after: { count } });
    });
  }

  /** The key of the failure limit: the user with this e-mail address, or the address, both ignoring case as the database does. */
  private async accountOf(email: string): Promise<string> {
    const [row] = await this.database.query<{ account: string }>(ACCOUNT, [email]);
    return row?.account ?? '';
  }

  private async attempt({ email, password }: Login): Promise<OpenSession> {
    const known = await this.findUser('lower(u.email) = lower(:email)', { email });
    const matches = await passwordMatches(password, known?.active ? known.passwordHash : null);
    if (!known || !matches) return this.rejectLogin(known);
    const { token, publicId, secretHash } = newCredential('vss');
    return this.database.transaction(async () => {
      // The user can have been disabled or changed since the password was verified.
      const user = await this.findUser('u.id = :id', { id: known.id }, 'pessimistic_read');
      if (!user?.active || user.passwordHash !== known.passwordHash) return this.rejectLogin(known);
      const now = this.clock.now();
      const session = make(StaffSession, {
        id: newId('sess'),
        publicId,
        secretHash,
        userId: user.id,
        createdAt: now,
        expiresAt: this.clock.inSeconds(ABSOLUTE_SECONDS),
        lastUsedAt: now,
        endedAt: null,
      });
      await this.database.insert(session);
      await this.events.record('login', { userId: user.id, subjectId: session.id });
      this.ledger.recordAs({ type: 'user', id: user.id }, 'identity.session.create', {
        subjectType: 'staff_session',
        subjectId: session.id,
        after: { userId: user.id },
      });
      return { session, user, token };
    });
  }

  private findUser(condition: string, values: object, lock?: 'pessimistic_read'): Promise<User | null> {
    const found = this.database.repository(User).createQueryBuilder('u').where(condition, values);
    if (lock) found.setLock(lock);
    return found.getOne();
  }

  private async rejectLogin(user: User | null): Promise<never> {
    await this.events.recordRejection('login_rejected', { userId: user?.id ?? null });
    this.log.warn({ requestId: currentContext().requestId, userId: user?.id ?? null }, 'login rejected');
    throw new AppError(401, 'unauthorized', 'The e-mail address or the password is wrong', {
      headers: { 'WWW-Authenticate': 'Bearer realm="staff"' },
    });
  }
}
