import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Inject, Injectable, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { catchError, type Observable } from 'rxjs';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { currentContext } from '../context/request-context.js';
import { Database } from '../database/database.js';
import { ReadReplica } from '../database/read-replica.js';
import { Listeners } from '../discovery/listeners.js';
import { databaseErrorOf } from '../errors/database-errors.js';
import { toAppError } from '../errors/to-app-error.js';
import { LOG } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';

const STATEMENT_TIMEOUT = '57014';

/** Knows when callers wrote last, in any process. The module that records writes implements it with `@Listens(RecordedWrites, ...)`. */
export abstract class RecordedWrites {
  abstract hasWrittenSince(actorId: string, instant: Date): Promise<boolean>;
}

/**
 * The route only reads, and its answer may lack the last seconds: it may come from the replica. Callers who wrote in these
 * seconds get it from the primary.
 */
export function MayBeStale(): MethodDecorator {
  return UseInterceptors(StaleReads);
}

/** Runs the handler on the replica if it can be used (docs/adr/0043-stale-reads-and-poolers.md). */
@Injectable()
class StaleReads implements NestInterceptor {
  constructor(
    private readonly replica: ReadReplica,
    private readonly database: Database,
    private readonly listeners: Listeners,
    private readonly clock: Clock,
    private readonly env: Env,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { pool, reason } = this.replica;
    if (!pool) return next.handle();
    if (reason !== null || (await this.hasCallerWritten())) {
      this.metrics.staleReads.inc({ server: 'primary' });
      return next.handle();
    }
    const [request, response] = [currentContext(), context.switchToHttp().getResponse<Response>()];
    // A request whose deadline passed or whose client left still has connections while a statement is running.
    response.once('close', () => pool.abandon(request));
    this.metrics.staleReads.inc({ server: 'replica' });
    return this.database
      .readFrom(pool, () => next.handle())
      .pipe(
        catchError((error: unknown) => {
          if (response.headersSent || response.destroyed || !isOfServer(error)) throw error;
          this.log.warn({ err: error }, 'a read of the replica failed and is repeated on the primary');
          this.metrics.staleReads.inc({ server: 'primary' });
          return next.handle();
        }),
      );
  }

  private async hasCallerWritten(): Promise<boolean> {
    const { actor } = currentContext();
    // Visitors of the storefront write nothing that these routes show.
    if (!actor) return false;
    // A write is recorded at most the deadline of a request before its commit, which the replica has after the lag.
    const recentMs = this.env.requestDeadlineMs + this.env.databaseReplicaMaxLagMs;
    const since = new Date(this.clock.now().getTime() - recentMs);
    return this.listeners.one(RecordedWrites).hasWrittenSince(actor.id, since);
  }
}

/** Returns whether the same read may succeed on another server. A read that took too long would only take as long again. */
function isOfServer(error: unknown): boolean {
  return toAppError(error)?.status === 503 && databaseErrorOf(error)?.code !== STATEMENT_TIMEOUT;
}
