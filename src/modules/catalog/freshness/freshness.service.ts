import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Histogram } from 'prom-client';
import { Clock } from '../../../platform/clock/clock.js';
import { LOG } from '../../../platform/observability/log.js';
import { Metrics } from '../../../platform/observability/metrics.js';

/** How long changes take until they can be searched in this process. */
@Injectable()
export class Freshness {
  private readonly seconds: Histogram;
  private failing = false;

  constructor(
    private readonly clock: Clock,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.seconds = new Histogram({
      name: 'catalog_change_to_searchable_seconds',
      help: 'From the writing of a change to its being searchable in this process',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15],
      registers: [metrics.registry],
    });
  }

  /** A change that was written then can be searched now. */
  searchable(writtenAt: number): void {
    this.seconds.observe(this.ageOf(writtenAt) / 1_000);
  }

  /** In milliseconds. */
  ageOf(writtenAt: number): number {
    return Math.max(0, this.clock.now().getTime() - writtenAt);
  }

  /** Told once, however often it is tried. */
  failed(error: unknown): void {
    if (this.failing) return;
    this.failing = true;
    this.log.warn({ err: error }, 'the catalog could not be read; what is known of it is searched on');
  }

  succeeded(): void {
    this.failing = false;
  }
}
