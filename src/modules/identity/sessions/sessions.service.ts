import { Injectable } from '@nestjs/common';
import { assertAnySession, assertScope, assertSession, hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { DevicesService } from '../devices/devices.service.js';
import type { SecondFactorProof } from '../second-factors/second-factor.dto.js';
import { SecondFactorsService } from '../second-factors/second-factors.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { IDLE_SECONDS } from './session-lifetime.js';
import type { ListSessions } from './session.dto.js';
import { StaffSession } from './staff-session.entity.js';

/** Ended sessions are kept for 90 days, for investigations. */
const RETENTION_SECONDS = 90 * 24 * 60 * 60;

/** Lists and ends open sessions of the caller and, with further scopes, of other users. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentialsService,
    private readonly devices: DevicesService,
    private readonly secondFactors: SecondFactorsService,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {}

  /** The sessions that can still be used. Sessions of another user need a scope. */
  async list(query: ListSessions): Promise<{ sessions: StaffSession[]; total: number }> {
    const { principal } = assertSession();
    const { userId = principal } = query;
    if (userId !== principal) assertScope('identity:read');
    const found = this.database.repository(StaffSession).createQueryBuilder('s');
    found.where('s.userId = :userId and s.endedAt is null', { userId });
    found.andWhere('s.expiresAt > :now', { now: this.clock.now() });
    found.andWhere('s.lastUsedAt > :idle', { idle: this.clock.inSeconds(-IDLE_SECONDS) });
    sortRows(found, query.sort ?? '-createdAt');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { sessions: rows.map(({ entity }) => entity), total };
  }

  /** Ends the session of the request, even if its user must first change the password. */
  async endCurrent(): Promise<StaffSession> {
    return this.finish(assertAnySession().credentialId);
  }

  /** Ends all other sessions of the caller and returns their number. */
  async endOthers(): Promise<number> {
    const { principal: userId, credentialId } = assertSession();
    return this.database.transaction(async () => {
      const endedSessions = await this.credentials.endSessions(userId, credentialId);
      await this.events.record('other_sessions_ended', { userId, subjectId: credentialId });
      this.ledger.record('identity.session.end_others', {
        subjectType: 'staff_session',
        subjectId: credentialId,
        after: { userId, endedSessions },
      });
      return endedSessions;
    });
  }

  /** Ends all sessions of a user and logins that wait for a code; returns the number of sessions. */
  async endAllOf(userId: string): Promise<number> {
    assertScope('identity:write');
    return this.database.transaction(async () => {
      const open = await this.database.query<{ id: string }>(
        'select id from staff_sessions where user_id = $1 and ended_at is null order by id for update',
        [userId],
      );
      for (const { id } of open) await this.finish(id);
      await this.credentials.endSessions(userId);
      return open.length;
    });
  }

  /** A session that has ended is not found, nor is a session of another user without `identity:write`. */
  async end(id: string): Promise<StaffSession> {
    assertSession();
    return this.finish(id);
  }

  private async finish(id: string): Promise<StaffSession> {
    return this.database.transaction(async () => {
      const repository = this.database.repository(StaffSession);
      const session = await repository.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
      const { principal, credentialId } = currentActor();
      const isOwn = session?.userId === principal;
      if (!session || session.endedAt || (!isOwn && !hasScope('identity:write'))) throw notFound();
      if (!isOwn) assertScope('identity:write');
      session.endedAt = this.clock.now();
      await repository.update({ id }, { endedAt: session.endedAt });
      this.credentials.recheck();
      const { userId, deviceId } = session;
      // After a logout the device still belongs to the user; a session that is ended remotely may be on a lost device.
      if (id !== credentialId && deviceId !== null) await this.devices.forget(userId, deviceId);
      await this.events.record('session_ended', { userId, subjectId: id });
      const subject = { subjectType: 'staff_session', subjectId: id };
      this.ledger.record('identity.session.end', { ...subject, after: { userId } });
      return session;
    });
  }

  /** Records that the user of the current session has just proved the second factor. */
  async reauthenticate(proof: SecondFactorProof): Promise<StaffSession> {
    return this.secondFactors.runVerified(proof, async (userId) => {
      const { credentialId: id } = currentActor();
      await this.credentials.confirmSecondFactor(id);
      await this.events.record('reauthenticated', { userId, subjectId: id });
      const subject = { subjectType: 'staff_session', subjectId: id };
      this.ledger.record('identity.session.reauthenticate', { ...subject, after: { userId } });
      const session = await this.database.findRow(StaffSession, { id });
      if (!session) throw notFound();
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
      // They are kept as long as security events, which contain the same data.
      await this.database.execute(
        'update staff_sessions set address = null, user_agent = null where created_at < $1 and address is not null',
        [this.clock.inSeconds(-RETENTION_SECONDS)],
      );
      const subject = { subjectType: 'staff_session', subjectId: 'expired' };
      if (count > 0) this.ledger.record('identity.session.purge', { ...subject, after: { count } });
    });
  }
}
