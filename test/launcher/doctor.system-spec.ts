import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { startApp } from '../setup/app.js';
import { closeAfterTests } from '../setup/running.js';
import { doctor, folder, free } from './doctor.js';
import { newProject, PROJECT, runScript } from './folders.js';
import { eventually } from './wait.js';

const databaseUrl = process.env['DATABASE_URL'] ?? '';

describe('platform doctor', () => {
  it('doctor prints a line for each successful check, and creates no file', async () => {
    const data = join(folder(), 'data');
    const script = runScript(PROJECT, ['scripts/platform.js', 'doctor'], {
      PORT: free,
      DATA_DIR: data,
      DATABASE_URL: databaseUrl,
    });
    const code = await script.end();
    const lines = script.output().trim().split('\n');
    expect([code, lines.pop()]).toEqual([0, expect.stringMatching(/^1[56] OK, [01] WARN, 0 FAIL$/)]);
    const isOfTheBuild = (line: string) => line.includes(' build ') || line.includes('npm start builds');
    expect(lines.filter((line) => line !== '' && !isOfTheBuild(line))).toEqual([
      `OK    node           Node.js ${process.versions.node}`,
      expect.stringMatching(/^OK {4}npm {12}npm \d+\.\d+\.\d+$/),
      'OK    packages       installed as in package-lock.json',
      'OK    configuration  no faults (NODE_ENV development)',
      'OK    secrets        no files with secrets yet',
      `OK    port           ${free} is free`,
      expect.stringMatching(/^OK {4}disk {11}\d+ MB are free in /),
      `OK    writing        ${data} does not exist yet and can be created`,
      'OK    database       the server of DATABASE_URL accepts connections',
      expect.stringMatching(/^OK {4}encoding {7}UTF8, character type \S+$/),
      'OK    extensions     btree_gist, pg_trgm, unaccent: installed, or this role can create them',
      'OK    role           owns nothing and is no superuser',
      expect.stringMatching(/^OK {4}clock {10}the database's clock is \d+ ms (behind|ahead)$/),
      'OK    migrations     all are applied',
      'OK    storage        the database can write',
    ]);
    expect(existsSync(data)).toBe(false);
  });

  it('doctor starts no database, and reports the state of the embedded one', async () => {
    const data = folder();
    const before = await doctor({ DATA_DIR: data });
    expect(before.of('database')).toEqual([
      { check: 'database', verdict: 'OK', message: expect.stringMatching(/^none yet: npm start creates one with/) },
    ]);
    expect(readdirSync(data)).toEqual([]);

    const server = await startPostgres({ dataDir: join(data, 'postgres'), durable: false });
    const running = await doctor({ DATA_DIR: data });
    expect(running.of('database')[0]?.message).toBe(
      `the embedded PostgreSQL (process ${server.pid}) accepts connections`,
    );
    expect(running.of('role')[0]?.message).toBe('owns nothing and is no superuser');
    expect(running.of('migrations')[0]?.message).toMatch(/^none yet: platform start applies all \d+$/);
    await server.stop();
    const stopped = await doctor({ DATA_DIR: data });
    expect(stopped.of('database')[0]?.message).toMatch(/is not running; its content is checked only while it runs$/);
    expect([running.wrong, stopped.wrong]).toEqual([[], []]);
  });

  it('doctor warns outside production about weak secrets and about secret files that other users can read', async () => {
    const data = folder();
    writeFileSync(join(data, 'vault-kek.json'), '{}', { mode: 0o600 });
    mkdirSync(join(data, 'postgres/18'), { recursive: true });
    writeFileSync(join(data, 'postgres/18/launcher-passwords.json'), '{}', { mode: 0o600 });
    const env = { DATA_DIR: data, DATABASE_URL: databaseUrl };
    expect((await doctor(env)).of('secrets')).toEqual([
      { check: 'secrets', verdict: 'OK', message: 'files are readable by their owner only' },
    ]);

    chmodSync(join(data, 'vault-kek.json'), 0o640);
    chmodSync(join(data, 'postgres/18/launcher-passwords.json'), 0o604);
    const weak = { VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: Buffer.alloc(32, 7).toString('base64') };
    const open = await doctor({ ...env, ...weak });
    expect(open.wrong).toEqual(['WARN secrets', 'WARN secrets']);
    const files = [join(data, 'vault-kek.json'), join(data, 'postgres/18/launcher-passwords.json')];
    expect(open.of('secrets')[0]?.message).toBe('VAULT_KEK_a repeats itself and is not random; production rejects it');
    expect(open.of('secrets')[1]).toEqual({
      check: 'secrets',
      verdict: 'WARN',
      message: `${files.join(' and ')} can be read by others`,
      remedy: `chmod 600 ${files.join(' ')}`,
    });
    const strong = { VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: randomBytes(32).toString('base64') };
    const production = await doctor({ ...env, ...strong, NODE_ENV: 'production' });
    expect(production.of('secrets').map(({ verdict }) => verdict)).toEqual(['FAIL']);
  });

  it('doctor distinguishes the service from another program on the port', async () => {
    const app = await startApp();
    await eventually(async () => ((await app.get('/health/ready')).status === 200 ? true : null));
    const own = await doctor({ PORT: new URL(app.url).port });
    expect(own.of('port')).toEqual([
      {
        check: 'port',
        verdict: 'OK',
        message: `the service is running on ${new URL(app.url).port} (not started by npm start) and ready`,
      },
    ]);
    const foreign = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    const address = foreign.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { wrong, of } = await doctor({ PORT: String(port) });
    foreign.closeAllConnections();
    await new Promise((resolve) => foreign.close(resolve));
    expect(wrong).toEqual(['FAIL port']);
    expect(of('port')[0]).toMatchObject({
      message: `${port} on 127.0.0.1 cannot be used`,
      remedy: expect.stringContaining(`PORT=${port + 1}`),
    });
  });

  it('doctor tries to reach the mail server, the object store and the collector', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { DATABASE_URL: databaseUrl, SMTP_URL: `smtp://127.0.0.1:${port}` };
    const closed = `http://127.0.0.1:${free}`;
    const { wrong, of } = await doctor({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: closed, FILES_S3_ENDPOINT: closed });
    await new Promise((resolve) => server.close(resolve));
    expect(of('mail server')).toEqual([
      { check: 'mail server', verdict: 'OK', message: `127.0.0.1 port ${port} accepts connections` },
    ]);
    expect(wrong).toEqual(expect.arrayContaining(['FAIL object store', 'WARN collector']));
    expect(of('collector')[0]?.message).toBe(
      `127.0.0.1 port ${free} cannot be reached (ECONNREFUSED): traces are lost`,
    );
  });

  it('doctor fails if the data folder is not writable', async () => {
    const file = join(folder(), 'a-file');
    writeFileSync(file, '');
    const { wrong, of } = await doctor({ DATA_DIR: join(file, 'data'), DATABASE_URL: databaseUrl });
    expect(wrong).toEqual(['FAIL writing']);
    expect(of('writing')[0]?.message).toMatch(/cannot be written to \((EACCES|ENOTDIR)\)$/);
  });

  it('doctor reports an old Node.js', async () => {
    const old = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.4'}})`;
    const words = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, 'scripts/platform.js', 'doctor'];
    const script = runScript(PROJECT, words);
    expect(await script.end()).toBe(78);
    expect(script.output()).toContain(
      'ERROR   This is Node.js 18.20.4; the service needs 20.19, 22.12 or newer.\nREMEDY  ',
    );
  });

  it('doctor warns about missing packages and a missing build in a fresh clone, and does not fail', async () => {
    const project = newProject();
    closeAfterTests(async () => rmSync(project, { recursive: true, force: true }));
    rmSync(join(project, 'node_modules'));
    rmSync(join(project, 'dist'), { recursive: true });
    writeFileSync(join(project, 'package-lock.json'), '{}');
    const { wrong } = await doctor({}, { project });
    expect(wrong).toEqual(['WARN packages', 'WARN build', 'WARN configuration', 'WARN database']);
  });
});
