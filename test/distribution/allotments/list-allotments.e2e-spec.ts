import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import { allotted, ALLOTMENTS, departureIn, newAllotment, NOT_FOUND, refusal, type Slot } from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

describe('lists', () => {
  const list = async (query: string) =>
    (await app.as('owner').get<{ data: { id: string }[]; total: number }>(`${ALLOTMENTS}?${query}`)).body;

  it('find allotments by channel, product, time and whether they are active, newest first', async () => {
    const first = await newAllotment(app, { validFrom: '2031-01-01', validTo: '2031-06-30' });
    const { channelId, productId } = first;
    app.travel({ ms: 5 });
    const release = { mode: 'manual', steps: [{ daysBefore: 9 }, { daysBefore: 3 }] };
    const second = await newAllotment(app, { channelId, productId, validFrom: '2031-07-01', active: false, release });
    const by = `channelId=${channelId}&productId=${productId}`;
    expect(await list(by)).toEqual({ data: [second, first], total: 2, limit: 50, offset: 0 });
    expect(await list(`${by}&to=2031-06-30`)).toMatchObject({ data: [{ id: first.id }], total: 1 });
    expect(await list(`${by}&from=2031-07-01`)).toMatchObject({ data: [{ id: second.id }], total: 1 });
    expect(await list(`${by}&active=true`)).toMatchObject({ data: [{ id: first.id }], total: 1 });
    expect(await list(`${by}&sort=validFrom&limit=1&offset=1`)).toMatchObject({ data: [{ id: second.id }], total: 2 });
    await app.as('owner').delete(`${ALLOTMENTS}/${second.id}`);
    expect(await list(by)).toMatchObject({ total: 1 });
  });

  it('show the slots by start', async () => {
    const { allotment, departure, slot } = await allotted(app, { units: 4, days: 60 });
    const earlier = await departureIn(app, 50, { productId: departure.productId });
    const path = `${ALLOTMENTS}/${allotment.id}/slots`;
    const all = await app.as('owner').get<{ data: Slot[]; total: number }>(path);
    expect(all.body).toMatchObject({ data: [{ departureId: earlier.id }, slot], total: 2, limit: 50, offset: 0 });
    const from = await app.as('owner').get<{ data: Slot[]; total: number }>(`${path}?from=${departure.startDate}`);
    expect(from.body).toMatchObject({ data: [slot], total: 1 });
    const unknown = await app.as('owner').get(`${ALLOTMENTS}/alot_01k0dem000e000000000009999/slots`);
    expect([unknown.status, unknown.body]).toEqual([404, refusal(unknown, NOT_FOUND)]);
  });
});
