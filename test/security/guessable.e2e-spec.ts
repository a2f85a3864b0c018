import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ACTIVATION_SECONDS, ServiceKeys } from '../../src/platform/keys/service-keys.js';
import { hire, ME, type Member, OWN_PASSWORD, SESSIONS } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';

const NEW_PASSWORD = 'an entirely new sentence';
/** Routes that take a password or a code of any session; each is rejected before it does much work. */
const GUESSABLE = [
  [`${ME}/second-factor/activation`, { code: '000000' }],
  [`${ME}/second-factor/recovery-codes`, { code: '000000' }],
  [`${ME}/second-factor/removal`, { code: '000000' }],
  [`${SESSIONS}/current/reauthentication`, { code: '000000' }],
] as const;
const REQUESTS = 20;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const change = (member: Member, newPassword: string, key: string) =>
  member.client.post(
    OWN_PASSWORD,
    { currentPassword: member.password, newPassword },
    { headers: { 'Idempotency-Key': key } },
  );

describe('a password in a request with an Idempotency-Key', () => {
  it('a password in a request with an Idempotency-Key distinguishes two requests, and the same one is replayed', async () => {
    const [member, key] = [await hire(app, ['viewer']), randomUUID()];
    const first = await change(member, NEW_PASSWORD, key);
    const again = await change(member, NEW_PASSWORD, key);
    const other = await change(member, `${NEW_PASSWORD}!`, key);
    expect([first.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body]);
    expect([other.status, other.body]).toEqual([
      422,
      {
        error: 'The Idempotency-Key was used for a different request',
        code: 'idempotency_key_reused',
        requestId: other.headers['x-request-id'],
        details: { field: 'Idempotency-Key' },
      },
    ]);
  });

  it('a password cannot be guessed from the stored fingerprint of a request', async () => {
    const [member, key] = [await hire(app, ['viewer']), randomUUID()];
    await change(member, NEW_PASSWORD, key);
    const [stored, principal] = [await fingerprintOf(key), member.user.id];
    expect(stored).toMatch(/^[0-9a-f]{64}$/);
    const request = [
      'POST',
      OWN_PASSWORD,
      '',
      JSON.stringify({ currentPassword: member.password, newPassword: NEW_PASSWORD }),
    ];
    for (const text of [request, [principal, ...request]]) expect(stored).not.toBe(sha256(text.join('\n')));
  });

  it('a request is replayed after the sealing key was rotated, also with a password in it', async () => {
    const [member, key] = [await hire(app, ['viewer']), randomUUID()];
    const first = await change(member, NEW_PASSWORD, key);
    await app.nest.get(ServiceKeys).rotate('sealing');
    app.travel({ ms: (ACTIVATION_SECONDS + 1) * 1_000 });
    const again = await change(member, NEW_PASSWORD, key);
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body]);
    expect((await change(member, `${NEW_PASSWORD}!`, key)).body).toMatchObject({ code: 'idempotency_key_reused' });
  });
});

it('an Idempotency-Key makes no request with a code expensive', async () => {
  const { client } = await hire(app, ['viewer']);
  const send = async (headers: () => Record<string, string>) => {
    const before = process.cpuUsage();
    for (let n = 0; n < REQUESTS; n += 1) {
      for (const [path, body] of GUESSABLE) await client.post(path, body, { headers: headers() });
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const withKey = () => send(() => ({ 'Idempotency-Key': randomUUID() }));
  await withKey();
  // A slow hash would multiply the work by more than ten.
  expect(await withKey()).toBeLessThan(4 * (await send(() => ({}))));
});

async function fingerprintOf(key: string): Promise<string | undefined> {
  const text = `select encode(fingerprint, 'hex') as hex from idempotency_keys where key = $1`;
  const [row] = await app.sql<{ hex: string }>(text, [key]);
  return row?.hex;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
