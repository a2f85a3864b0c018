import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Database } from '../database/database.js';
import { Metrics } from '../observability/metrics.js';

/** Figures in the database: work that waits for this or another process, and the last backup. */
interface Figures {
  events: number;
  oldest_event_seconds: number;
  jobs: number;
  failed_jobs: number;
  /** Null: no complete backup was made. */
  last_backup: number | null;
}

/** One statement for all figures of a reading. */
const FRESH_MS = 500;
const FIGURES = `
  select
    (select count(*) from outbox_events)::int as events,
    (select coalesce(greatest(extract(epoch from $1::timestamptz - min(created_at)), 0), 0) from outbox_events)::float8
      as oldest_event_seconds,
    (select extract(epoch from started_at) from last_backup)::float8 as last_backup,
    count(*) filter (where attempts < max_attempts and run_at <= now())::int as jobs,
    count(*) filter (where attempts >= max_attempts)::int as failed_jobs
  from graphile_worker.jobs`;

@Injectable()
export class StoredMetrics implements OnModuleInit {
  private reading: { at: number; figures: Promise<Figures | null> } | null = null;

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
    this.report(
      'backup_last_success_timestamp_seconds',
      'When the last complete backup began, in Unix time; absent: there is none',
      'last_backup',
    );
  }

  private report(name: string, help: string, figure: keyof Figures): void {
    this.metrics.gauge({ name, help, aggregator: 'max' }, async () => (await this.figures())?.[figure] ?? null);
  }

  /** Null without a database: the other metrics must still be available. */
  private figures(): Promise<Figures | null> {
    const now = performance.now();
    if (!this.reading || now - this.reading.at > FRESH_MS) {
      const rows = this.database.query<Figures>(FIGURES, [this.clock.now()]);
      this.reading = {
        at: now,
        figures: rows.then(
          ([row]) => row ?? null,
          () => null,
        ),
      };
    }
    return this.reading.figures;
  }
}
