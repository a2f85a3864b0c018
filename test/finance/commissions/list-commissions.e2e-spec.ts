import { beforeAll, describe, expect, it } from '@jest/globals';
import { demoId } from '../../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { commissionsOf, earn, fixed, type One, soldItem, terms } from './commissions.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('GET /v1/admin/finance/booking-items/{bookingItemId}/commissions', () => {
  it('commissions are listed newest or oldest first, filtered by status and recipient, as {data} alone', async () => {
    const { id } = await soldItem(owner);
    const first = await earn(owner, id, terms({ recipientId: 'A' }));
    app.travel({ ms: 2 });
    const second = await earn(owner, id, fixed(1, { recipientId: 'B' }));
    const voided = await owner.post<One>(`${commissionsOf(id)}/${first.id}/voiding`, { reason: 'Wrong' });
    const list = async (query: string) => (await owner.get(`${commissionsOf(id)}${query}`)).body;
    expect(await list('')).toEqual({ data: [second, voided.body.data] });
    expect(await list('?sort=createdAt')).toEqual({ data: [voided.body.data, second] });
    expect(await list('?status=pending')).toEqual({ data: [second] });
    expect(await list('?recipientId=A')).toEqual({ data: [voided.body.data] });
    expect(await list('?recipientId=A&status=pending')).toEqual({ data: [] });
  });

  it('the list is empty for an item without commissions, 404 for an unknown item, 400 for an unknown parameter', async () => {
    const { id } = await soldItem(owner);
    expect((await owner.get(commissionsOf(id))).body).toEqual({ data: [] });
    for (const unknown of ['bkit_01k0dem000e000000000009999', 'x']) {
      const { status, body } = await owner.get(commissionsOf(unknown));
      expect([status, body]).toEqual([404, problem('not_found')]);
    }
    expect((await owner.get(`${commissionsOf(id)}?limit=1`)).body).toEqual(invalid('limit', 'unknown_member'));
    expect((await owner.get(`${commissionsOf(id)}?status=open`)).body).toEqual(invalid('status', 'unknown_value'));
  });

  it('listing commissions needs finance:read', async () => {
    const { status, body } = await (await staffWith(app, 'bookings:*')).get(commissionsOf(demoId('bkit', 19)));
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:read' })]);
  });
});
