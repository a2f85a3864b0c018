import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { hire, type Member, OWN_PASSWORD } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';

const NEW_PASSWORD = 'an entirely new sentence';
const CHANNELS = '/v1/admin/distribution/channels';

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
    const body = { currentPassword: member.password, newPassword: NEW_PASSWORD };
    expect(await fingerprintOf(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(await fingerprintOf(key)).not.toBe(plain(OWN_PASSWORD, body));

    // Without a password the fingerprint is the plain digest.
    const channel = { name: `Channel ${key}` };
    await app.as('owner').post(CHANNELS, channel, { headers: { 'Idempotency-Key': `${key}-channel` } });
    expect(await fingerprintOf(`${key}-channel`)).toBe(plain(CHANNELS, channel));
  });
});

async function fingerprintOf(key: string): Promise<string | undefined> {
  const text = `select encode(fingerprint, 'hex') as hex from idempotency_keys where key = $1`;
  const [row] = await app.sql<{ hex: string }>(text, [key]);
  return row?.hex;
}

function plain(path: string, body: object): string {
  return createHash('sha256')
    .update(['POST', path, '', JSON.stringify(body)].join('\n'))
    .digest('hex');
}
