import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Metrics } from './metrics.js';

/** Interval of the monitor's timer in milliseconds; its lateness is the delay. */
const RESOLUTION_MS = 10;
const WINDOW_MS = 100;

/** Measures the delay of the event loop, which every response has to wait for. */
@Injectable()
export class EventLoop implements OnModuleInit, OnModuleDestroy {
  private readonly followers: ((delayMs: number) => void)[] = [];
  private readonly recent = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly sinceReading = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private window: NodeJS.Timeout | null = null;

  constructor(private readonly metrics: Metrics) {}

  /**
   * Calls the listener ten times a second with the 90th percentile of the delay since the last call, in milliseconds.
   */
  onWindow(follow: (delayMs: number) => void): void {
    this.followers.push(follow);
  }

  onModuleInit(): void {
    this.recent.enable();
    this.sinceReading.enable();
    this.window = setInterval(() => this.closeWindow(), WINDOW_MS).unref();
    const report = (name: string, help: string, read: () => number) =>
      this.metrics.gauge({ name: `event_loop_delay_${name}_seconds`, help, aggregator: 'max' }, read);
    report('p50', 'Median delay of the event loop since the last scrape', () => this.quantile(50) / 1000);
    report(
      'p99',
      '99th percentile of the delay of the event loop since the last scrape',
      () => this.quantile(99) / 1000,
    );
    // Read last, so it begins the next period.
    report('max', 'Longest delay of the event loop since the last scrape', () => this.takeLongest() / 1000);
  }

  onModuleDestroy(): void {
    if (this.window) clearInterval(this.window);
    this.recent.disable();
    this.sinceReading.disable();
  }

  private closeWindow(): void {
    const late = delayMs(this.recent, this.recent.percentile(90));
    this.recent.reset();
    for (const follow of this.followers) follow(late);
  }

  private quantile(percent: number): number {
    return delayMs(this.sinceReading, this.sinceReading.percentile(percent));
  }

  private takeLongest(): number {
    const longest = delayMs(this.sinceReading, this.sinceReading.max);
    this.sinceReading.reset();
    return longest;
  }
}

/** The monitor includes the interval; an empty histogram has meaningless values. */
function delayMs(histogram: IntervalHistogram, nanoseconds: number): number {
  return histogram.count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
}
