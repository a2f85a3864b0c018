import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverUserFor } from '../../scripts/embedded-postgres/server-user.js';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { closeAfterTests } from '../setup/running.js';
import { until } from './locked-table.js';
import { query } from './own-server.js';
import { freePort } from './service-process.js';

const PROGRAM = process.env['PGBOUNCER'] ?? 'pgbouncer';
const OLDEST_MINOR = 21;

/** Whether the variable PGBOUNCER or the PATH names PgBouncer 1.21 or newer. */
export function isInstalled(): boolean {
  const { stdout } = spawnSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  const [, major = 0, minor = 0] = (/PgBouncer (\d+)\.(\d+)/.exec(stdout ?? '') ?? []).map(Number);
  return major > 1 || (major === 1 && minor >= OLDEST_MINOR);
}

/** PgBouncer with the settings of deploy/pgbouncer/pgbouncer.ini, except addresses, TLS and those given, before one database. */
export class PgBouncer {
  private child: ChildProcess | null = null;
  private output = '';
  private readonly folder = newFolder({ open: true });

  private constructor(
    /** The address of the database through PgBouncer. */
    readonly url: string,
    private readonly database: URL,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(databaseUrl: string, settings: Record<string, string> = {}): Promise<PgBouncer> {
    const database = new URL(databaseUrl);
    const port = await freePort();
    const { href } = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` });
    const pooler = new PgBouncer(href, database, { listen_port: String(port), ...settings });
    closeAfterTests(async () => {
      await pooler.stop();
      rmSync(pooler.folder, { recursive: true, force: true });
    });
    pooler.configure();
    await pooler.launch();
    return pooler;
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Waits until it accepts connections. */
  async launch(): Promise<void> {
    const { identity } = serverUserFor(this.folder);
    const child = spawn(PROGRAM, [this.file('pgbouncer.ini')], { ...identity, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.child = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${this.output}`);
      return this.admin('show version').then(
        () => true,
        () => false,
      );
    });
  }

  /** Runs a command of its console. */
  async admin<Row extends Record<string, unknown>>(command: string): Promise<Row[]> {
    const console = new URL(this.url);
    console.pathname = '/pgbouncer';
    return query<Row>(console.href, command);
  }

  private configure(): void {
    const { hostname, port, pathname, username, password } = this.database;
    const name = pathname.slice(1);
    const settings = {
      listen_addr: '127.0.0.1',
      unix_socket_dir: '',
      // With SCRAM each login would cost PgBouncer milliseconds, and a busy machine more.
      auth_type: 'plain',
      auth_file: this.file('userlist.txt'),
      admin_users: username,
      server_tls_sslmode: 'disable',
      client_tls_sslmode: 'disable',
      ...this.settings,
    };
    // A section that appears again would begin with the defaults.
    const ini = readFileSync(join(PROJECT, 'deploy/pgbouncer/pgbouncer.ini'), 'utf8')
      .replace(/^travel = .*$/m, `${name} = host=${hostname} port=${port || 5432} dbname=${name}`)
      .replace(new RegExp(`^(${Object.keys(settings).join('|')}) = .*\\n`, 'gm'), '');
    const own = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
    writeFileSync(this.file('pgbouncer.ini'), ini + own.join(''));
    writeFileSync(this.file('userlist.txt'), `"${username}" "${decodeURIComponent(password)}"\n`, { mode: 0o600 });
    const { uid, gid } = serverUserFor(this.folder).identity;
    if (uid !== undefined && gid !== undefined) chownSync(this.file('userlist.txt'), uid, gid);
  }

  private file(name: string): string {
    return join(this.folder, name);
  }
}
