import { Connection, ConnectionLost } from '../../fuzz/connection.js';
import type { Draft } from '../../fuzz/draft.js';
import { bytesOf, type Tokens, written } from '../../fuzz/request.js';
import { MeasuredProcess, type Reading } from './measured-process.js';

/** One request to measure. */
export interface RequestCase {
  readonly operation: string;
  /** The unusual property of the request, for people. */
  readonly shape: string;
  /** The request; `unique` distinguishes repetitions, so that each can create a resource. */
  draft(unique: string): Draft;
}

export interface Measured {
  readonly operation: string;
  readonly shape: string;
  readonly bearer: Draft['bearer'];
  /** Bytes on the wire. */
  readonly bytes: number;
  /** Is 0 if the service closed the connection before the whole request was sent. */
  readonly status: number;
  /** Time for which the event loop was blocked, without the time in which the process had no CPU. */
  readonly blockedMs: number;
  readonly cpuMs: number;
  readonly limitMs: number;
}

const LIMIT_MS = 50;
/** The maximum delay of the control process on an idle machine. */
const IDLE_DELAY_MS = 10;
/** The CPU time of the control's fixed work up to which the limit is `LIMIT_MS`. */
const FAST_WORK_MS = 5;
/** A delay is caused by the request if it occurs in each of this number of repetitions. */
const REPETITIONS = 10;

/** Sends requests one at a time and measures how long each blocks the service's event loop. */
export class CostMeter {
  /** Requests whose response is not documented. */
  readonly failures: string[] = [];
  private readonly connection: Connection;
  private sent = 0;

  private constructor(
    readonly service: MeasuredProcess,
    private readonly control: MeasuredProcess,
    private readonly tokens: Tokens,
  ) {
    this.connection = new Connection(new URL(service.url));
  }

  static async start(tokens: Tokens, env: Record<string, string>): Promise<CostMeter> {
    const [service, control] = await Promise.all([
      MeasuredProcess.start('server-process.js', env),
      MeasuredProcess.start('control-process.js'),
    ]);
    return new CostMeter(service, control, tokens);
  }

  /**
   * Repeats a request above the limit, because the host or a garbage collection may be the reason; the cheapest counts.
   * The limit of one that stays above it grows with the time that the control needs for its work at that moment.
   */
  async measure(request: RequestCase): Promise<Measured> {
    let cheapest = await this.once(request);
    for (let count = 1; count < REPETITIONS && isAbove(cheapest); count += 1) {
      const again = await this.once(request);
      if (excess(again) < excess(cheapest)) cheapest = again;
    }
    if (!isAbove(cheapest)) return cheapest;
    const slowness = Math.max(1, (await this.control.work()) / FAST_WORK_MS);
    return { ...cheapest, limitMs: Math.max(cheapest.limitMs, LIMIT_MS * slowness) };
  }

  close(): void {
    this.connection.close();
  }

  private async once({ operation, shape, draft: make }: RequestCase): Promise<Measured> {
    const draft = make(`c${(this.sent += 1).toString(36)}`);
    // One client per request, as the limits of addresses are not measured here.
    if (!draft.headers.some(([name]) => name === 'X-Forwarded-For')) {
      draft.headers.push(['X-Forwarded-For', `10.${this.sent >> 16}.${(this.sent >> 8) & 255}.${this.sent & 255}`]);
    }
    const bytes = bytesOf(written(draft, `cost-${this.sent}-request`), this.tokens);
    await this.readings();
    const { status, text } = await this.answer(bytes, draft);
    const [own, control] = await this.readings();
    if (status >= 500 && status !== 503)
      this.failures.push(`${operation}: ${shape} -> ${status} ${text.slice(0, 200)}`);
    return {
      operation,
      shape,
      bearer: draft.bearer,
      bytes: bytes.length,
      status,
      blockedMs: Math.min(own.delayMs, own.cpuMs),
      cpuMs: own.cpuMs,
      limitMs: LIMIT_MS * Math.max(1, control.delayMs / IDLE_DELAY_MS),
    };
  }

  private readings(): Promise<[service: Reading, control: Reading]> {
    return Promise.all([this.service.reading(), this.control.reading()]);
  }

  /** A service that rejects a request need not read all of it. */
  private async answer(bytes: Buffer, { method }: Draft): Promise<{ status: number; text: string }> {
    try {
      return await this.connection.send(bytes, { method, mayClose: false });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return { status: 0, text: error.message };
    }
  }
}

function isAbove(request: Measured): boolean {
  return excess(request) > 1;
}

function excess({ blockedMs, limitMs }: Measured): number {
  return blockedMs / limitMs;
}
