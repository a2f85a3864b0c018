import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { findContext } from '../context/request-context.js';
import { LOG } from './log.js';
import { Metrics } from './metrics.js';
import { ReadinessCheck } from './readiness.js';

const EVERY_MS = 2_000;

type Store = 'database' | 'files';

/**
 * The stores whose disk is full. A test write is tried until it succeeds: without requests, free space would not be detected
 * otherwise. The process is not ready only if the database has no space; most requests need no file.
 */
@Injectable()
export class DiskSpace implements OnApplicationShutdown {
  private readonly full = new Map<Store, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    @Inject(LOG) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const help = '1 while the disk of this store is full and writes are rejected';
    metrics.gaugeOf({ name: 'disk_full', help, label: 'store' }, () =>
      [...this.full.keys()].map((store) => [store, 1]),
    );
  }

  @ReadinessCheck('disk')
  hasSpace(): boolean {
    return !this.isFull('database');
  }

  isFull(store: Store): boolean {
    return this.full.has(store);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.full.values());
  }

  /** `tryWrite` must need new space and release it. */
  reportFull(store: Store, error: unknown, tryWrite: () => Promise<void>): void {
    if (this.full.has(store) || this.stopping.signal.aborted) return;
    const { requestId } = findContext() ?? {};
    this.log.error({ err: error, store, requestId }, 'the disk is full: writes are rejected until there is space');
    this.full.set(store, this.waitForSpace(store, tryWrite));
  }

  private async waitForSpace(store: Store, tryWrite: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const works = await tryWrite().then(
        () => true,
        () => false,
      );
      if (works) break;
    }
    this.full.delete(store);
    this.log.info({ store }, 'the disk has space again');
  }
}
