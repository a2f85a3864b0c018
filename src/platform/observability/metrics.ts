import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** How the figures of several processes on one port become one: most are added up, some are the same in each. */
type Aggregation = 'sum' | 'max';

interface Figure<Label extends string = never> {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  aggregator?: Aggregation;
}

/** What the process counts and measures, for `GET /metrics`. Names of requests are route templates, never paths. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  readonly refusals = this.counter({
    name: 'refusals_total',
    help: 'Refused requests by error code; rate_limited and service_unavailable are the ones to watch',
    labelNames: ['surface', 'code'],
  });

  readonly replays = this.counter({
    name: 'idempotent_replays_total',
    help: 'Answers that were given again for an Idempotency-Key',
  });

  readonly unmappedDatabaseErrors = this.counter({
    name: 'unmapped_db_error',
    help: 'Errors of the database that no rule of ours foresaw; anything but 0 is a fault of the service',
  });

  counter<Label extends string = never>({ name, help, labelNames = [] }: Figure<Label>): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A figure that is read when somebody asks for the metrics; null: it cannot be had now, and is left out. */
  gauge({ name, help, aggregator = 'sum' }: Figure, read: () => number | null | Promise<number | null>): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers: [this.registry],
      async collect() {
        const value = await read();
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }
}
