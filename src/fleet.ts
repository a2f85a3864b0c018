import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Env } from './platform/config/env.js';
import { createLog } from './platform/observability/log.js';
import { aggregateMetrics } from './platform/observability/cluster-metrics.js';
import { prepare } from './serving.js';
import { printStep, printWelcome } from './welcome.js';

/** A process that ends sooner than that after its birth would only end again: its successor waits. */
const YOUNG_MS = 5_000;
const SUCCEED_AFTER_MS = 1_000;
/** Beyond the drain: how long a process may take over what it is doing. */
const END_WITHIN_MS = 15_000;

/** Prepares the database once, then runs `WEB_CONCURRENCY` processes on one port until it is stopped. */
export async function startCluster(env: Env): Promise<void> {
  const credentials = await prepare(env);
  const started = performance.now();
  aggregateMetrics();
  await new Fleet(env, createLog(env.logLevel)).launch();
  printStep(`${env.webConcurrency} processes`, performance.now() - started);
  printWelcome(env, credentials);
}

class Fleet {
  private isComplete = false;
  private isStopping = false;

  constructor(
    private readonly env: Env,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves when every process listens. If one ends before that, it has logged why, and all end with its exit code.
   */
  async launch(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => this.stop());
    const count = this.env.webConcurrency;
    await Promise.all(Array.from({ length: count }, () => this.add()));
    this.isComplete = true;
  }

  private add(): Promise<void> {
    const worker = cluster.fork();
    const born = performance.now();
    worker.on('exit', (code) => void this.bury(worker, { code, isYoung: performance.now() - born < YOUNG_MS }));
    return new Promise((resolve) => worker.once('listening', () => resolve()));
  }

  private async bury({ id }: Worker, { code, isYoung }: { code: number; isYoung: boolean }): Promise<void> {
    if (this.isStopping) {
      if (living().length === 0) this.log.flush(() => process.exit(process.exitCode ?? 0));
    } else if (this.isComplete) {
      this.log.warn({ worker: id, code }, 'a process has ended and is replaced');
      if (isYoung) await pause(SUCCEED_AFTER_MS);
      if (!this.isStopping) await this.add();
    } else {
      process.exitCode = code || 1;
      this.stop();
    }
  }

  private stop(): void {
    this.isStopping = true;
    if (living().length === 0) process.exit(process.exitCode ?? 0);
    for (const worker of living()) worker.process.kill('SIGTERM');
    setTimeout(
      () => {
        for (const worker of living()) worker.process.kill('SIGKILL');
      },
      this.env.drainSeconds * 1000 + END_WITHIN_MS,
    ).unref();
  }
}

function living(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => (worker && !worker.isDead() ? [worker] : []));
}
