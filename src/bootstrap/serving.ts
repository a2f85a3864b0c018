import cluster from 'node:cluster';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { connect } from './boot.js';
import { createApp } from './configure-app.js';
import type { Credentials } from './credentials-file.js';
import { firstStart } from './first-start.js';
import type { Env } from '../platform/config/env.js';
import { prepareSchema, type SchemaReport } from './migration.js';
import { ErrorReports } from '../platform/observability/error-reports.js';
import { createServiceLog, logCrashes } from '../platform/observability/log.js';
import { startTelemetry, type Telemetry } from '../platform/observability/telemetry.js';
import { drain } from '../platform/admission/traffic.js';
import { printStep, printWelcome } from './welcome.js';

/** Prepares the database and serves all requests in this process. */
export async function serveSingleProcess(env: Env): Promise<void> {
  const log = createServiceLog(env);
  logCrashes(log);
  warnOfUnknownSettings(env, log);
  const telemetry = await startTelemetry(env, log);
  const dataSource = await prepared(env);
  const app = await createApp({ env, log, dataSource, telemetry });
  app.get(ErrorReports).reportCrashes();
  const stop = stopper(app, { log, telemetry });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  await app.init();
  const credentials = await firstStart(app, env);
  await app.listen(env.port, env.host);
  printWelcome(env, credentials);
}

/** Warns about misspelled settings, because they have no effect. */
export function warnOfUnknownSettings(env: Env, log: Logger): void {
  for (const { name, likely } of env.unknownSettings) {
    log.warn({ variable: name }, `${name} is not a setting and has no effect; ${likely} has a similar name`);
  }
}

/** Prepares the database once for several processes that will serve it; serves no requests itself. */
export async function prepare(env: Env): Promise<Credentials | null> {
  const quiet = { ...env, jobs: false, ledgerCheckpoints: false, databaseReplicaUrl: null, errorReporter: null };
  const dataSource = await prepared(env);
  const app = await createApp({ env: quiet, log: createServiceLog(env), dataSource });
  await app.init();
  try {
    return await firstStart(app, env);
  } finally {
    await app.close();
  }
}

/** Serves as one of several processes on a port. The primary process stops it, and it stops if the primary process ends. */
export async function serveInCluster(env: Env): Promise<void> {
  const log = createServiceLog(env).child({ worker: cluster.worker?.id });
  logCrashes(log);
  const telemetry = await startTelemetry(env, log);
  const app = await createApp({ env, log, dataSource: await connect(env), telemetry });
  app.get(ErrorReports).reportCrashes();
  const stop = stopper(app, { log, telemetry });
  // Ctrl-C reaches every process of the terminal; the primary process passes it on once.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', stop).on('disconnect', stop);
  await app.listen(env.port, env.host);
}

async function prepared(env: Env): Promise<DataSource> {
  const started = performance.now();
  const report = await prepareSchema(env);
  printStep(titleOf(report), performance.now() - started);
  return connect(env);
}

function titleOf({ applied, schemaVersion, buildVersion }: SchemaReport): string {
  if (applied.length > 0) return `${applied.length} migrations`;
  return schemaVersion > buildVersion ? 'schema is newer and permits this build' : 'schema is up to date';
}

/** Finishes running requests and exits with 0; a second signal after at least two seconds ends the process immediately. */
function stopper(app: NestExpressApplication, { log, telemetry }: { log: Logger; telemetry: Telemetry }): () => void {
  let since: number | null = null;
  return () => {
    if (since !== null) {
      // npm and the terminal both pass on the first signal.
      if (performance.now() - since > 2_000) process.exit(1);
      return;
    }
    since = performance.now();
    log.info('stopping');
    const ended = drain(app).then(
      () => 0,
      (error: unknown) => {
        log.error({ err: error }, 'the shutdown failed');
        return 1;
      },
    );
    void ended.then(async (code) => {
      await telemetry.close();
      log.flush(() => process.exit(code));
    });
  };
}
