// @ts-check
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../scripts/embedded-postgres/index.js';
import { isFree } from '../scripts/ports.js';
import { ended, signal } from '../scripts/processes.js';

/** An embedded PostgreSQL with the durability of production, which may be killed. */
export class OwnDatabase {
  /** @param {string} dataDir @param {import('../scripts/embedded-postgres/index.js').PostgresServer} server */
  constructor(dataDir, server) {
    this.dataDir = dataDir;
    this.server = server;
  }

  /** @param {string} folder */
  static async start(folder) {
    const dataDir = join(folder, 'postgres');
    return new OwnDatabase(dataDir, await startPostgres({ dataDir }));
  }

  get ownerUrl() {
    return this.server.ownerUrl;
  }

  get url() {
    return this.server.url;
  }

  /** kill -9 of the postmaster; its processes then end without writing anything. */
  async kill() {
    signal(this.server.pid, 'SIGKILL');
    if (!(await ended(this.server.pid, 10_000)))
      throw new Error(`PostgreSQL ${this.server.pid} has not ended after kill -9`);
    await this.server.stop();
  }

  /** Starts it on the same port, and waits until it accepts queries. */
  async startAgain() {
    const { port } = this.server;
    while (!(await isFree(port, '127.0.0.1'))) await pause(20);
    this.server = await startPostgres({ dataDir: this.dataDir, port });
  }

  async stop() {
    await this.server.stop();
  }
}
