import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The aggregation of metrics from several processes: most are added up, some are the same in each. */
type Aggregation = 'sum' | 'max';

interface Figure<Label extends string = never> {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  aggregator?: Aggregation;
}

/** The metrics of the process for `GET /metrics`. Requests are labelled by route template, never by path. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.registry],
  });

  readonly errorResponses = this.counter({
    name: 'error_responses_total',
    help: 'Rejected requests by error code; watch rate_limited and service_unavailable',
    labelNames: ['surface', 'code'],
  });

  readonly replays = this.counter({
    name: 'idempotent_replays_total',
    help: 'Responses replayed for an Idempotency-Key',
  });

  readonly staleReads = this.counter({
    name: 'db_stale_reads_total',
    help: 'Reads that may be stale, by the server that answered; none without a replica',
    labelNames: ['server'],
  });

  readonly deprecatedRequests = this.counter({
    name: 'deprecated_requests_total',
    help: 'Requests to deprecated operations that passed authentication and scopes',
    labelNames: ['method', 'route'],
  });

  readonly damagedReads = this.counter({
    name: 'file_store_damaged_reads_total',
    help: 'Reads of files whose bytes do not have their SHA-256; above 0 a file must be restored',
  });

  readonly unmappedDatabaseErrors = this.counter({
    name: 'unmapped_db_errors_total',
    help: 'Database errors without a mapping; above 0 there is a fault in the service',
  });

  counter<Label extends string = never>({ name, help, labelNames = [] }: Figure<Label>): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A counter whose value another component counts; read on each scrape. */
  counterOf({ name, help }: Figure, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** A gauge that is read on each scrape; null: it is not available now, and is omitted. */
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

  /** A gauge with one value for each value of its label, read on each scrape; the highest of several processes counts. */
  gaugeOf({ name, help, label }: { name: string; help: string; label: string }, read: () => [string, number][]): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      aggregator: 'max',
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [labelled, value] of read()) this.set({ [label]: labelled }, value);
      },
    });
  }
}
