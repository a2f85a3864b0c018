import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { send } from '../../setup/http.js';

/** A request that the bystander repeats; the service must answer it with 2xx. */
export interface Errand {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
}

/** The result of one request of the bystander. */
export interface Served {
  readonly name: string;
  readonly status: number;
  readonly ms: number;
  readonly during: string;
}

/** Much shorter than a burst. Logins in close succession would use a core for their hashes, which slows the bursts. */
const PAUSE_MS = 100;
/** Its own address, behind the trusted proxy of the test. */
const ADDRESS = { 'X-Forwarded-For': '203.0.113.9' };

/** A well-behaved caller of a service that others attack. */
export class Bystander {
  readonly served: Served[] = [];
  /** The operation that is under attack. */
  during = '';
  private readonly agent = new Agent({ keepAlive: true });
  private isStopped = false;
  private rounds: Promise<void> | null = null;

  constructor(
    private readonly url: URL,
    private readonly errands: readonly Errand[],
  ) {}

  start(): void {
    this.rounds = this.run();
  }

  async stop(): Promise<readonly Served[]> {
    this.isStopped = true;
    await this.rounds;
    this.agent.destroy();
    return this.served;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      for (const errand of this.errands) await this.serve(errand);
      await setTimeout(PAUSE_MS);
    }
  }

  private async serve({ name, ...call }: Errand): Promise<void> {
    const { during } = this;
    const began = performance.now();
    const { status } = await send(this.agent, this.url, { ...call, headers: ADDRESS });
    this.served.push({ name, status, ms: performance.now() - began, during });
  }
}
