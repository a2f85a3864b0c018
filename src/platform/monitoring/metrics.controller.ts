import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/access.js';
import { Env } from '../config/env.js';
import { notFound, unavailable } from '../errors/app-error.js';
import { clusterMetrics } from '../observability/cluster-metrics.js';
import { Metrics } from '../observability/metrics.js';

/** For Prometheus, not for API clients; served only if `METRICS` enables it. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly env: Env,
  ) {}

  @Get()
  @Public()
  async read(@Res() response: Response): Promise<void> {
    if (!this.env.metrics) throw notFound();
    const { registry } = this.metrics;
    const text = await clusterMetrics(registry);
    // A part of the processes would look like counters that fall; a missed scrape does no harm.
    if (text === null) throw unavailable('A process of this machine did not report its metrics in time');
    response.type(registry.contentType).send(text);
  }
}
