import { appendFileSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { belongsToBaseCopy } from '../../scripts/embedded-postgres/base-copy.js';
import { launchPostmaster, stopPostmaster } from '../../scripts/embedded-postgres/postmaster.js';
import { findPrograms, packagedServer } from '../../scripts/embedded-postgres/programs.js';
import { giveTo, serverUserFor } from '../../scripts/embedded-postgres/server-user.js';
import { ended, isAlive } from '../../scripts/processes.js';
import { query } from './own-server.js';
import { until } from './locked-table.js';
import { freePort } from './service-process.js';

const SLOT = 'replica';

/**
 * A streaming replica of an embedded server. The package has no pg_basebackup: the data is copied between `pg_backup_start` and
 * `pg_backup_stop`. The caller stops it.
 */
export class ReplicaServer {
  private pid = 0;

  private constructor(
    private readonly area: string,
    private readonly port: number,
    private readonly superuserUrl: string,
  ) {}

  /** `dataDir`: of the primary, as given to `startPostgres`. */
  static async start(primary: { dataDir: string; superuserUrl: string }, area: string): Promise<ReplicaServer> {
    const { major } = packagedServer();
    const [source, cluster] = [join(resolve(primary.dataDir), major), join(area, major)];
    mkdirSync(cluster, { recursive: true, mode: 0o711 });
    // The launcher's own rules let no client replicate the server.
    appendFileSync(join(source, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
    await query(primary.superuserUrl, 'select pg_reload_conf()');
    await copyData(source, cluster, primary.superuserUrl);
    follow(cluster, primary.superuserUrl);
    giveTo(serverUserFor(source), cluster);
    const replica = new ReplicaServer(area, await freePort(), primary.superuserUrl);
    await replica.launch();
    return replica;
  }

  /** The same database and role on the replica. */
  urlOf(primaryUrl: string): string {
    return Object.assign(new URL(primaryUrl), { port: String(this.port) }).href;
  }

  /** Runs a statement as the superuser in this database. */
  sql<Row extends pg.QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> {
    return query<Row>(Object.assign(new URL(this.urlOf(this.superuserUrl)), { pathname: `/${database}` }).href, text);
  }

  /** Starts it, also again after `stop`, and waits until it accepts connections. */
  async launch(): Promise<void> {
    const { area, port } = this;
    const cluster = join(area, packagedServer().major);
    const user = serverUserFor(cluster);
    const { postgres } = findPrograms(packagedServer(), { area, user });
    const logFile = join(area, 'postgres.log');
    const server = launchPostmaster(cluster, { postgres, user, port, durable: false, logFile });
    this.pid = server.pid;
    await until(async () => {
      if (!isAlive(server.pid)) throw new Error(`The replica ended: ${server.output()}`);
      return this.sql('select').then(
        () => true,
        () => false,
      );
    });
  }

  async stop(): Promise<void> {
    if (this.pid && isAlive(this.pid)) await stopPostmaster(this.pid);
    await ended(this.pid, 1_000);
  }

  /** Stops the replica permanently; the primary no longer keeps data for it. */
  async remove(): Promise<void> {
    await this.stop();
    await query(this.superuserUrl, `select pg_drop_replication_slot('${SLOT}')`);
  }
}

async function copyData(source: string, cluster: string, superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    // The primary keeps data that the replica has not received yet.
    await client.query('select pg_create_physical_replication_slot($1, true)', [SLOT]);
    await client.query('select pg_backup_start($1, true)', [SLOT]);
    copyRunning(source, cluster);
    mkdirSync(join(cluster, 'pg_wal/archive_status'), { recursive: true });
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

/** Copies the data of a running server, without files that it deletes meanwhile; the log also contains the deletions. */
function copyRunning(source: string, target: string, below = ''): void {
  mkdirSync(join(target, below), { recursive: true });
  for (const entry of ifExists(() => readdirSync(join(source, below), { withFileTypes: true })) ?? []) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (!belongsToBaseCopy(path)) continue;
    if (entry.isDirectory()) copyRunning(source, target, path);
    else if (entry.isFile()) ifExists(() => copyFileSync(join(source, path), join(target, path)));
  }
}

function ifExists<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function follow(cluster: string, superuserUrl: string): void {
  const { username, password, port } = new URL(superuserUrl);
  const primary = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
  appendFileSync(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = '${primary}'\nprimary_slot_name = '${SLOT}'\nwal_receiver_status_interval = 1\nwal_retrieve_retry_interval = 200\n`,
  );
  writeFileSync(join(cluster, 'standby.signal'), '');
}
