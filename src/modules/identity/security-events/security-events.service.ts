import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { make } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { newId } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { LOG } from '../../../platform/observability/log.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import type { ListSecurityEvents } from './security-event.dto.js';
import { SecurityEvent, type SecurityEventKind } from './security-event.entity.js';

const RETENTION_SECONDS = 90 * 24 * 60 * 60;

/** The subject of an event. */
export interface SecuritySubject {
  /** The user whose account or credential it is; null for an unknown address and for platform keys. */
  userId: string | null;
  /** The session, token or key. */
  subjectId?: string;
}

/** Records events of accounts and credentials, with the address and the user agent of the running request. */
@Injectable()
export class SecurityEventsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Records the event in the running transaction, so that it exists if and only if its cause was committed. */
  async record(kind: SecurityEventKind, { userId, subjectId }: SecuritySubject): Promise<void> {
    const { actor, client, serverRequestId } = currentContext();
    const event = make(SecurityEvent, {
      id: newId('sevt'),
      kind,
      userId,
      actorId: actor?.id,
      subjectId,
      address: client?.address || null,
      userAgent: client?.userAgent || null,
      serverRequestId,
      createdAt: this.clock.now(),
    });
    await this.database.insert(event);
  }

  /**
   * Records the rejection of a request independently of its transaction, which is rolled back. Never throws: the caller gets
   * the error of the rejection, which counts for the failure limits.
   */
  async recordRejection(kind: SecurityEventKind, subject: SecuritySubject): Promise<void> {
    try {
      await this.database.apart(() => this.record(kind, subject));
    } catch (error) {
      this.log.warn({ err: error, kind, userId: subject.userId }, 'failed to record a security event');
    }
  }

  /** Newest first. */
  async list(query: ListSecurityEvents): Promise<{ events: SecurityEvent[]; total: number }> {
    const { kind, userId, createdAfter, createdBefore } = query;
    const found = this.database.repository(SecurityEvent).createQueryBuilder('e').where('true');
    filterRows(found, 'e.kind', kind);
    if (userId !== undefined) found.andWhere('e.userId = :userId', { userId });
    if (createdAfter !== undefined) found.andWhere('e.createdAt >= :after', { after: new Date(createdAfter) });
    if (createdBefore !== undefined) found.andWhere('e.createdAt < :before', { before: new Date(createdBefore) });
    sortRows(found, query.sort ?? '-createdAt');
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { events: rows.map(({ entity }) => entity), total };
  }

  /** Deletes events after 90 days. */
  @Cron('identity.security-events.purge', '53 3 * * *')
  async purge(): Promise<void> {
    await this.database.purge('security_events', 'created_at < $1', [this.clock.inSeconds(-RETENTION_SECONDS)]);
  }
}
