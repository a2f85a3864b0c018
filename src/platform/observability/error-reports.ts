import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { ConfigurationError } from '../config/configuration-error.js';
import { Env } from '../config/env.js';
import { findContext } from '../context/request-context.js';
import { LOG, loggedError, serviceVersion } from './log.js';
import { Metrics } from './metrics.js';

/** The place of an unexpected error. It names the template of the route and contains no bodies, headers, queries or addresses. */
interface ErrorOrigin {
  readonly method?: string;
  readonly route?: string | null;
  readonly job?: string;
  /** The kind of error that ends the process. */
  readonly crash?: string;
}

/** The exports of the module that `ERROR_REPORTER` names; docs/operations/monitoring.md describes them. */
interface ReporterModule {
  report(error: Error, details: Record<string, string>): unknown;
  close?(): unknown;
}

/** More are dropped and counted: an error tracker that does not respond must not take the memory of the process. */
const MAX_RUNNING = 20;
const REPORT_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 2_000;

/**
 * Passes unexpected errors to the operator's module, as they are logged: without parameters of statements and rejected values. It
 * is called after the response, and its failure is logged.
 */
@Injectable()
export class ErrorReports implements OnApplicationShutdown {
  private readonly reporter: ReporterModule | null;
  private readonly failures: { inc(): void };
  private running = 0;

  constructor(
    private readonly env: Env,
    metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.reporter = env.errorReporter === null ? null : loadReporter(env.errorReporter);
    const help = 'Unexpected errors that were not passed to the error tracker';
    this.failures = metrics.counter({ name: 'error_reports_failed_total', help });
  }

  report(thrown: unknown, origin: ErrorOrigin): void {
    const { reporter } = this;
    if (!reporter) return;
    if (this.running >= MAX_RUNNING) {
      this.failures.inc();
      return;
    }
    this.running += 1;
    const error = reportedError(thrown);
    const details = this.detailsOf(origin);
    setImmediate(() => void this.pass(reporter, error, details));
  }

  /** Passes errors that end the process, from now on. They are passed at once, because nothing runs afterwards. */
  reportCrashes(): void {
    process.on('uncaughtExceptionMonitor', (thrown: unknown, crash) => {
      try {
        Promise.resolve(this.reporter?.report(reportedError(thrown), this.detailsOf({ crash }))).catch(() => undefined);
      } catch (failure) {
        this.log.warn({ err: failure }, 'the error reporter failed');
      }
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const closed = Promise.resolve(this.reporter?.close?.()).catch(() => undefined);
    await Promise.race([closed, pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }

  private async pass(reporter: ReporterModule, error: Error, details: Record<string, string>): Promise<void> {
    const late = pause(REPORT_WITHIN_MS, 'late', { ref: false });
    try {
      const passed = Promise.resolve(reporter.report(error, details));
      if ((await Promise.race([passed, late])) === 'late') throw new Error('The error reporter took too long');
    } catch (failure) {
      this.failures.inc();
      this.log.warn({ err: failure }, 'the error reporter failed');
    } finally {
      this.running -= 1;
    }
  }

  private detailsOf(origin: ErrorOrigin): Record<string, string> {
    const { requestId, serverRequestId, span } = findContext() ?? {};
    const known = {
      service: this.env.serviceName,
      version: serviceVersion(),
      ...origin,
      requestId,
      serverRequestId,
      traceId: span?.traceId,
      spanId: span?.spanId,
    };
    return Object.fromEntries(
      Object.entries(known).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }
}

/** Creates a new error, because the thrown one may contain parameters of a statement, or be changed by the tracker. */
function reportedError(thrown: unknown): Error {
  const { type, message, stack, code, constraint, cause } = loggedError(thrown);
  const error = new Error(String(message), cause ? { cause: reportedError(cause) } : {});
  error.name = String(type);
  error.stack = typeof stack === 'string' ? stack : `${error.name}: ${error.message}`;
  return Object.assign(error, code === undefined ? {} : { code }, constraint === undefined ? {} : { constraint });
}

/** The module by its path, relative to the working folder, or by the name of its package. */
function loadReporter(name: string): ReporterModule {
  const fault = (what: string) =>
    new ConfigurationError([
      `ERROR_REPORTER: ${what}; expected a module that exports report(error, details); for example ERROR_REPORTER=./error-reporter.cjs`,
    ]);
  let exported: unknown;
  try {
    exported = createRequire(join(process.cwd(), 'package.json'))(name);
  } catch (error) {
    throw fault(`cannot be loaded (${String((error as { message?: unknown }).message).split('\n', 1)[0]})`);
  }
  if (!isReporter(exported)) throw fault('exports no function report');
  return exported;
}

function isReporter(exported: unknown): exported is ReporterModule {
  return typeof exported === 'object' && exported !== null && typeof Reflect.get(exported, 'report') === 'function';
}
