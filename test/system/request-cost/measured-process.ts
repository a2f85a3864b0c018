import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { closeAfterTests } from '../../setup/running.js';

/** The values of a process since the last reading. */
export interface Reading {
  /** The longest time that its event loop was blocked. */
  readonly delayMs: number;
  /** CPU time of all its threads. */
  readonly cpuMs: number;
}

export interface Memory {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
}

/** A process that watches its own event loop (loop-probe.js). It ends with the test file. */
export class MeasuredProcess {
  private constructor(
    private readonly child: ChildProcess,
    /** The URL of the service; empty for the control. */
    readonly url: string,
  ) {}

  static async start(script: string, env: Record<string, string> = {}): Promise<MeasuredProcess> {
    const child = fork(join(import.meta.dirname, script), {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      execArgv: ['--expose-gc'],
    });
    closeAfterTests(async () => {
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    });
    const { url = '' } = await answerOf<{ url?: string }>(child);
    return new MeasuredProcess(child, url);
  }

  /** Starts the next period. */
  reading(): Promise<Reading> {
    return this.ask('reading');
  }

  /** Returns the memory in use after a forced garbage collection. */
  memory(): Promise<Memory> {
    return this.ask('memory');
  }

  /** Measures the current CPU time of the control's fixed work. */
  async work(): Promise<number> {
    return (await this.ask<{ workMs: number }>('work')).workMs;
  }

  private ask<Answer>(question: 'reading' | 'memory' | 'work'): Promise<Answer> {
    const answer = answerOf<Answer>(this.child);
    this.child.send(question);
    return answer;
  }
}

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const abort = new AbortController();
  const ended = once(child, 'exit', { signal: abort.signal }).then(([code]) => {
    throw new Error(`The process ended with ${String(code)}`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal: abort.signal }), ended])) as [Answer];
    return message;
  } finally {
    abort.abort();
    ended.catch(() => undefined);
  }
}
