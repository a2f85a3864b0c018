import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, uniqueEmail, type UserBody, USERS } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';

const CHANNELS = '/v1/admin/distribution/channels';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const hire = (password: string, { email, key }: { email: string; key: string }) =>
  app
    .as('owner')
    .post<{ data: UserBody }>(
      USERS,
      { email, name: 'Guessed', password, roles: ['viewer'] },
      { headers: { 'Idempotency-Key': key } },
    );

describe('a password in a request with an Idempotency-Key', () => {
  it('a password in a request with an Idempotency-Key distinguishes two requests, and the same one is replayed', async () => {
    const input = { email: uniqueEmail(), key: randomUUID() };
    const first = await hire(PASSWORD, input);
    const again = await hire(PASSWORD, input);
    const other = await hire(`${PASSWORD}!`, input);
    expect([first.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
    expect([other.status, other.body]).toEqual([
      422,
      {
        error: 'The Idempotency-Key was used for a different request',
        code: 'idempotency_key_reused',
        requestId: other.headers['x-request-id'],
      },
    ]);
  });

  it('a password cannot be guessed from the stored fingerprint of a request', async () => {
    const input = { email: uniqueEmail(), key: randomUUID() };
    await hire(PASSWORD, input);
    const body = { email: input.email, name: 'Guessed', password: PASSWORD, roles: ['viewer'] };
    expect(await fingerprintOf(input.key)).not.toBe(plain(USERS, body));

    // Without a password the fingerprint is the plain digest.
    const channel = { name: `Channel ${input.key}` };
    await app.as('owner').post(CHANNELS, channel, { headers: { 'Idempotency-Key': `${input.key}-channel` } });
    expect(await fingerprintOf(`${input.key}-channel`)).toBe(plain(CHANNELS, channel));
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
