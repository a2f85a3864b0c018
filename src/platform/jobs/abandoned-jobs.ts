import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { Database } from '../database/database.js';
import { lockWorker, Watchdog, workerEnded } from '../database/watchdog.js';
import { LOG } from '../observability/log.js';

const CHECK_EVERY_MS = 10_000;

const ENDED_WORKERS = `
  select worker from (
    select locked_by from graphile_worker._private_jobs union select locked_by from graphile_worker._private_job_queues
  ) as locked (worker)
  where worker <> $1 and ${workerEnded('worker')}`;

/**
 * Returns jobs to the queue whose process was killed; graphile-worker itself does so only after four hours. A process that
 * runs jobs locks the name of its worker on the watchdog's connection, so PostgreSQL releases the lock when the process ends.
 */
@Injectable()
export class AbandonedJobs implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private suspects = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly watchdog: Watchdog,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Marks this process's worker as alive, and looks for jobs of workers that have ended. */
  watch(worker: string): void {
    this.watchdog.lockWhileConnected(lockWorker(worker));
    const look = () => void this.release(worker).catch(() => undefined);
    this.timer = setInterval(look, CHECK_EVERY_MS).unref();
    look();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Unlocks jobs only if their worker was already missing at the previous check: a process that reconnects to the database has
   * no lock for a moment. A check that fails is repeated at the next interval.
   */
  async release(ownWorker: string): Promise<void> {
    const ended = await this.database.query<{ worker: string }>(ENDED_WORKERS, [ownWorker]);
    const workers = ended.map(({ worker }) => worker);
    const abandoned = workers.filter((worker) => this.suspects.has(worker));
    this.suspects = new Set(workers);
    if (abandoned.length === 0) return;
    await this.database.query('select graphile_worker.force_unlock_workers($1::text[])', [abandoned]);
    this.log.warn({ workers: abandoned }, 'the jobs of a process that ended are returned to the queue');
  }
}
