import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { newFolder } from '../launcher/folders.js';
import { closeAfterTests } from '../setup/running.js';

/** Starts a new database server for one test file, for tests that would change the server of all tests. */
export class OwnServer {
  private constructor(
    readonly server: Awaited<ReturnType<typeof startPostgres>>,
    /** A folder for other files, which the user of the server can read. */
    readonly folder: string,
  ) {}

  static async start(): Promise<OwnServer> {
    const folder = newFolder({ open: true });
    const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
    closeAfterTests(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    return new OwnServer(server, folder);
  }

  /** Runs a statement as the superuser. */
  async sql<Row extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> {
    return query<Row>(this.urlOf({ database }), text);
  }

  /** With the same password for every role, if `passwords` set it. */
  urlOf({ role, database, host }: { role?: string; database: string; host?: string }, parameters = ''): string {
    const url = new URL(this.server.superuserUrl);
    if (role) Object.assign(url, { username: role, password: PASSWORD });
    if (host) url.hostname = host;
    url.pathname = `/${database}`;
    return `${url.href}${parameters && '?'}${parameters}`;
  }

  /** Writes a file for the test; returns its path. */
  write(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  async setPasswords(...roles: string[]): Promise<void> {
    for (const role of roles) await this.sql(`alter role ${role} password '${PASSWORD}'`);
  }
}

const PASSWORD = randomBytes(18).toString('hex');

export async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(text);
    return Array.isArray(result) ? [] : result.rows;
  } finally {
    await client.end();
  }
}
