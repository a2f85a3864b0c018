import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { tokenWith } from '../setup/staff-token.js';
import { CHANNELS, type Channel, invalid, newChannel, read, errorBody, unique } from './channels.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

type Made = Answer<{ data: Channel }>;
const newKey = () => unique('key').replaceAll(' ', '-');
const create = (key: string, body: object): Promise<Made> =>
  staff.post(CHANNELS, body, { headers: { 'Idempotency-Key': key } });
const channelsNamed = (name: string) => app.sql('select from channels where name = $1', [name]);

describe('a request with the same Idempotency-Key', () => {
  it('a request with an Idempotency-Key is executed once, and its answer is replayed with a new request id', async () => {
    const [key, name] = [newKey(), unique('Once')];

    const first = await create(key, { name, kind: 'ota' });
    const again = await create(key, { kind: 'ota', name });

    expect([again.status, again.body]).toEqual([201, first.body]);
    for (const header of ['location', 'etag']) expect(again.headers[header]).toBe(first.headers[header]);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await channelsNamed(name)).toHaveLength(1);
    const { data } = first.body;
    const entries = await staff.get<{ data: object[] }>(`/v1/admin/action-ledger/entries?subjectId=${data.id}`);
    expect(entries.body.data).toHaveLength(1);
  });

  it('the stored answer of an Idempotency-Key is encrypted, and opens for this key of this caller only', async () => {
    const [key, other, name] = [newKey(), newKey(), unique('Clara Beispiel')];
    await create(key, { name, kind: 'ota', contactEmail: 'clara@example.com' });
    await create(other, { name: unique('Other'), kind: 'ota' });
    const [stored] = await app.sql<{ row: string; sealed: Buffer }>(
      'select k::text as row, sealed_answer as sealed from idempotency_keys k where key = $1',
      [key],
    );
    expect(stored?.sealed.length).toBeGreaterThan(200);
    for (const value of ['Clara', 'clara@example.com', 'contactEmail', 'status']) {
      expect([stored?.row.includes(value), stored?.sealed.includes(value)]).toEqual([false, false]);
    }
    await app.sql(
      `update idempotency_keys set sealed_answer = (select sealed_answer from idempotency_keys where key = $2),
         fingerprint = (select fingerprint from idempotency_keys where key = $2) where key = $1`,
      [other, key],
    );
    const copied = await create(other, { name, kind: 'ota', contactEmail: 'clara@example.com' });
    expect([copied.status, copied.body]).toMatchObject([503, { code: 'service_unavailable' }]);
    expect((await create(key, { name, kind: 'ota', contactEmail: 'clara@example.com' })).status).toBe(201);
  });

  it('a request with an Idempotency-Key gets its first answer again, also if the channel was changed since', async () => {
    const key = newKey();
    const { id } = await newChannel(app);
    const patch = (description: string, by = key) =>
      staff.patch(`${CHANNELS}/${id}`, { description }, { headers: { 'Idempotency-Key': by } });

    const first = await patch('First');
    await patch('Second', newKey());
    const again = await patch('First');

    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await read(app, id)).description).toBe('Second');
  });

  it('a request with an Idempotency-Key is rejected with 422 if its body, path or method differs', async () => {
    const [key, name] = [newKey(), unique('Reused')];
    const { body } = await create(key, { name });
    const patched = newKey();
    const patch = (id: string, by: string) =>
      staff.patch(`${CHANNELS}/${id}`, { name }, { headers: { 'Idempotency-Key': by } });
    await patch(body.data.id, patched);

    const answers = [
      await create(key, { name, kind: 'ota' }),
      await patch((await newChannel(app)).id, patched),
      await patch(body.data.id, key),
    ];

    for (const answer of answers) {
      const error = 'The Idempotency-Key was used for a different request';
      const details = { field: 'Idempotency-Key' };
      const expected = errorBody(answer, { code: 'idempotency_key_reused', error, details });
      expect([answer.status, answer.body]).toEqual([422, expected]);
    }
    expect((await read(app, body.data.id)).version).toBe(2);
  });

  it('a request with an Idempotency-Key is executed again after 24 hours', async () => {
    const key = newKey();
    await create(key, { name: unique('A day') });
    app.travel({ hours: 24, ms: 1 });

    const later = await create(key, { name: unique('A day later') });

    expect([later.status, later.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('a request with an Idempotency-Key is recognized with any token of the same person', async () => {
    const [key, name] = [newKey(), unique('Rotated')];
    const first = await create(key, { name });

    const rotated = app.with(await tokenWith(app, ['distribution:*']));
    const again = await rotated.post(CHANNELS, { name }, { headers: { 'Idempotency-Key': key } });

    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
  });

  it('an Idempotency-Key is independent of the same key of another person', async () => {
    const key = newKey();
    const first = await create(key, { name: unique('Ours') });

    const theirs = await app
      .as('platform')
      .patch(
        '/connect/v1/connector-providers/demo-activities',
        { applicationFormSchema: { type: 'object' } },
        { headers: { 'Idempotency-Key': key } },
      );

    expect([first.status, theirs.status, theirs.headers['idempotent-replayed']]).toEqual([201, 200, undefined]);
  });
});

describe('concurrent requests with the same Idempotency-Key', () => {
  it('eight concurrent copies of a request have exactly one effect; the others are replayed, or 409 while it runs', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [key, name] = [newKey(), unique('Eight copies')];

      const answers = await Promise.all(Array.from({ length: 8 }, () => create(key, { name })));

      expect(await channelsNamed(name)).toHaveLength(1);
      const done = answers.filter(({ status }) => status === 201);
      expect(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
      expect(new Set(done.map(({ body }) => body.data.id)).size).toBe(1);
      const waiting = answers.filter(({ status }) => status !== 201);
      for (const answer of waiting) expect([answer.status, answer.body]).toEqual([409, inProgress(answer)]);
      expect((await create(key, { name })).headers['idempotent-replayed']).toBe('true');
    }
  });

  it('a second request with a running Idempotency-Key is rejected with 409 idempotency_in_progress and Retry-After', async () => {
    const [key, { id }] = [newKey(), await newChannel(app)];
    const patch = () =>
      staff.patch(`${CHANNELS}/${id}`, { description: 'Slow' }, { headers: { 'Idempotency-Key': key } });
    const holder = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from channels where id = $1 for update', [id]);

    const first = patch();
    while ((await app.sql('select from idempotency_keys where key = $1', [key])).length === 0) await setTimeout(5);
    const second = await patch();
    await holder.query('rollback');
    await holder.end();

    expect([second.status, second.body]).toEqual([409, inProgress(second)]);
    expect(second.headers['retry-after']).toBe('1');
    expect((await first).status).toBe(200);
    expect((await patch()).headers['idempotent-replayed']).toBe('true');
  });
});

describe('an error', () => {
  it('an error writes nothing, is not stored and frees the key', async () => {
    const [key, name] = [newKey(), unique('Freed')];
    const existing = await newChannel(app, { name });

    const rejected = await create(key, { name });
    await staff.patch(`${CHANNELS}/${existing.id}`, { name: unique('Moved away') });
    const again = await create(key, { name });

    expect([rejected.status, again.status, again.headers['idempotent-replayed']]).toEqual([409, 201, undefined]);
  });

  it('an invalid body frees the key too, also for a different request', async () => {
    const key = newKey();

    expect((await create(key, { name: '' })).status).toBe(400);
    expect((await create(key, { name: unique('Freed') })).status).toBe(201);
  });
});

describe('an Idempotency-Key', () => {
  it.each(['short77', 'x'.repeat(256), 'has a blank', 'umlaut-ö-123'])(
    'an Idempotency-Key %s is rejected with 400',
    async (key) => {
      const answer = await staff.post(
        CHANNELS,
        { name: unique('Not made') },
        { headers: { 'Idempotency-Key': Buffer.from(key).toString('latin1') } },
      );

      const message = 'must be 8 to 255 visible ASCII characters';
      const issue = { path: 'Idempotency-Key', message, code: 'wrong_format' };
      expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    },
  );

  it.each(['8-chars.', '!"#$%&/()=?`*+~', 'x'.repeat(255)])('an Idempotency-Key %s is accepted', async (key) => {
    expect((await create(key, { name: unique('Made') })).status).toBe(201);
  });
});

function inProgress(answer: Answer): object {
  const error = 'The first request with this key is still running';
  return errorBody(answer, { code: 'idempotency_in_progress', error, details: { retryAfterMs: 1_000 } });
}
