import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { newCredential } from '../../../platform/ids/credentials.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { ConcurrencyCounter } from '../../../platform/limits/concurrency-counter.js';
import { addressKey } from '../../../platform/limits/client-address.js';
import { FailureLimits } from '../../../platform/limits/failure-limits.js';
import { LOG } from '../../../platform/observability/log.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { passwordMatches } from '../users/password.js';
import { User } from '../users/user.entity.js';
import { ABSOLUTE_SECONDS } from './lifetime.js';
import type { Login } from './session.dto.js';
import { StaffSession } from './staff-session.entity.js';

export interface OpenSession {
  session: StaffSession;
  user: User;
  /** Shown to the caller and kept nowhere. */
  token: string;
}

const ACCOUNT = `
  select coalesce(
    (select 'account ' || id from users where lower(email) = lower($1)), 'unknown ' || lower($1)) as account`;

@Injectable()
export class Logins {
  /** A flood of logins must leave memory, threads and connections to the database to other requests. */
  private readonly atOnce = new ConcurrencyCounter({ running: 4, waiting: 32 });

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
    private readonly failures: FailureLimits,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Opens a session. Throws one and the same 401, after the same work, whatever is wrong, and 429 after too many failures
   * of the account or the address.
   */
  async open(login: Login, address: string): Promise<OpenSession> {
    return this.atOnce.run(async () => {
      const subjects = [await this.accountOf(login.email), `address ${addressKey(address)}`];
      return this.failures.count('login-failures', subjects, () => this.attempt(login));
    });
  }

  /** The account that the database finds, however its e-mail is spelled; it folds unknown ones by the same rule. */
  private async accountOf(email: string): Promise<string> {
    const [row] = await this.database.query<{ account: string }>(ACCOUNT, [email]);
    return row?.account ?? '';
  }

  private async attempt({ email, password }: Login): Promise<OpenSession> {
    const known = await this.find('lower(u.email) = lower(:email)', { email });
    const matches = await passwordMatches(password, known?.active ? known.passwordHash : null);
    if (!known || !matches) return this.refuse(known);
    const { token, publicId, secretHash } = newCredential('vss');
    return this.database.transaction(async () => {
      // Between the check and now, the user may have been disabled or given another password.
      const user = await this.find('u.id = :id', { id: known.id }, 'pessimistic_read');
      if (!user?.active || user.passwordHash !== known.passwordHash) return this.refuse(known);
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
      this.ledger.recordAs({ type: 'user', id: user.id }, 'identity.session.create', {
        subjectType: 'staff_session',
        subjectId: session.id,
        after: { userId: user.id },
      });
      return { session, user, token };
    });
  }

  private find(condition: string, values: object, lock?: 'pessimistic_read'): Promise<User | null> {
    const found = this.database.repository(User).createQueryBuilder('u').where(condition, values);
    if (lock) found.setLock(lock);
    return found.getOne();
  }

  private refuse(user: User | null): never {
    this.log.warn({ requestId: currentContext().requestId, userId: user?.id ?? null }, 'a login was refused');
    throw new AppError(401, 'unauthorized', 'The e-mail address or the password is wrong', {
      headers: { 'WWW-Authenticate': 'Bearer realm="staff"' },
    });
  }
}
