import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, itemBody, makeBooking } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import { allotted, departureIn, expectSumsToAgree, patiently, poolOf, refusal, slotsOf } from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const add = (bookingId: string, over: object) => app.as('owner').post(`${BOOKINGS}/${bookingId}/items`, itemBody(over));
const LEFT = { error: 'Not enough units available', code: 'capacity_exceeded' };

async function manyBookings(count: number, over: object = {}): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await makeBooking(app.as('owner'), over)).id);
  return ids;
}

describe('concurrent sales', () => {
  it('10 units of the pool are sold to exactly 10 of 50 concurrent buyers', async () => {
    const { id: departureId } = await departureIn(app, 30, { capacity: 10 });
    const bookings = await manyBookings(50);
    const answers = await Promise.all(bookings.map((id) => patiently(() => add(id, { departureId }))));
    const rejected = answers.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(40);
    for (const answer of rejected) expect(answer.body).toEqual(refusal(answer, { ...LEFT, details: { available: 0 } }));
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 10, available: 0 });
    await expectSumsToAgree(app, [departureId]);
  });

  it('10 units of an allotment are sold to exactly 10 of 50 concurrent buyers, while the pool is sold too', async () => {
    const { allotment, departure } = await allotted(app, { capacity: 15, units: 10 });
    const bookings = await manyBookings(60, { channelId: allotment.channelId });
    const through = { departureId: departure.id, allotmentId: allotment.id };
    const answers = await Promise.all(
      bookings.map((id, n) => patiently(() => add(id, n < 50 ? through : { departureId: departure.id }))),
    );
    const won = answers.map(({ status }) => status === 201);
    expect(won.slice(0, 50).filter(Boolean)).toHaveLength(10);
    expect(won.slice(50).filter(Boolean)).toHaveLength(5);
    const rejected = answers.filter(({ status }) => status !== 201);
    for (const { status, body } of rejected) {
      expect([status, body]).toMatchObject([409, { code: 'capacity_exceeded', details: { available: 0 } }]);
    }
    expect(await slotsOf(app, allotment.id)).toMatchObject([{ sold: 10, remaining: 0 }]);
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 15, guaranteedOpen: 0, available: 0 });
    await expectSumsToAgree(app, [departure.id]);
  });
});
