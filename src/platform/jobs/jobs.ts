import { EventEmitter } from 'node:events';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Logger as JobLogger, parseCronItems, run, type Runner, type WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { asSystem, currentContext } from '../context/request-context.js';
import { connectionOptions, ServicePool } from '../database/service-pool.js';
import { DecoratedMethods } from '../discovery/decorated-methods.js';
import { Database } from '../database/database.js';
import { toAppError } from '../errors/to-app-error.js';
import { ErrorReports } from '../observability/error-reports.js';
import { LOG } from '../observability/log.js';
import { Telemetry } from '../observability/telemetry.js';
import { traced } from '../observability/tracer.js';
import { AbandonedJobs } from './abandoned-jobs.js';
import { Job, type JobMethod, ScheduledJob } from './job-decorators.js';
import { jobPool } from './job-pool.js';

export interface JobOptions {
  /** Another job with the same key replaces this one while it waits. */
  key?: string;
  runAt?: Date;
  /** Default 25; the queue waits exp(attempt) seconds in between. */
  maxAttempts?: number;
  /** Jobs of one queue run in sequence, in the order in which they were added. */
  queue?: string;
}

export interface NewJob extends JobOptions {
  name: string;
  payload: Record<string, unknown>;
}

const ADD = `select from graphile_worker.add_jobs(array(
    select row(j.name, j.payload, j.queue, coalesce(j.run_at, now()), j.tries, j.key, null, null)::graphile_worker.job_spec
    from rows from (json_to_recordset($1::json)
        as (name text, payload json, queue text, "runAt" timestamptz, "maxAttempts" smallint, key text))
      with ordinality as j (name, payload, queue, run_at, tries, key, n)
    order by j.n))`;
const MAX_ATTEMPTS = 25;

/**
 * Jobs on PostgreSQL. `add` joins the running transaction, so a job exists if and only if its cause was committed. A process
 * claims only the jobs it knows, with SKIP LOCKED. Each job runs at least once, so its work must be repeatable.
 */
@Injectable()
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private runner: Runner | null = null;
  /** Its connection listens for new jobs; null if the connections of the pool have their own sessions. */
  private listening: ServicePool | null = null;

  constructor(
    private readonly database: Database,
    private readonly env: Env,
    private readonly methods: DecoratedMethods,
    private readonly abandoned: AbandonedJobs,
    private readonly telemetry: Telemetry,
    private readonly reports: ErrorReports,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Adds a job, in the running transaction if there is one. */
  async add(name: string, payload: Record<string, unknown>, options: JobOptions = {}): Promise<void> {
    await this.addAll([{ name, payload, ...options }]);
  }

  /** Adds all of these jobs in one statement. If several have the same key, only the last is added. */
  async addAll(jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const keyed = new Map(jobs.map((job) => [job.key ?? job, job]));
    const specified = [...keyed.values()].map((job) => ({ maxAttempts: MAX_ATTEMPTS, ...job }));
    await this.database.write({ name: 'jobs-add', text: ADD, values: [JSON.stringify(specified)] });
  }

  async onApplicationBootstrap(): Promise<void> {
    const jobs = this.methods.findByName(Job, (name) => name);
    const scheduled = this.methods.findByName(ScheduledJob, ({ name }) => name);
    if (!this.env.jobs) return;
    const { databaseUrl, databaseDirectUrl: directUrl } = this.env;
    if (directUrl !== databaseUrl) {
      const own = { max: 1, application_name: 'travel-operations-jobs' };
      this.listening = new ServicePool({ ...connectionOptions(directUrl), ...own });
    }
    const pool = this.database.pool();
    const pgPool = jobPool(pool, this.listening ?? pool);
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => this.abandoned.watch(workerPool.id));
    this.runner = await run({
      pgPool,
      events,
      noHandleSignals: true,
      concurrency: 4,
      pollInterval: 2_000,
      taskList: Object.fromEntries(
        [...jobs, ...scheduled].map(([name, { call }]) => [name, this.inContext(name, call)]),
      ),
      parsedCronItems: parseCronItems(
        [...scheduled.values()].map(({ options: { name, pattern } }) => ({
          task: name,
          match: this.env.scheduledJobs ? pattern : () => false,
          options: { backfillPeriod: 0 },
        })),
      ),
      logger: new JobLogger(
        () => (level, message, meta) =>
          this.log[level === 'warning' ? 'warn' : level]({ jobs: true, ...logged(meta) }, message),
      ),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.runner?.stop();
    await this.listening?.end();
  }

  private inContext(name: string, work: JobMethod): JobMethod {
    return (payload) =>
      asSystem(async () => {
        try {
          await this.traced(name, () => work(payload));
        } catch (error) {
          // Known errors, such as an unavailable database, pass: the job is repeated.
          if (!toAppError(error)) this.reports.report(error, { job: name });
          throw error;
        }
      });
  }

  /** Starts a new trace, because the request that added the job has ended, and the job may be repeated for days. */
  private traced(name: string, work: () => Promise<void>): Promise<void> {
    const { tracer } = this.telemetry;
    if (!tracer) return work();
    const context = currentContext();
    const attributes = { 'job.name': name, 'request.id': context.serverRequestId };
    context.span = tracer.start({ kind: 'consumer', name: `job ${name}`, attributes }, null);
    return traced(context.span, work);
  }
}

/** The name and duration of a job, from the message about its end. */
function logged(meta: Readonly<Record<string, unknown>> | undefined): { job?: string; durationMs?: number } {
  const { job, duration } = meta ?? {};
  if (typeof duration !== 'number' || !hasTask(job)) return {};
  return { job: job.task_identifier, durationMs: Math.round(duration) };
}

function hasTask(job: unknown): job is { task_identifier: string } {
  return typeof job === 'object' && job !== null && 'task_identifier' in job && typeof job.task_identifier === 'string';
}
