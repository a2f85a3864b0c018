import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import type { Logger } from 'pino';
import { DailyBudgets } from './admission/daily-budgets.js';
import { RequestShares } from './admission/request-shares.js';
import { RequestSharesInterceptor } from './admission/request-shares.interceptor.js';
import { BearerGuard } from './auth/bearer.guard.js';
import { BearerStrategy } from './auth/bearer.strategy.js';
import { ScopesGuard } from './auth/scopes.guard.js';
import { createKekProvider } from './keys/configured-keks.js';
import { KekProvider } from './keys/kek-provider.js';
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
import { DecoratedMethods } from './discovery/decorated-methods.js';
import { Listeners } from './discovery/listeners.js';
import { Watchdog } from './database/watchdog.js';
import { ErrorFilter } from './http/error.filter.js';
import { createFileStore } from './files/configured-files.js';
import { FileLinks } from './files/file-links.js';
import { FileStore } from './files/file-store.js';
import { FilesController } from './files/files.controller.js';
import { KnownQueryGuard } from './http/known-query.guard.js';
import { RequestIdInterceptor } from './http/request-id.interceptor.js';
import { RouteTable } from './http/route-table.js';
import { Routes } from './http/routes.js';
import { RequestPipe } from './http/validation.pipe.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { AbandonedJobs } from './jobs/abandoned-jobs.js';
import { Jobs } from './jobs/jobs.js';
import { FailureLimits } from './limits/failure-limits.js';
import { MailLimits } from './limits/mail-limits.js';
import { OperationShares } from './limits/operation-limits.interceptor.js';
import { OperatorLimitGuard, RateLimitGuard } from './limits/rate-limit.guard.js';
import { RateLimits } from './limits/rate-limits.js';
import { HealthController } from './monitoring/health.controller.js';
import { BacklogMetrics } from './monitoring/backlog-metrics.js';
import { DiskSpace } from './observability/disk-space.js';
import { ErrorReports } from './observability/error-reports.js';
import { EventLoop } from './observability/event-loop.js';
import { LOG } from './observability/log.js';
import { Metrics } from './observability/metrics.js';
import { MetricsController } from './monitoring/metrics.controller.js';
import { OutgoingCalls } from './observability/outgoing-calls.js';
import { Readiness } from './observability/readiness.js';
import { NO_TELEMETRY, Telemetry } from './observability/telemetry.js';
import { ProcessMetrics } from './monitoring/process-metrics.js';
import { Outbox } from './outbox/outbox.js';
import { Installation } from './provisioning/installation.js';
import { Provisioning } from './provisioning/provisioning.js';
import { AddressLimit } from './traffic/address-limit.js';
import { Admission } from './traffic/admission.js';
import { BodyQuota } from './traffic/body-quota.js';
import { ConnectionLimits } from './traffic/connection-limits.js';
import { Deadlines } from './traffic/deadlines.js';
import { RequestBodies } from './traffic/request-bodies.js';
import { Traffic } from './traffic/traffic.js';
import './database/platform-tables.js';

const SERVICES = [
  AbandonedJobs,
  AddressLimit,
  Admission,
  BearerGuard,
  BearerStrategy,
  BodyQuota,
  Clock,
  ConnectionLimits,
  DailyBudgets,
  Database,
  DecoratedMethods,
  DiskSpace,
  ErrorReports,
  FailureLimits,
  FileLinks,
  IdempotencyKeys,
  Installation,
  Jobs,
  Listeners,
  MailLimits,
  Metrics,
  Notifier,
  OutgoingCalls,
  OperationShares,
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
const WATCHERS = [BacklogMetrics, DatabaseDisk, Deadlines, EventLoop, ProcessMetrics];

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
        { provide: KekProvider, useFactory: createKekProvider, inject: [Env] },
        { provide: LOG, useValue: log },
        { provide: Telemetry, useValue: telemetry },
        // Guards run in this order: authentication, the caller's rate limit, its scopes, the limit of the operator that
        // it acts for, the query.
        { provide: APP_GUARD, useExisting: BearerGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: ScopesGuard },
        { provide: APP_GUARD, useClass: OperatorLimitGuard },
        { provide: APP_GUARD, useClass: KnownQueryGuard },
        { provide: APP_PIPE, useClass: RequestPipe },
        // The first one is the outermost: a request that waits for its turn has done nothing yet.
        { provide: APP_INTERCEPTOR, useClass: RequestSharesInterceptor },
        { provide: APP_INTERCEPTOR, useClass: RequestIdInterceptor },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
      exports: [...SERVICES, Env, FileStore, KekProvider, LOG, Telemetry],
    };
  }
}
