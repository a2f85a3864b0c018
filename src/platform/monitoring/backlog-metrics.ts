import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Database } from '../database/database.js';
import { Metrics } from '../observability/metrics.js';

/** Work waiting in the database, for this or another process. */
interface Waiting {
  events: number;
  oldest_event_seconds: number;
  jobs: number;
  failed_jobs: number;
}

/** One statement for all figures of a reading. */
const FRESH_MS = 500;
const WAITING = `
  select
    (select count(*) from outbox_events)::int as events,
    (select coalesce(greatest(extract(epoch from $1::timestamptz - min(created_at)), 0), 0) from outbox_events)::float8
      as oldest_event_seconds,
    count(*) filter (where attempts < max_attempts and run_at <= now())::int as jobs,
    count(*) filter (where attempts >= max_attempts)::int as failed_jobs
  from graphile_worker.jobs`;

@Injectable()
export class BacklogMetrics implements OnModuleInit {
  private reading: { at: number; waiting: Promise<Waiting | null> } | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.report('outbox_events', 'Events that are not yet relayed to their channels', 'events');
    this.report(
      'outbox_oldest_event_seconds',
      'Age of the oldest event that is not yet relayed',
      'oldest_event_seconds',
    );
    this.report('jobs_waiting', 'Jobs that are due, running ones included', 'jobs');
    this.report('jobs_failed', 'Jobs that failed in all their attempts', 'failed_jobs');
  }

  private report(name: string, help: string, figure: keyof Waiting): void {
    this.metrics.gauge({ name, help, aggregator: 'max' }, async () => (await this.waiting())?.[figure] ?? null);
  }

  /** Null without a database: the other metrics must still be available. */
  private waiting(): Promise<Waiting | null> {
    const now = performance.now();
    if (!this.reading || now - this.reading.at > FRESH_MS) {
      const rows = this.database.query<Waiting>(WAITING, [this.clock.now()]);
      this.reading = {
        at: now,
        waiting: rows.then(
          ([row]) => row ?? null,
          () => null,
        ),
      };
    }
    return this.reading.waiting;
  }
}
