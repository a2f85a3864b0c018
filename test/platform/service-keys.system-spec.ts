import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { FileLinks } from '../../src/platform/files/file-links.js';
import { FileStore } from '../../src/platform/files/file-store.js';
import { SealingKeys } from '../../src/platform/keys/sealing-keys.js';
import { ACTIVATION_SECONDS, MAX_TOKEN_LIFETIME_SECONDS, ServiceKeys } from '../../src/platform/keys/service-keys.js';
import { SigningKeys } from '../../src/platform/keys/signing-keys.js';
import { startApp, type TestApp } from '../setup/app.js';
import { ownerTokenId } from '../setup/staff-token.js';

const LANGUAGES = '/data/geo/v1/reference/languages';
const PURPOSE = 'test-token';
const ACTIVATION_MS = ACTIVATION_SECONDS * 1000;
const LIFETIME_MS = MAX_TOKEN_LIFETIME_SECONDS * 1000;

/** Two processes on one database. */
let app: TestApp;
let other: TestApp;

beforeAll(async () => {
  app = await startApp();
  other = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
});

const nodes = () => [app, other];
const travel = (ms: number) => nodes().forEach((node) => node.travel({ ms }));
const sign = (node: TestApp, value: unknown = 'x') => node.nest.get(SigningKeys).sign(PURPOSE, value);
const verify = (node: TestApp, token: string) => node.nest.get(SigningKeys).verify(PURPOSE, token);
const rotate = (node: TestApp = app) => node.nest.get(ServiceKeys).rotate('signing');
const versions = async (use = 'signing') =>
  (await app.sql<{ version: number }>('select version from service_keys where use = $1 order by version', [use])).map(
    ({ version }) => version,
  );

/** Until the other process has read the change, of which it is notified. */
async function bothKnow(version: number, use: 'signing' | 'sealing' = 'signing'): Promise<void> {
  const knows = (node: TestApp) => node.nest.get(ServiceKeys).valid(use)[0]?.stored.version === version;
  for (let waited = 0; !nodes().every(knows); waited += 20) {
    if (waited > 60_000) throw new Error(`Version ${version} is not known`);
    await setTimeout(20);
  }
}

async function linkToFile(node: TestApp): Promise<string> {
  const { key } = await node.nest.get(FileStore).put(Buffer.from('%PDF-1.7 invoice'));
  const { path } = await node.nest
    .get(FileLinks)
    .linkTo({ key, name: 'invoice.pdf', type: 'application/pdf' }, await ownerTokenId(node));
  return path;
}

async function firstCursor(): Promise<string> {
  const { body } = await app.as('platform').get<{ nextCursor: string }>(`${LANGUAGES}?limit=3`);
  return body.nextCursor;
}

describe('a thief of a database dump', () => {
  /** Everything that could be a key: every 32 bytes in a row of every binary column, and the texts. */
  async function candidates(): Promise<Buffer[]> {
    const rows = await app.sql<{ wrapped_key: Buffer; use: string; kek_id: string }>('select * from service_keys');
    const windows = rows.flatMap(({ wrapped_key }) =>
      Array.from({ length: wrapped_key.length - 31 }, (_, at) => wrapped_key.subarray(at, at + 32)),
    );
    return [
      ...windows,
      ...rows.map(({ wrapped_key }) => wrapped_key),
      ...rows.map(({ kek_id }) => Buffer.from(kek_id)),
    ];
  }

  /** Signs the payload as the service does: with the key itself, or with the key derived from it for the purpose. */
  function forgeries(payload: string, purpose: string, key: Buffer): string[] {
    const derived = Buffer.from(hkdfSync('sha256', createSecretKey(key), '', `sign|${purpose}`, 32));
    return [key, derived].map((secret) => {
      const mac = createHmac('sha256', secret).update(payload).digest().subarray(0, 16);
      return `${payload}.${mac.toString('base64url')}`;
    });
  }

  it('a thief of a database dump cannot forge a link to a file', async () => {
    const path = await linkToFile(app);
    expect((await app.get(path)).status).toBe(200);
    const [payload = ''] = path.replace('/v1/files/', '').split('.');
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[];
    const later = Buffer.from(JSON.stringify([...content.slice(0, 3), Date.now() + 9e9, content[4]])).toString(
      'base64url',
    );

    const tokens = (await candidates()).flatMap((key) => forgeries(later, 'file-link', key));
    const opened = await Promise.all(tokens.map((token) => app.nest.get(FileLinks).open(token)));
    expect(tokens.length).toBeGreaterThan(50);
    expect(opened.filter((file) => file !== null)).toEqual([]);
    expect((await app.get(`/v1/files/${tokens[0]}`)).status).toBe(404);
  });

  it('a thief of a database dump cannot forge a cursor', async () => {
    const [payload = ''] = (await firstCursor()).split('.');
    const [token = '', ...more] = (await candidates()).flatMap((key) =>
      forgeries(payload, 'data-languages-cursor', key),
    );
    const signing = app.nest.get(SigningKeys);
    const opened = await Promise.all([token, ...more].map((each) => signing.verify('data-languages-cursor', each)));

    expect(opened.filter((content) => content !== null)).toEqual([]);
    const { status } = await app.as('platform').get(`${LANGUAGES}?limit=3&cursor=${token}`);
    expect(status).toBe(400);
  });

  it('a thief of a database dump cannot use a key in the place of another: it does not unwrap there', async () => {
    const node = await startApp({ env: { DATABASE_POOL_SIZE: '4' } });
    await app.sql(`
      update service_keys set wrapped_key = (select wrapped_key from service_keys where use = 'sealing' limit 1)
      where use = 'signing' returning 1`);
    const swapped = await startApp({ env: { DATABASE_POOL_SIZE: '4', LOG_LEVEL: 'error' } });

    await expect(sign(swapped)).rejects.toMatchObject({ status: 503 });
    await swapped.close();
    const { version } = await node.nest.get(ServiceKeys).revoke();
    await bothKnow(version);
    await node.close();
  });
});

