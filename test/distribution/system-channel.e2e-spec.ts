import { beforeAll, describe, expect, it } from '@jest/globals';
import { Provisioning } from '../../src/platform/provisioning/provisioning.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { change, read, errorBody, unique } from './channels.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('the own-sales channel', () => {
  const apply = (fields: object) =>
    app.nest.get(Provisioning).apply({ systemChannels: [{ systemKey: 'direct', ...fields }] });
  const system = async () =>
    (await app.sql<{ id: string }>(`select id from channels where system_key = 'direct'`))[0]?.id ?? '';

  it.each([{ kind: 'reseller' }, { status: 'inactive' }, { status: 'archived' }])(
    'the own-sales channel keeps its kind and status: %j',
    async (body) => {
      const before = await read(app, await system());

      const answer = await change(staff, before.id, { ...body, description: 'Not this either' });

      const error = 'Kind and status of the direct channel cannot be changed';
      const rejected = errorBody(answer, {
        ...{ code: 'system_channel_protected', error },
        details: { kind: 'direct', status: 'active' },
      });
      expect([answer.status, answer.body]).toEqual([409, rejected]);
      expect(await read(app, before.id)).toEqual(before);
    },
  );

  it('the other fields of the own-sales channel can be changed, also by a body that repeats its kind and status', async () => {
    const { id, kind, status } = await read(app, await system());
    const answer = await change(staff, id, { kind, status, description: 'Our own shop' });

    expect([answer.status, answer.body.data]).toMatchObject([
      200,
      { systemKey: 'direct', kind: 'direct', status: 'active', description: 'Our own shop' },
    ]);
  });

  it('the own-sales channel is changed by provisioning, and not written if nothing changes', async () => {
    const before = await read(app, await system());

    await apply({ name: before.name, contactName: 'Sales' });
    await apply({ name: before.name, contactName: 'Sales' });

    const after = await read(app, before.id);
    expect(after).toEqual({ ...before, contactName: 'Sales', version: before.version + 1, updatedAt: after.updatedAt });
  });

  it('the own-sales channel is created by provisioning as direct and active, with a ledger entry', async () => {
    await app.sql(`update channels set system_key = null where system_key = 'direct'`);

    await apply({ name: unique('Own shop') });

    const id = await system();
    expect(await read(app, id)).toMatchObject({ systemKey: 'direct', kind: 'direct', status: 'active', version: 1 });
    const entries = await staff.get<{ data: object[] }>(`/v1/admin/action-ledger/entries?subjectId=${id}`);
    expect(entries.body.data).toMatchObject([{ action: 'distribution.channel.create', actorType: 'system' }]);
  });

  it.each([
    [{ name: 'x', kind: 'ota' }, 'systemChannels.0.kind'],
    [{ name: '' }, 'systemChannels.0.name'],
    [{ name: 'x', systemKey: 'other' }, 'systemChannels.0.systemKey'],
  ])('provisioning rejects %j for the own-sales channel', async (fields, place) => {
    await expect(apply(fields)).rejects.toThrow(place);
  });
});
