import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from '@jest/globals';
import pg from 'pg';
import { newProject, PROJECT, runScript, type Script } from '../launcher/folders.js';
import { until } from '../platform/locked-table.js';
import { ServiceProcess } from '../platform/service-process.js';

const CHANNELS = '/v1/admin/distribution/channels';
const INVOICES = '/v1/admin/finance/invoices';
const RENDITIONS = '/v1/admin/finance/invoice-renditions';

interface Integrity {
  conserved: boolean;
}

interface Verification {
  intact: boolean;
  breaks: unknown[];
  findings: { code: string }[];
}

/** The service on a separate database, which a test backs up and restores. */
export class Rehearsal {
  private readonly project = newProject();
  private service: ServiceProcess | null = null;

  /** `environment` applies to the service and the commands. */
  constructor(readonly environment: Record<string, string>) {
    // The commands connect as the service does.
    const tls = 'dist/src/platform/config/database-tls.js';
    mkdirSync(join(this.project, dirname(tls)), { recursive: true });
    cpSync(join(PROJECT, tls), join(this.project, tls));
  }

  async start(more: Record<string, string> = {}): Promise<void> {
    const service = await ServiceProcess.launch({ ...this.environment, JOBS: 'true', EMBEDDER: 'none', ...more });
    this.service = service;
    // A first start loads the demo data.
    const deadline = performance.now() + 150_000;
    while (!service.output.includes('Ready.')) {
      if (service.child.exitCode !== null || performance.now() > deadline) throw new Error(service.output);
      await pause(50);
    }
  }

  async stop(): Promise<void> {
    await this.service?.end();
    this.service = null;
  }

  async createChannel(name: string): Promise<string> {
    const { status, body } = await this.request<{ data: { id: string } }>('POST', CHANNELS, { name });
    expect(status).toBe(201);
    return body.data.id;
  }

  async channelStatus(id: string): Promise<number> {
    return (await this.request('GET', `${CHANNELS}/${id}`)).status;
  }

  /** Renders an invoice of the demo data and returns the id of the rendition. */
  async render(): Promise<string> {
    const { body: page } = await this.request<{ data: { id: string; number: string | null }[] }>('GET', INVOICES);
    const invoice = page.data.find(({ number }) => number !== null);
    const path = `${INVOICES}/${invoice?.id}/renditions`;
    const { status, body } = await this.request<{ data: { id: string } }>('POST', path, { format: 'html' });
    expect(status).toBe(202);
    await until(async () => (await this.download(body.data.id)) !== null);
    return body.data.id;
  }

  /** Downloads the bytes of a rendition; null while it is being rendered. */
  async download(id: string): Promise<Buffer | null> {
    const answer = await this.send('GET', `${RENDITIONS}/${id}/download`);
    if (answer.status === 409) return null;
    expect(answer.status).toBe(302);
    const link = new URL(answer.headers.get('location') ?? '', this.service?.url);
    const file = await fetch(new URL(`${link.pathname}${link.search}`, this.service?.url));
    expect(file.status).toBe(200);
    return Buffer.from(await file.arrayBuffer());
  }

  async isConserved(): Promise<boolean> {
    const { body } = await this.request<{ data: Integrity }>('GET', '/v1/admin/finance/integrity');
    expect(body).toMatchObject({ data: { conserved: expect.any(Boolean) } });
    return body.data.conserved;
  }

  /** Returns the value of a metric without labels; null if it is absent. */
  async metric(name: string): Promise<number | null> {
    const text = await (await this.send('GET', '/metrics')).text();
    const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
    return value === undefined ? null : Number(value);
  }

  async verifyLedger(): Promise<Verification> {
    return (await this.request<{ data: Verification }>('GET', '/v1/admin/action-ledger/verify')).body.data;
  }

  /** Runs the command as an operator does. */
  async run(script: 'backup' | 'restore', words: string[] = []): Promise<{ code: number | string; output: string }> {
    const run = runScript(this.project, ['scripts/platform.js', script, ...words], this.environment);
    const code = await run.end();
    return { code, output: run.output() };
  }

  begin(script: 'backup' | 'restore', words: string[] = []): Script {
    return runScript(this.project, ['scripts/platform.js', script, ...words], this.environment);
  }

  /** Runs the command with `--json`, and returns the printed JSON. */
  async succeed<T>(script: 'backup' | 'restore', words: string[] = []): Promise<T> {
    const run = runScript(this.project, ['scripts/platform.js', script, ...words, '--json'], this.environment);
    if ((await run.end()) !== 0) throw new Error(run.output());
    return JSON.parse(run.standardOutput()) as T;
  }

  /** Runs a command of the service. */
  async command(words: string[]): Promise<{ code: number; output: string }> {
    const child = spawn(process.execPath, [join(PROJECT, 'scripts/built-platform.js'), ...words], {
      env: { ...process.env, NODE_OPTIONS: '', ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  }

  private async request<T>(method: string, path: string, body?: object): Promise<{ status: number; body: T }> {
    const answer = await this.send(method, path, body);
    return { status: answer.status, body: (await answer.json()) as T };
  }

  private async send(method: string, path: string, body?: object): Promise<Response> {
    const { staff } = JSON.parse(
      readFileSync(join(this.environment['DATA_DIR'] ?? '', 'credentials.json'), 'utf8'),
    ) as { staff: { token: string } };
    const headers = { authorization: `Bearer ${staff.token}`, 'content-type': 'application/json' };
    const init = { method, headers, redirect: 'manual' as const };
    return fetch(`${this.service?.url}${path}`, body ? { ...init, body: JSON.stringify(body) } : init);
  }
}

/** Tables whose rows a crash deletes by design. */
const UNLOGGED = 'u';

/** This schema represents the system of another company, which no backup contains. */
const OF_OTHERS = 'simulated_provider';

/** The number of rows of every table, by name. */
export async function countRows(url: string): Promise<Record<string, number>> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where relkind = 'r' and relpersistence <> $1 and nspname !~ '^pg_' and nspname not in ('information_schema', $2)
        order by 1`,
      [UNLOGGED, OF_OTHERS],
    );
    const counts: Record<string, number> = {};
    for (const { name } of rows) {
      const { rows: counted } = await client.query<{ count: number }>(`select count(*)::int as count from ${name}`);
      counts[name] = counted[0]?.count ?? -1;
    }
    return counts;
  });
}

export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