describe('a rotation of the signing key', () => {
  it('a rotation of the signing key keeps links and cursors valid that were signed before, and signs with the new key a minute later', async () => {
    const [link, cursor, token] = [await linkToFile(app), await firstCursor(), await sign(app)];
    const { version, activeAt } = await rotate();
    await bothKnow(version);

    expect(activeAt.getTime() - app.now().getTime()).toBeGreaterThan(ACTIVATION_MS - 5_000);
    expect(await sign(app)).toBe(token);
    travel(ACTIVATION_MS);
    const renewed = await sign(app);
    expect(renewed).not.toBe(token);
    for (const node of nodes()) {
      expect(await sign(node)).toBe(renewed);
      expect([await verify(node, token), await verify(node, renewed)]).toEqual(['x', 'x']);
      expect((await node.get(link)).status).toBe(200);
      expect((await node.as('platform').get(`${LANGUAGES}?limit=3&cursor=${cursor}`)).status).toBe(200);
    }
  });

  it('a rotation of the signing key verifies with a process that has not activated the new key yet', async () => {
    await bothKnow((await rotate()).version);
    app.travel({ ms: ACTIVATION_MS });
    const token = await sign(app);

    expect(await sign(other)).not.toBe(token);
    expect(await verify(other, token)).toBe('x');
    other.travel({ ms: ACTIVATION_MS });
  });

  it('a rotation of the signing key adds one key for concurrent requests, and none while one is being introduced', async () => {
    const rotations = await Promise.all(Array.from({ length: 8 }, (_, n) => rotate(n % 2 ? app : other)));
    const again = await rotate();

    expect(new Set([...rotations, again].map(({ version }) => version)).size).toBe(1);
    await bothKnow(again.version);
    travel(ACTIVATION_MS);
  });

  it('a rotation of the signing key ends the old key a day later: its tokens are rejected, and the job deletes it', async () => {
    const token = await sign(app);
    const { version } = await rotate();
    await bothKnow(version);
    travel(ACTIVATION_MS + LIFETIME_MS - 1_000);
    expect(await verify(app, token)).toBe('x');
    travel(1_000);

    expect([await verify(app, token), await verify(other, token)]).toEqual([null, null]);
    expect((await versions()).length).toBeGreaterThan(1);
    await app.nest.get(ServiceKeys).purge();
    expect(await versions()).toEqual([version]);
  });

  it('a rotation of the signing key is rejected if a token would have to be tried with more than 16 keys', async () => {
    for (let count = (await versions()).length; count < 16; count += 1) {
      await bothKnow((await rotate()).version);
      travel(ACTIVATION_MS);
    }
    await expect(rotate()).rejects.toMatchObject({ status: 409, code: 'key_limit_reached' });
    travel(LIFETIME_MS);
    await app.nest.get(ServiceKeys).purge();
  });

  it('disturbs none of 16 clients that sign and verify at the same time', async () => {
    let running = true;
    const failures: unknown[] = [];
    let checked = 0;
    const client = async (n: number) => {
      const [mine, its] = n % 2 ? [app, other] : [other, app];
      const early = await sign(mine, n);
      for (; running; checked += 1) {
        const token = await sign(mine, n);
        for (const each of [token, early]) {
          if ((await verify(its, each)) !== n) failures.push({ n, each });
        }
        await setTimeout(1);
      }
    };
    const clients = Array.from({ length: 16 }, (_, n) => client(n));
    for (let count = 0; count < 4; count += 1) {
      await bothKnow((await rotate(count % 2 ? app : other)).version);
      // The clocks of processes differ a little.
      app.travel({ ms: ACTIVATION_MS });
      await setTimeout(50);
      other.travel({ ms: ACTIVATION_MS });
      await setTimeout(50);
    }
    running = false;
    await Promise.all(clients);

    expect(failures).toEqual([]);
    expect(checked).toBeGreaterThan(16);
  });
});

