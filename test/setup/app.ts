import type { NestExpressApplication } from '@nestjs/platform-express';
import { Agent, type Server } from 'node:http';
import pg from 'pg';
import { connect } from '../../src/bootstrap/boot.js';
import { createApp } from '../../src/bootstrap/configure-app.js';
import { Clock } from '../../src/platform/clock/clock.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { createLog } from '../../src/platform/observability/log.js';
import { readContract, TestClient } from './client.js';
import type { Contract } from './contract/contract.js';
import { type Actor, type Credentials, readCredentials, tokenOf } from './credentials.js';
import { freshCopy, type TestRun } from './databases.js';
import { closeAfterTests } from './running.js';
import { serviceEnv } from './service-env.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SWEEP_MS = 1_000;

/** An application that several files of a worker use; its wrapper is made for each file. */
interface SharedApplication {
  nest: NestExpressApplication;
  variables: Record<string, string>;
  logs: string[];
}

/** Both are kept between files: see environment.js. */
declare const worker: { contract?: Contract; applications: Map<string, SharedApplication> };
declare const sharesApplication: boolean;

export interface Overrides {
  /** Environment variables that override service-env.js for this application only. */
  env?: Record<string, string>;
}

/** The built service in this process, on a separate port. Sends no credential unless `as` or `with` set one. */
export class TestApp extends TestClient {
  private readonly pool = new pg.Pool({ connectionString: process.env.MIGRATION_DATABASE_URL, max: 2 });
  /**
   * Stops the service and releases the resources of this object; the harness calls it after the last test of the file.
   */
  readonly close: () => Promise<void> = closeAfterTests(() => this.end());

  constructor(
    connection: ConstructorParameters<typeof TestClient>[0],
    /** Serves actions that HTTP does not offer, such as running a job now. */
    readonly nest: NestExpressApplication,
    /** Every line that the service logged, as JSON text; the level is `LOG_LEVEL`, silent unless overridden. */
    readonly logs: readonly string[],
  ) {
    super(connection);
  }

  /** The credentials that the first start with demo data created and stored. */
  get credentials(): Credentials {
    return readCredentials();
  }

  /** The same service with the credential of an actor of the demo data. */
  as(actor: Actor): TestClient {
    return this.with(tokenOf(this.credentials, actor));
  }

  /** Reads (or prepares) the database of this worker without the service, as the owner of its tables. */
  async sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(text, values);
    return rows;
  }

  /** Moves the clock of the service, forwards or (negative) backwards, in addition to earlier moves. */
  travel({ days = 0, hours = 0, ms = 0 }: { days?: number; hours?: number; ms?: number }): void {
    this.nest.get(Clock).travel((days * 24 + hours) * HOUR_MS + ms);
  }

  /** The time by the clock of the service. */
  now(): Date {
    return this.nest.get(Clock).now();
  }

  /** The calendar day of the organization `offset` days after today, by the clock of the service: `YYYY-MM-DD`. */
  day(offset = 0): string {
    return new Date(Date.parse(this.nest.get(Clock).today()) + offset * DAY_MS).toISOString().slice(0, 10);
  }

  private async end(): Promise<void> {
    this.connection.agent.destroy();
    if (!sharesApplication) await this.endService();
    await this.pool.end();
  }

  private async endService(): Promise<void> {
    const server: Server = this.nest.getHttpServer();
    // fetch opens a connection in place of one that it closed; unused, it is never idle for Node and keeps the server
    // open.
    const sweep = setInterval(() => server.closeAllConnections(), SWEEP_MS);
    await this.nest.close();
    clearInterval(sweep);
  }
}

/**
 * The built service on the database of this worker: started for this file and closed after its last test, or shared by
 * files with the same overrides (see environment.js).
 */
export async function startApp({ env = {} }: Overrides = {}): Promise<TestApp> {
  const { nest, logs } = sharesApplication ? await sharedApplication(env) : await start(env);
  const agent = new Agent({ keepAlive: true });
  try {
    const url = new URL(await nest.getUrl());
    return new TestApp({ url, agent, contract: await contractOf(url, agent, env) }, nest, logs);
  } catch (error) {
    // Its pool and timers would keep the run from ending, long after the test that failed.
    agent.destroy();
    if (!sharesApplication) await nest.close();
    throw error;
  }
}

async function sharedApplication(overrides: Record<string, string>): Promise<SharedApplication> {
  const key = JSON.stringify(overrides);
  const known = worker.applications.get(key);
  if (known) {
    Object.assign(process.env, known.variables);
    return known;
  }
  const run = JSON.parse(process.env.TEST_RUN ?? '') as TestRun;
  const database = `${run.run}_s${process.env.JEST_WORKER_ID}_${worker.applications.size}`;
  const variables = serviceEnv(run, await freshCopy(run, database, run.withoutCatalog));
  Object.assign(process.env, variables);
  const application = { ...(await start(overrides)), variables };
  worker.applications.set(key, application);
  return application;
}

async function start(overrides: Record<string, string>): Promise<Pick<SharedApplication, 'nest' | 'logs'>> {
  const env = readEnv({ ...process.env, ...overrides });
  const logs: string[] = [];
  const log = createLog(env.logLevel, { write: (line) => void logs.push(line) });
  const nest = await createApp({ env, log, dataSource: await connect(env) });
  try {
    await nest.listen(0, '127.0.0.1');
    return { nest, logs };
  } catch (error) {
    await nest.close();
    throw error;
  }
}

/** Every application of a worker serves the document of one build, unless it serves fewer surfaces. */
async function contractOf(url: URL, agent: Agent, overrides: Record<string, string>): Promise<Contract> {
  if ('SURFACES' in overrides) return readContract(url, agent);
  return (worker.contract ??= await readContract(url, agent));
}
