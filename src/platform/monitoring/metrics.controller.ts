import { Controller, Get, Injectable, type OnModuleInit, Res } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database } from '../database/database.js';
import { FileStore } from '../files/file-store.js';
import { clusterMetrics, reportToPrimary } from '../observability/cluster-metrics.js';
import { Metrics } from '../observability/metrics.js';
import { serviceVersion } from '../observability/log.js';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/access.js';
import { Env } from '../config/env.js';
import { notFound, unavailable } from '../errors/app-error.js';

/** Metrics of this process: version, memory, connections to the database, and whether the file store is usable. */
@Injectable()
export class ProcessMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly database: Database,
    private readonly files: FileStore,
  ) {}

  onModuleInit(): void {
    const { registry } = this.metrics;
    reportToPrimary(registry);
    new Gauge({
      name: 'build_info',
      help: 'Always 1; the labels contain the versions',
      labelNames: ['version', 'node'],
      aggregator: 'first',
      registers: [registry],
    }).set({ version: serviceVersion(), node: process.version }, 1);

    const pool = this.database.pool();
    const report = (name: string, help: string, read: () => number) => this.metrics.gauge({ name, help }, read);
    this.metrics.counterOf({ name: 'process_cpu_seconds_total', help: 'CPU time of the process' }, () =>
      cpuSeconds(process.cpuUsage()),
    );
    const startedAt = performance.timeOrigin / 1000;
    const started = { name: 'process_start_time_seconds', help: 'When the process started, in Unix time' };
    this.metrics.gauge({ ...started, aggregator: 'max' }, () => startedAt);
    report('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
    report('process_heap_used_bytes', 'Used part of the JavaScript heap', () => process.memoryUsage().heapUsed);
    report('db_pool_connections', 'Connections to the database', () => pool.totalCount);
    report('db_pool_idle_connections', 'Idle connections to the database', () => pool.idleCount);
    report(
      'db_pool_waiting',
      'Callers that wait because all connections are in use',
      () => pool.waitingForReleaseCount,
    );
    this.metrics.gauge(
      { name: 'db_statement_names', help: 'Names of prepared statements', aggregator: 'max' },
      () => this.database.statementNameCount,
    );
    this.metrics.gauge(
      { name: 'file_store_unavailable', help: '1 while the store of files is not usable', aggregator: 'max' },
      () => (this.files.failure() === null ? 0 : 1),
    );
  }
}

function cpuSeconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}

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
    // If only some processes responded, counters would seem to fall; a missed scrape does no harm.
    if (text === null) throw unavailable('A process of this machine did not report its metrics in time');
    response.type(registry.contentType).send(text);
  }
}
