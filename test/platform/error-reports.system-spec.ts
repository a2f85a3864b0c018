import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceProgram } from '../../scripts/service.js';
import pg from 'pg';
import { readCredentials, tokenOf } from '../setup/credentials.js';
import { until } from './locked-table.js';
import { endAll, ServiceProcess } from './service-process.js';
import { PACKAGE_VERSION } from '../setup/package-version.js';

const CHANNELS = '/v1/admin/distribution/channels';
const NAME = 'Clara Marker';

let folder: string;
let owner: pg.Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'error-reports-'));
  owner = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
  await owner.connect();
  // No handler maps this class of errors, so the response is a 500.
  await owner.query(`
    create function fail_unexpectedly() returns trigger language plpgsql as $$
      begin raise exception 'unforeseen' using errcode = 'XX000', detail = new.name; end $$;
    create trigger fail_unexpectedly before insert on channels for each row execute function fail_unexpectedly()`);
});
afterEach(endAll);
afterAll(async () => {
  await owner.end();
  await rm(folder, { recursive: true });
});

/** A module of an operator, as a file of this name. */
async function reporter(name: string, code: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, code.replaceAll('REPORTS', JSON.stringify(join(folder, 'reports.jsonl'))));
  return file;
}

async function failingRequest(service: ServiceProcess): Promise<{ status: number; requestId: string | null }> {
  const answer = await fetch(`${service.url}${CHANNELS}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenOf(readCredentials(), 'owner')}`,
      'content-type': 'application/json',
      'x-request-id': 'reported-request-1',
      'user-agent': 'marker-agent/1',
    },
    body: JSON.stringify({ name: NAME, kind: 'website' }),
  });
  await answer.text();
  return { status: answer.status, requestId: answer.headers.get('x-request-id') };
}

const COMMONJS = `
  const { appendFileSync } = require('node:fs');
  exports.report = (error, details) => {
    const { name, message, stack, code, cause } = error;
    const isError = error instanceof Error;
    appendFileSync(REPORTS, JSON.stringify({ isError, name, message, stack, code, cause: String(cause), details }) + '\\n');
  };
  exports.close = async () => appendFileSync(REPORTS, '"closed"\\n');
`;
const MODULE = `
  import { appendFileSync } from 'node:fs';
  export async function report(error) {
    appendFileSync(REPORTS, JSON.stringify({ message: error.message }) + '\\n');
  }
`;
const FAILING = `exports.report = () => { throw new Error('the tracker is away'); };`;
const HANGING = `exports.report = () => new Promise(() => undefined);`;

async function reports(): Promise<unknown[]> {
  const file = join(folder, 'reports.jsonl');
  if (!existsSync(file)) return [];
  return (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

describe('ERROR_REPORTER', () => {
  afterEach(() => rm(join(folder, 'reports.jsonl'), { force: true }));

  it('the module receives an unexpected error with request id and route, without values', async () => {
    const file = await reporter('reporter.cjs', COMMONJS);
    const service = await ServiceProcess.start({ ERROR_REPORTER: file });
    expect(await failingRequest(service)).toEqual({ status: 500, requestId: 'reported-request-1' });
    await until(async () => (await reports()).length === 1);
    // Errors of the caller are not reported.
    expect((await service.get('/v1/admin/distribution/channels/nothing')).status).toBe(404);
    expect(await service.end()).toBe(0);

    const [report, closed, ...others] = await reports();
    expect([closed, others]).toEqual(['closed', []]);
    expect(report).toEqual({
      isError: true,
      name: expect.any(String),
      message: 'unforeseen',
      stack: expect.stringMatching(/\n +at /),
      code: 'XX000',
      cause: expect.any(String),
      details: {
        service: 'travel-operations-platform',
        version: PACKAGE_VERSION,
        method: 'POST',
        route: CHANNELS,
        requestId: 'reported-request-1',
        serverRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    const text = JSON.stringify(report);
    for (const value of [NAME, 'Bearer', 'marker-agent']) expect(text).not.toContain(value);
  });

  it('an error that ends the process is reported and logged before the end', async () => {
    const file = await reporter('crash-reporter.cjs', COMMONJS);
    const fault = await reporter('crash.cjs', `process.on('SIGUSR2', () => { throw new Error('unforeseen end'); });`);
    const env = { ERROR_REPORTER: file, LOG_LEVEL: 'error', OTEL_SERVICE_NAME: 'office' };
    const service = await ServiceProcess.start({ ...env, NODE_OPTIONS: `--require=${fault}` });
    expect(await service.end('SIGUSR2')).not.toBe(0);
    expect(await reports()).toEqual([
      expect.objectContaining({
        message: 'unforeseen end',
        details: { service: 'office', version: PACKAGE_VERSION, crash: 'uncaughtException' },
      }),
    ]);
    const fatal = service.output.split('\n').filter((line) => line.includes('"level":"fatal"'));
    expect(fatal.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        msg: 'an unexpected error ends the process',
        origin: 'uncaughtException',
        err: expect.objectContaining({ message: 'unforeseen end' }),
      }),
    ]);
  });

  it('the module may be an ES module', async () => {
    const file = await reporter('reporter.mjs', MODULE);
    const service = await ServiceProcess.start({ ERROR_REPORTER: file });
    await failingRequest(service);
    await until(async () => (await reports()).length === 1);
    expect(await reports()).toEqual([{ message: 'unforeseen' }]);
  });

  it('a module that fails or hangs does not change a response, and is counted', async () => {
    const failing = await ServiceProcess.start({
      ERROR_REPORTER: await reporter('failing.cjs', FAILING),
      LOG_LEVEL: 'warn',
    });
    for (let n = 0; n < 3; n += 1) expect((await failingRequest(failing)).status).toBe(500);
    expect(await (await failing.get('/metrics')).text()).toMatch(/^error_reports_failed_total 3$/m);
    expect(await failing.end()).toBe(0);
    expect(failing.output).toContain('the error reporter failed');

    const hanging = await ServiceProcess.start({ ERROR_REPORTER: await reporter('hanging.cjs', HANGING) });
    for (let n = 0; n < 25; n += 1) expect((await failingRequest(hanging)).status).toBe(500);
    // Twenty wait at a time; the others are dropped.
    expect(await (await hanging.get('/metrics')).text()).toMatch(/^error_reports_failed_total 5$/m);
    expect(await hanging.end()).toBe(0);
  });

  it.each([
    ['missing.cjs', 'cannot be loaded (Cannot find module'],
    ['empty.cjs', 'exports no function report'],
  ])('a start with the module %s fails and says why', async (name, fault) => {
    await reporter('empty.cjs', 'exports.other = 1;');
    const { status, stderr } = spawnSync(process.execPath, [serviceProgram()], {
      env: { ...process.env, NODE_OPTIONS: '', JOBS: 'false', PORT: '0', ERROR_REPORTER: join(folder, name) },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([78, expect.stringContaining(`ERROR_REPORTER: ${fault}`)]);
  });
});
