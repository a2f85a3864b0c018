import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
import { doctor, folder, free } from './doctor.js';

const databaseUrl = process.env['DATABASE_URL'] ?? '';
const ownerUrl = process.env['MIGRATION_DATABASE_URL'] ?? '';

async function change(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

describe('platform doctor about the database', () => {
  it('doctor warns about a superuser and about a database in which searches ignore all letters except ASCII', async () => {
    const server = await startPostgres({ dataDir: folder(), durable: false });
    const admin = new pg.Client({ connectionString: server.superuserUrl });
    await admin.connect();
    await admin.query(`create database blind template template0 encoding 'UTF8' lc_ctype 'C'`);
    await admin.query(`create database latin template template0 encoding 'LATIN1' locale_provider libc locale 'C'`);
    await admin.end();
    const at = (name: string) => server.superuserUrl.replace(/\/postgres$/, `/${name}`);
    const [blind, latin] = [await doctor({ DATABASE_URL: at('blind') }), await doctor({ DATABASE_URL: at('latin') })];
    await server.stop();
    expect([blind.wrong, latin.wrong]).toEqual([
      ['WARN encoding', 'WARN role'],
      ['FAIL encoding', 'WARN role'],
    ]);
    expect(blind.of('encoding')[0]).toEqual({
      check: 'encoding',
      verdict: 'WARN',
      message: 'character type C: searches ignore all letters but ASCII',
      remedy: 'create a new database: createdb --template=template0 --lc-ctype=C.UTF-8',
    });
  });

  it.each([
    {
      where: 'no server',
      url: { port: free },
      message: 'no server accepts connections at this address',
      remedy: /start it/,
    },
    {
      where: 'no such database',
      url: { pathname: '/nowhere' },
      message: 'the database does not exist',
      remedy: /createdb/,
    },
    {
      where: 'a wrong password',
      url: { password: 'wrong' },
      message: 'the server rejects this user or password',
      remedy: /check both/,
    },
    { where: 'no such host', url: { hostname: 'x.invalid' }, message: 'the host cannot be found', remedy: /spelling/ },
  ])('doctor prints the remedy for $where', async ({ url, message, remedy }) => {
    const other = new URL(databaseUrl);
    Object.assign(other, url);
    const { wrong, of } = await doctor({ DATABASE_URL: other.href });
    expect(wrong).toEqual(['FAIL database']);
    expect(of('database')[0]?.message).toBe(`DATABASE_URL: ${message}`);
    expect(of('database')[0]?.remedy).toMatch(remedy);
    expect(JSON.stringify(of('database'))).not.toContain(other.password);
  });

  it('doctor fails in production if a start would be rejected, and prints no secret', async () => {
    const key = Buffer.alloc(32).toString('base64');
    const password = 'a sentence of your own';
    const production = await doctor({
      NODE_ENV: 'production',
      BASE_URL: 'https://office.acme.test',
      DATABASE_URL: databaseUrl,
      PORT: '99999',
      VAULT_KEK_PRIMARY: 'a',
      VAULT_KEK_a: key,
      BOOTSTRAP_ADMIN_PASSWORD: password,
    });
    const fails = ['FAIL configuration', 'FAIL configuration', 'FAIL configuration', 'FAIL demo data'];
    expect(production.wrong).toEqual(fails);
    const messages = production.of('configuration').map(({ message }) => message);
    expect(messages).toEqual([
      'PORT: is out of range',
      expect.stringMatching(/^VAULT_KEK_a: repeats itself/),
      expect.stringMatching(/^BOOTSTRAP_ADMIN_PASSWORD: is a published password$/),
    ]);
    expect(JSON.stringify(production.of('configuration'))).not.toContain(key);
    expect(JSON.stringify(production.of('configuration'))).not.toContain(password);
  });

  it('doctor fails in production if no account can log in, with both remedies', async () => {
    const env = { NODE_ENV: 'production', VAULT_KEK_PRIMARY: 'a', VAULT_KEK_a: randomBytes(32).toString('base64') };
    const owner = { BOOTSTRAP_ADMIN_EMAIL: 'maria@example.com', BOOTSTRAP_ADMIN_PASSWORD: 'the boat sails at seven' };
    const ownerIn = async (more: NodeJS.ProcessEnv) => (await doctor({ ...env, ...more })).of('owner');
    const missing = {
      check: 'owner',
      verdict: 'FAIL',
      message: 'no account can log in, because the database has no active user with the role owner',
      remedy: expect.stringMatching(/BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD .*platform provision/),
    };
    const created = { verdict: 'OK', message: 'none yet: platform start creates the one of BOOTSTRAP_ADMIN_EMAIL' };

    // No database yet: the next start starts the embedded one.
    expect(await ownerIn({})).toEqual([missing]);
    expect(await ownerIn(owner)).toMatchObject([created]);

    expect(await ownerIn({ DATABASE_URL: databaseUrl })).toMatchObject([{ verdict: 'OK' }]);
    await change(`update users set active = false where 'owner' = any (roles)`);
    expect(await ownerIn({ DATABASE_URL: databaseUrl })).toEqual([missing]);
    // The first start has happened: its presets are not read again.
    await change(`insert into installation_steps (step) values ('first-owner') on conflict do nothing`);
    expect(await ownerIn({ DATABASE_URL: databaseUrl, ...owner })).toEqual([missing]);
    await change(`delete from installation_steps where step = 'first-owner'`);
    expect(await ownerIn({ DATABASE_URL: databaseUrl, ...owner })).toMatchObject([created]);
  });

  it.each([
    { clock: 'five seconds late', now: 'now() - 5e3', wrong: 'WARN clock', message: /clock is (4|5)\d{3} ms ahead$/ },
    { clock: 'an hour early', now: 'now() + 36e5', wrong: 'FAIL clock', message: /clock is 3[56]\d{5} ms behind$/ },
  ])('doctor reports a clock that is $clock', async ({ now, wrong, message }) => {
    const preload = `const { now } = Date; Date.now = () => ${now};`;
    const found = await doctor({ DATABASE_URL: databaseUrl }, { preload });
    expect(found.wrong).toEqual([wrong]);
    expect(found.of('clock')[0]?.message).toMatch(message);
  });

  it('doctor warns about pending migrations, and fails on those of a newer version that excludes this build', async () => {
    const env = { DATABASE_URL: databaseUrl };
    const last = `(select name from migrations order by timestamp desc limit 1)`;
    await change(`insert into migrations (timestamp, name) values (9990000000000, 'FromTheFuture9990000000000')`);
    const permitted = await doctor(env);
    await change(`update schema_compatibility set oldest_build = 9990000000000`);
    const newer = await doctor(env);
    await change('update schema_compatibility set oldest_build = 1793000000810');
    await change(`delete from migrations where name = ${last}`);
    await change(`delete from migrations where name = ${last}`);
    const older = await doctor({ ...env, MIGRATION_DATABASE_URL: ownerUrl });
    const withoutOwner = await doctor(env);
    const asStep = await doctor({ ...env, MIGRATION_DATABASE_URL: ownerUrl, MIGRATE: 'false' });
    expect(permitted.of('migrations')).toMatchObject([
      { verdict: 'OK', message: 'FromTheFuture9990000000000 of a newer build, which permits this one' },
    ]);
    expect(asStep.of('migrations')).toMatchObject([
      { verdict: 'FAIL', remedy: expect.stringMatching(/^platform migrate/) },
    ]);
    expect([newer.wrong, older.wrong]).toEqual([['FAIL migrations'], ['WARN migrations']]);
    expect(older.of('owner role')).toMatchObject([{ verdict: 'OK' }]);
    expect(withoutOwner.of('migrations')).toMatchObject([
      { verdict: 'FAIL', remedy: expect.stringContaining('MIGRATION_DATABASE_URL') },
    ]);
    expect(newer.of('migrations')[0]).toMatchObject({
      message: expect.stringContaining('its schema excludes builds older than 9990000000000'),
      remedy: 'start a newer build',
    });
    expect(older.of('migrations')[0]?.message).toMatch(/^\w+\d{13} pending$/);
  });
});
