/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { change, CHANNELS, type Channel, invalid, newChannel, read, errorBody } from './channels.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('If-None-Match', () => {
  it('the current ETag in If-None-Match gets 304 without a body, and after a change the channel', async () => {
    const { id } = await newChannel(app);
    const path = `${CHANNELS}/${id}`;
    const { headers } = await staff.get(path);
    const conditional = { headers: { 'If-None-Match': headers['etag'] ?? '' } };

    const same = await staff.get(path, conditional);
    await change(staff, id, { description: 'Changed' });
    const changed = await staff.get<{ data: Channel }>(path, conditional);

    expect([headers['etag'], same.status, same.text, same.headers['etag']]).toEqual(['"1"', 304, '', '"1"']);
    expect([changed.status, changed.body.data.version, changed.headers['etag']]).toEqual([200, 2, '"2"']);
    expect((await staff.get(path, { headers: { 'If-None-Match': '"1", W/"2"' } })).status).toBe(304);
  });
});

describe('If-Match', () => {
  const send = (id: string, tag: string, description = 'Meant for a version') =>
    staff.patch<{ data: Channel }>(`${CHANNELS}/${id}`, { description }, { headers: { 'If-Match': tag } });

  it.each(['"1"', ' "1" ', '"7", "1"', '*'])('If-Match %s accepts a change of version 1', async (tag) => {
    const { id } = await newChannel(app);
    const { status, body } = await send(id, tag);
    expect([status, body.data.version]).toEqual([200, 2]);
  });

  it.each(['"2"', '"0"', 'W/"1"', '"01x"', '"chan"', '""'])(
    'If-Match %s is 412 with the current version',
    async (tag) => {
      const before = await newChannel(app);

      const answer = await send(before.id, tag);

      expect(answer.status).toBe(412);
      const error = 'The resource has changed since it was read';
      const stale = { code: 'precondition_failed', error, details: { currentVersion: 1 } };
      expect(answer.body).toEqual(errorBody(answer, stale));
      expect(await read(app, before.id)).toEqual(before);
    },
  );

  it.each(['1', '"1', 'x "1"', '"1" "2"'])(
    'If-Match %s is rejected with 400, because it is not an entity tag',
    async (tag) => {
      const { id } = await newChannel(app);

      const answer = await send(id, tag);

      const issue = { path: 'If-Match', message: 'must contain entity tags, such as "3"', code: 'wrong_format' };
      expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    },
  );

  it('one of eight concurrent changes of the same version succeeds and seven get 412', async () => {
    const { id } = await newChannel(app);

    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => send(id, '"1"', `Change ${n}`)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(412)]);
    const done = answers.find(({ status }) => status === 200);
    expect(await read(app, id)).toEqual(done?.body.data);
    expect(done?.body.data.version).toBe(2);
  });
});

describe('X-Request-Id', () => {
  it('the request id of the client is in the answer and in the ledger; without one it is generated', async () => {
    const answer = await staff.post<{ data: Channel }>(
      CHANNELS,
      { name: 'With a request id' },
      { headers: { 'X-Request-Id': 'partner.call_0-1' } },
    );
    const minted = await change(staff, answer.body.data.id, { description: 'Changed' });

    const { body } = await staff.get<{ data: { correlationId: string }[] }>(
      `/v1/admin/action-ledger/entries?subjectId=${answer.body.data.id}`,
    );
    expect(answer.headers['x-request-id']).toBe('partner.call_0-1');
    expect(minted.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
    const ids = body.data.map(({ correlationId }) => correlationId);
    expect(ids).toEqual([minted.headers['x-request-id'], 'partner.call_0-1']);
  });
});
