import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Env } from '../platform/config/env.js';
import { createServiceLog, logCrashes } from '../platform/observability/log.js';
import { aggregateMetrics } from '../platform/observability/cluster-metrics.js';
import { prepare, warnOfUnknownSettings } from './serving.js';
import { printStep, printWelcome } from './welcome.js';

/** A process that exits within this time would probably exit again immediately, so its replacement is delayed. */
const MIN_UPTIME_MS = 5_000;
const REPLACEMENT_DELAY_MS = 1_000;
/** Time after the drain before a process is killed; longer than `drain()` and the telemetry need. */
const KILL_AFTER_MS = 22_000;

/** Prepares the database once, then runs `WEB_CONCURRENCY` processes on one port until it is stopped. */
export async function startCluster(env: Env): Promise<void> {
  const credentials = await prepare(env);
  const started = performance.now();
  aggregateMetrics();
  const log = createServiceLog(env);
  logCrashes(log);
  warnOfUnknownSettings(env, log);
  await new WorkerSupervisor(env, log).launch();
  printStep(`${env.webConcurrency} processes`, performance.now() - started);
  printWelcome(env, credentials);
}

class WorkerSupervisor {
  private isStarted = false;
  private isStopping = false;

  constructor(
    private readonly env: Env,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves when every process listens. If one exits before that, it has logged the reason, and all exit with its code.
   */
  async launch(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => this.stop());
    const count = this.env.webConcurrency;
    await Promise.all(Array.from({ length: count }, () => this.add()));
    this.isStarted = true;
  }

  private add(): Promise<void> {
    const worker = cluster.fork();
    const forkedAt = performance.now();
    worker.on('exit', (code) => {
      const exitedEarly = performance.now() - forkedAt < MIN_UPTIME_MS;
      void this.replace(worker, { code, exitedEarly });
    });
    return new Promise((resolve) => worker.once('listening', () => resolve()));
  }

  /** Replaces a worker that has exited; during the start, or while stopping, the others end as well. */
  private async replace({ id }: Worker, { code, exitedEarly }: { code: number; exitedEarly: boolean }): Promise<void> {
    if (this.isStopping) {
      if (liveWorkers().length === 0) this.log.flush(() => process.exit(process.exitCode ?? 0));
    } else if (this.isStarted) {
      this.log.warn({ worker: id, code }, 'a worker process exited and is replaced');
      if (exitedEarly) await pause(REPLACEMENT_DELAY_MS);
      if (!this.isStopping) await this.add();
    } else {
      process.exitCode = code || 1;
      this.stop();
    }
  }

  private stop(): void {
    this.isStopping = true;
    if (liveWorkers().length === 0) process.exit(process.exitCode ?? 0);
    for (const worker of liveWorkers()) worker.process.kill('SIGTERM');
    setTimeout(
      () => {
        for (const worker of liveWorkers()) worker.process.kill('SIGKILL');
      },
      this.env.drainSeconds * 1000 + KILL_AFTER_MS,
    ).unref();
  }
}

function liveWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => (worker && !worker.isDead() ? [worker] : []));
}
