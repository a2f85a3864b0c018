import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { type PageQuery, pageBounds } from '../../../platform/http/dto.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentials } from '../credentials/user-credentials.js';
import { IDLE_SECONDS } from './lifetime.js';
import { StaffSession } from './staff-session.entity.js';

/** Ended sessions are kept for 90 days, for investigations. */
const KEPT_SECONDS = 90 * 24 * 60 * 60;

/** The caller's own sessions. */
@Injectable()
export class Sessions {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentials,
    private readonly clock: Clock,
  ) {}

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

  /** Ends the session that the request was made with; an API token has none, which is null. */
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
      this.ledger.record('identity.session.end', { ...subject, after: { userId: session.userId } });
      return session;
    });
  }

  /** Forgets sessions that have been over for 90 days. */
  @Cron('identity.sessions.purge', '41 3 * * *')
  async purge(): Promise<void> {
    await this.database.transaction(async () => {
      const { count } = await this.database.execute('delete from staff_sessions where expires_at < $1', [
        this.clock.inSeconds(-KEPT_SECONDS),
      ]);
      const subject = { subjectType: 'staff_session', subjectId: 'expired' };
      if (count > 0) this.ledger.record('identity.session.purge', { ...subject, after: { count } });
    });
  }
}
