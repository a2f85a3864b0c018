import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { serviceProgram } from '../../scripts/service.js';
import { readCredentials, tokenOf } from '../setup/credentials.js';
import { until } from './locked-table.js';

const running = new Set<ServiceProcess>();

/** Kills processes that a test left running, even a failed one. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((service) => service.end('SIGKILL')));
  running.clear();
}

/** The built service as in production, in one or several separate processes. */
export class ServiceProcess {
  output = '';
  private readonly ended: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    running.add(this);
    this.ended = once(child, 'exit').then(([code]) => code as number | null);
  }

  /** Starts the service on the database of this test file and waits until it is ready; `program` is that of another build. */
  static async start(env: Record<string, string> = {}, program?: string): Promise<ServiceProcess> {
    const service = await ServiceProcess.launch(env, program);
    await until(async () => {
      if (service.child.exitCode !== null)
        throw new Error(`It ended with ${service.child.exitCode}: ${service.output}`);
      return service.output.includes('Ready.');
    });
    return service;
  }

  static async launch(env: Record<string, string>, program = serviceProgram()): Promise<ServiceProcess> {
    const port = env['PORT'] ?? String(await freePort());
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, NODE_OPTIONS: '', JOBS: 'false', ...env, PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ServiceProcess(child, `http://127.0.0.1:${port}`);
  }

  /** Sends the staff token unless the path belongs to a platform surface. Throws if there is no response. */
  async get(path: string): Promise<Response> {
    const actor = /^\/(data|vault|realtime)\//.test(path) ? 'platform' : 'owner';
    const headers = { authorization: `Bearer ${tokenOf(readCredentials(), actor)}` };
    return fetch(`${this.url}${path}`, { headers });
  }

  /** The worker processes of the service, if there are several. */
  workers(): number[] {
    const { pid } = this.child;
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      return children.trim().split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /**
   * Sends the signal and waits for the end; returns the exit code. A killed leader cannot end its workers; they are
   * killed as well.
   */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const orphans = signal === 'SIGKILL' ? this.workers() : [];
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    const code = await this.ended;
    for (const pid of orphans) endNow(pid);
    return code;
  }
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Waits until the process has ended.
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}
