import { beforeAll, describe, expect, it } from '@jest/globals';
import { allotmentBody, ALLOTMENTS } from '../distribution/allotments/allotments.js';
import { departure as departureBody, DEPARTURES } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newProduct } from './products.js';

const UNKNOWN = 'tour-without-record';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('the setting productsRequired', () => {
  it('rejects new departures and allotments of products without record while it is on; existing ones stay', async () => {
    const { id: productId } = await newProduct(app);
    const tryBoth = async (id: string) => {
      const departure = await owner.post<{ data: { id: string } }>(DEPARTURES, departureBody({ productId: id }));
      const allotment = await owner.post<object>(ALLOTMENTS, await allotmentBody(app, { productId: id }));
      return {
        departure,
        answers: [departure, allotment].map(({ status, body }) => [status, Reflect.get(body, 'details')]),
      };
    };
    const set = async (productsRequired: boolean) => {
      const { status } = await owner.patch('/v1/admin/organization/settings', { productsRequired });
      expect(status).toBe(200);
    };
    const created = [201, undefined];
    const missing = [404, { field: 'productId' }];

    const { departure, answers } = await tryBoth(UNKNOWN);
    expect(answers).toEqual([created, created]);
    await set(true);
    expect((await tryBoth(UNKNOWN)).answers).toEqual([missing, missing]);
    expect((await tryBoth(productId)).answers).toEqual([created, created]);
    const path = `${DEPARTURES}/${departure.body.data.id}`;
    expect((await owner.patch(path, { capacity: 30 })).status).toBe(200);
    await set(false);
    expect((await tryBoth(UNKNOWN)).answers).toEqual([created, created]);
  });
});