describe('revoking the signing keys', () => {
  it('invalidates every link and cursor at once on all processes, and new ones work', async () => {
    const [link, token] = [await linkToFile(app), await sign(app)];
    const { version } = await app.nest.get(ServiceKeys).revoke();
    await bothKnow(version);

    for (const node of nodes()) {
      expect(await verify(node, token)).toBeNull();
      expect((await node.get(link)).status).toBe(404);
      expect(await verify(node, await sign(node))).toBe('x');
    }
    expect(await versions()).toEqual([version]);
  });
});

describe('a new key-encryption key', () => {
  it('wraps the service keys again at the next start, and tokens and sealed values stay valid', async () => {
    const token = await sign(app);
    const sealed = await app.nest.get(SealingKeys).seal('totp', Buffer.from('secret'));
    const env = {
      DATABASE_POOL_SIZE: '4',
      VAULT_KEK_PRIMARY: 'next',
      VAULT_KEK_next: randomBytes(32).toString('base64'),
    };
    const before = await app.sql('select use, version, kek_id, wrapped_key from service_keys');
    const node = await startApp({ env });
    const found = await app.sql<{ kek_id: string }>('select distinct kek_id from service_keys');

    expect(found).toEqual([{ kek_id: 'next' }]);
    node.travel({ ms: app.now().getTime() - node.now().getTime() });
    expect(await verify(node, token)).toBe('x');
    expect(await node.nest.get(SealingKeys).open('totp', sealed)).toEqual(Buffer.from('secret'));
    await node.close();
    for (const { use, version, kek_id, wrapped_key } of before) {
      await app.sql('update service_keys set kek_id = $3, wrapped_key = $4 where use = $1 and version = $2', [
        use,
        version,
        kek_id,
        wrapped_key,
      ]);
    }
  });

  it('a new key-encryption key that replaced a lost one: links are 503 instead of forgeable, until the signing key is rotated', async () => {
    await app.sql(`update service_keys set kek_id = 'gone' where use = 'signing'`);
    const node = await startApp({ env: { DATABASE_POOL_SIZE: '4', LOG_LEVEL: 'error' } });
    node.travel({ ms: app.now().getTime() - node.now().getTime() });
    expect(node.logs.some((line) => line.includes('wrapped by gone'))).toBe(true);
    await expect(sign(node)).rejects.toMatchObject({ status: 503 });
    const { status } = await node.as('platform').get(`${LANGUAGES}?limit=3&cursor=${await firstCursor()}`);
    expect(status).toBe(503);

    await rotate(node);
    expect(await verify(node, await sign(node))).toBe('x');
    await node.nest.get(ServiceKeys).revoke();
    await node.close();
  });
});

describe('a sealed value', () => {
  const seal = (place?: string) => app.nest.get(SealingKeys).seal('totp', Buffer.from('JBSWY3DPEHPK3PXP'), place);

  it('a sealed value opens on every process for the same purpose and place only, and never repeats', async () => {
    const [sealed, again] = [await seal('usr_1'), await seal('usr_1')];
    expect(sealed.includes('JBSWY3DPEHPK3PXP')).toBe(false);
    expect(sealed.equals(again)).toBe(false);

    const keys = other.nest.get(SealingKeys);
    expect((await keys.open('totp', sealed, 'usr_1'))?.toString()).toBe('JBSWY3DPEHPK3PXP');
    const wrong = [
      await keys.open('totp', sealed, 'usr_2'),
      await keys.open('totp', sealed),
      await keys.open('recovery', sealed, 'usr_1'),
      await keys.open('totp', sealed.subarray(0, 40), 'usr_1'),
      await keys.open('totp', Buffer.alloc(0), 'usr_1'),
    ];
    expect(wrong).toEqual([null, null, null, null, null]);
  });

  it('a sealed value does not open after a change of any of its bytes', async () => {
    const sealed = await seal();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(await app.nest.get(SealingKeys).open('totp', changed)).toBeNull();
    }
  });

  it('a sealed value opens after a rotation of the sealing key, which is kept', async () => {
    const sealed = await seal();
    const { version } = await app.nest.get(ServiceKeys).rotate('sealing');
    await bothKnow(version, 'sealing');
    travel(ACTIVATION_MS + 2 * LIFETIME_MS);
    await app.nest.get(ServiceKeys).purge();

    expect((await seal()).readUInt32BE(1)).toBe(version);
    expect((await other.nest.get(SealingKeys).open('totp', sealed))?.toString()).toBe('JBSWY3DPEHPK3PXP');
    expect(await versions('sealing')).toEqual([version - 1, version]);
  });
});
