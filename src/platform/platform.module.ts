import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Logger } from 'pino';
import { DailyBudgets } from './admission/daily-budgets.js';
import { RequestShares } from './admission/request-shares.js';
import { BearerGuard, BearerStrategy } from './auth/bearer.guard.js';
import { createKekProvider } from './keys/configured-keks.js';
import { KekProvider } from './keys/kek-provider.js';
import { LinkTokens } from './keys/link-tokens.js';
import { SealingKeys } from './keys/sealing-keys.js';
import { ServiceKeys } from './keys/service-keys.js';
import { SigningKeys } from './keys/signing-keys.js';
import { TokenVerifier } from './auth/token-verifier.js';
import { Clock } from './clock/clock.js';
import { Env } from './config/env.js';
import { Database } from './database/database.js';
import { DatabaseDisk } from './database/database-disk.js';
import { Notifier } from './database/notifier.js';
import { ReadReplica } from './database/read-replica.js';
import { Egress } from './egress/egress.js';
import { DecoratedMethods } from './discovery/decorated-methods.js';
import { Listeners } from './discovery/listeners.js';
import { Watchdog } from './database/watchdog.js';
import { createFileStore } from './files/configured-files.js';
import { EnclosedFiles } from './files/enclosed-files.js';
import { FileLinks } from './files/file-links.js';
import { FileStore } from './files/file-store.js';
import { FilesController } from './files/files.controller.js';
import { PASSED_BY_ROUTES } from './http/pipeline.js';
import { RouteTable } from './http/route-table.js';
import { Routes } from './http/routes.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { AbandonedJobs } from './jobs/abandoned-jobs.js';
import { Jobs } from './jobs/jobs.js';
import { FailureLimits } from './admission/failure-limits.js';
import { RateLimits } from './admission/rate-limits.js';
import { HealthController } from './monitoring/health.controller.js';
import { StoredMetrics } from './monitoring/stored-metrics.js';
import { DiskSpace } from './observability/disk-space.js';
import { ErrorReports } from './observability/error-reports.js';
import { EventLoop } from './observability/event-loop.js';
import { Names } from './http/row-names.js';
import { LOG } from './observability/log.js';
import { Metrics } from './observability/metrics.js';
import { MetricsController, ProcessMetrics } from './monitoring/metrics.controller.js';
import { NO_TELEMETRY, OutgoingCalls, Telemetry } from './observability/telemetry.js';
import { Readiness } from './observability/readiness.js';
import { Outbox } from './outbox/outbox.js';
import { Installation, Provisioning } from './provisioning/provisioning.js';
import { Admission } from './admission/admission.js';
import { RequestBodies } from './admission/request-bodies.js';
import { ConnectionLimits } from './admission/connection-limits.js';
import { Deadlines, Traffic } from './admission/traffic.js';
import './database/platform-tables.js';

const SERVICES = [
  AbandonedJobs,
  Admission,
  BearerGuard,
  BearerStrategy,
  Clock,
  ConnectionLimits,
  DailyBudgets,
  Database,
  DecoratedMethods,
  DiskSpace,
  EnclosedFiles,
  ErrorReports,
  FailureLimits,
  FileLinks,
  IdempotencyKeys,
  Installation,
  Jobs,
  LinkTokens,
  Listeners,
  Metrics,
  Names,
  Notifier,
  OutgoingCalls,
  Outbox,
  Provisioning,
  RateLimits,
  Readiness,
  ReadReplica,
  RequestBodies,
  RequestShares,
  Routes,
  RouteTable,
  SealingKeys,
  ServiceKeys,
  SigningKeys,
  TokenVerifier,
  Traffic,
  Watchdog,
];

/** Services that are not injected anywhere: they monitor and report. */
const WATCHERS = [StoredMetrics, DatabaseDisk, Deadlines, EventLoop, ProcessMetrics];

interface PlatformDependencies {
  env: Env;
  log: Logger;
  telemetry?: Telemetry | undefined;
}

/** The infrastructure that every module uses. It contains no business logic. */
@Module({})
export class PlatformModule {
  static forRoot({ env, log, telemetry = NO_TELEMETRY }: PlatformDependencies): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [DiscoveryModule],
      controllers: [HealthController, MetricsController, FilesController],
      providers: [
        ...SERVICES,
        ...WATCHERS,
        { provide: Env, useValue: env },
        {
          provide: FileStore,
          useFactory: (diskSpace: DiskSpace, { damagedReads }: Metrics) =>
            createFileStore(env, { diskSpace, log, damagedReads }),
          inject: [DiskSpace, Metrics],
        },
        { provide: Egress, useFactory: (settings: Env) => new Egress(settings), inject: [Env] },
        { provide: KekProvider, useFactory: createKekProvider, inject: [Env] },
        { provide: LOG, useValue: log },
        { provide: Telemetry, useValue: telemetry },
        ...PASSED_BY_ROUTES,
      ],
      exports: [...SERVICES, Egress, Env, FileStore, KekProvider, LOG, Telemetry],
    };
  }
}
