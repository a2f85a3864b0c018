/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, entriesAbout, itemBody, staffWith } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import {
  allotted,
  ALLOTMENTS,
  bookingThrough,
  expectSumsToAgree,
  newAllotment,
  newChannel,
  NOT_FOUND,
  patiently,
  poolOf,
  refusal,
  sell,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const remove = (id: string, call = {}) => app.as('owner').delete(`${ALLOTMENTS}/${id}`, call);

describe('DELETE /v1/admin/distribution/inventory-allotments/{id}', () => {
  it('deleting an allotment returns {success: true} and the units to the pool; the allotment is 404 afterwards', async () => {
    const { allotment, departure } = await allotted(app, { units: 4 });
    const { status, body } = await remove(allotment.id);
    expect([status, body]).toEqual([200, { success: true }]);
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 0, available: 20 });
    const answers = [await remove(allotment.id), await app.as('owner').get(`${ALLOTMENTS}/${allotment.id}`)];
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, refusal(answer, NOT_FOUND)]);
    const entry = (await entriesAbout(app.as('owner'), allotment.id)).at(-1);
    expect(entry).toMatchObject({
      action: 'distribution.allotment.delete',
      before: { id: allotment.id },
      after: { returned: 4 },
    });
    const [{ sales } = { sales: 0 }] = await app.sql<{ sales: number }>(
      'select count(*)::int as sales from allotments where id = $1 and deleted_at is not null',
      [allotment.id],
    );
    expect(sales).toBe(1);
    await expectSumsToAgree(app, [departure.id]);
  });

  it('an allotment with sold units is rejected with 409 and their number; only a deletion frees its period', async () => {
    const { allotment, departure } = await allotted(app, { units: 4 });
    const item = await sell(app, { allotment, departure }, 3);
    const answer = await remove(allotment.id);
    const body = { error: 'Units of the allotment are sold', code: 'allotment_has_sales', details: { sold: 3 } };
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, body)]);
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 3, guaranteedOpen: 1 });
    await app.as('owner').post(`${BOOKINGS}/${item.bookingId}/items/${item.id}/cancellation`);
    expect((await remove(allotment.id)).status).toBe(200);
    const { channelId, productId } = allotment;
    await newAllotment(app, { channelId, productId });
  });

  it('deleting an allotment requires the scope distribution:delete', async () => {
    const { id } = await newAllotment(app);
    const writer = await staffWith(app, 'distribution:write');
    const { status, body } = await writer.delete(`${ALLOTMENTS}/${id}`);
    expect([status, body]).toMatchObject([403, { details: { requiredScope: 'distribution:delete' } }]);
  });

  it('either a sale or the deletion of its allotment fails if both run concurrently', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const { allotment, departure } = await allotted(app, { units: 4 });
      const { id } = await bookingThrough(app, allotment.id);
      const through = { departureId: departure.id, allotmentId: allotment.id };
      const sale = () => patiently(() => app.as('owner').post(`${BOOKINGS}/${id}/items`, itemBody(through)));
      const end = () => patiently(() => remove(allotment.id));
      const [sold, deleted] = await Promise.all(round % 2 ? [sale(), end()] : [end(), sale()].reverse());
      const statuses = [sold?.status, deleted?.status];
      outcomes.add(String(statuses));
      expect([
        [201, 409],
        [404, 200],
      ]).toContainEqual(statuses);
      const pool = { sold: sold?.status === 201 ? 1 : 0, guaranteedOpen: sold?.status === 201 ? 3 : 0 };
      expect(await poolOf(app, departure.id)).toMatchObject(pool);
      await expectSumsToAgree(app, [departure.id]);
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });
});

describe('archiving a channel', () => {
  it('a channel with allotments in force is rejected with 409 and their number; without any it is archived', async () => {
    const { id: channelId } = await newChannel(app);
    const archive = () => app.as('owner').patch(`/v1/admin/distribution/channels/${channelId}`, { status: 'archived' });
    const { id } = await newAllotment(app, { channelId, active: false });
    await newAllotment(app, { channelId, validFrom: '2020-01-01', validTo: '2020-12-31' });
    const answer = await archive();
    const body = { error: 'The channel has allotments in force', code: 'channel_in_use', details: { allotments: 1 } };
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, body)]);
    await remove(id);
    expect((await archive()).status).toBe(200);
  });

  it('either the archiving or a concurrent new allotment is rejected', async () => {
    const { id: channelId } = await newChannel(app);
    const [archived, made] = await Promise.all([
      app.as('owner').patch(`/v1/admin/distribution/channels/${channelId}`, { status: 'archived' }),
      newAllotment(app, { channelId }).then(
        () => 201,
        () => 409,
      ),
    ]);
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([archived.status, made]);
  });
});
