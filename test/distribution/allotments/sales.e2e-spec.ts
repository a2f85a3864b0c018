/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  addItem,
  type Booking,
  bookingBody,
  BOOKINGS,
  itemBody,
  makeBooking,
  type Item,
  type One,
} from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import { CHECK, recordDatabaseErrors } from '../../setup/recorded-errors.js';
import {
  allotted,
  ALLOTMENTS,
  departureIn,
  expectSumsToAgree,
  invalid,
  movementsOf,
  patiently,
  poolOf,
  refusal,
  unitsOf,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const owner = () => app.as('owner');
const book = async (over: object = {}) => (await makeBooking(owner(), over)).id;
const bookOf = ({ channelId }: { channelId: string }) => book({ channelId });
const add = (bookingId: string, over: object) =>
  owner().post<One<Item>>(`${BOOKINGS}/${bookingId}/items`, itemBody(over));
const patch = ({ bookingId, id }: Item, body: object) =>
  owner().patch<One<Item>>(`${BOOKINGS}/${bookingId}/items/${id}`, body);
const makeOne = (over: object) => owner().post<One<Booking>>(BOOKINGS, bookingBody(over));
const cancel = ({ bookingId, id }: Item) => owner().post(`${BOOKINGS}/${bookingId}/items/${id}/cancellation`);
const LEFT_OF_ALLOTMENT = { error: 'Not enough units left in the allotment', code: 'capacity_exceeded' };
const LEFT = { error: 'Not enough units available', code: 'capacity_exceeded' };

describe('an item with a departure', () => {
  it('an item with a departure allocates its quantity from the pool and gets its service date from the departure', async () => {
    const { id: departureId, startDate } = await departureIn(app, 30);
    const item = await addItem(owner(), await book(), { departureId, quantity: 3, serviceDate: '2031-01-01' });
    expect(item).toMatchObject({ departureId, allotmentId: null, quantity: 3, serviceDate: startDate });
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 3, available: 17 });
    await expectSumsToAgree(app, [departureId]);
  });

  it('an item with a departure releases units if its quantity falls and allocates more if it rises', async () => {
    const { id: departureId } = await departureIn(app, 30, { capacity: 5 });
    const item = await addItem(owner(), await book(), { departureId, quantity: 3 });
    expect((await patch(item, { quantity: 1 })).status).toBe(200);
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 1 });
    expect((await patch(item, { quantity: 5 })).status).toBe(200);
    const answer = await patch(item, { quantity: 6 });
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, { ...LEFT, details: { available: 0 } })]);
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 5 });
    await expectSumsToAgree(app, [departureId]);
  });

  it('an item with a departure moves to another departure with all its units and gets its day', async () => {
    const [one, other] = [await departureIn(app, 30), await departureIn(app, 40)];
    const item = await addItem(owner(), await book(), { departureId: one.id, quantity: 2 });
    const { body } = await patch(item, { departureId: other.id });
    expect(body.data).toMatchObject({ departureId: other.id, serviceDate: other.startDate });
    expect([await poolOf(app, one.id), await poolOf(app, other.id)]).toMatchObject([{ sold: 0 }, { sold: 2 }]);
    const cleared = await patch(item, { departureId: null });
    expect(cleared.body.data).toMatchObject({ departureId: null, serviceDate: other.startDate });
    expect(await poolOf(app, other.id)).toMatchObject({ sold: 0 });
    const dated = await patch(item, { departureId: one.id, serviceDate: '2031-01-01' });
    expect(dated.body.data['serviceDate']).toBe(one.startDate);
    const redated = await patch(item, { serviceDate: '2031-01-01' });
    expect(redated.body.data['serviceDate']).toBe(one.startDate);
  });

  it('an item with a departure releases its units once, if it is cancelled alone or with its booking', async () => {
    const { id: departureId } = await departureIn(app, 30);
    const bookingId = await book();
    const item = await addItem(owner(), bookingId, { departureId, quantity: 2 });
    await addItem(owner(), bookingId, { departureId, quantity: 4 });
    await addItem(owner(), bookingId, {});
    expect((await cancel(item)).status).toBe(200);
    expect((await cancel(item)).status).toBe(409);
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 4 });
    await owner().post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Ill' });
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 0, available: 20 });
  });

  it('an item is rejected with 404 for an unknown departure or allotment, 409 if cancelled, and 400 without a departure', async () => {
    const bookingId = await book();
    const { id: departureId } = await departureIn(app, 30);
    const noDeparture = await add(bookingId, { departureId: 'dep_01k0dem000e000000000009999' });
    const noAllotment = await add(bookingId, { departureId, allotmentId: 'alot_01k0dem000e000000000009999' });
    const unknown = { error: 'Not found', code: 'not_found' };
    expect(noDeparture.body).toEqual(refusal(noDeparture, { ...unknown, details: { field: 'departureId' } }));
    expect(noAllotment.body).toEqual(refusal(noAllotment, { ...unknown, details: { field: 'allotmentId' } }));
    const alone = await add(bookingId, { allotmentId: 'alot_01k0dem000e000000000000001' });
    const issue = { path: 'allotmentId', message: 'allotmentId requires departureId', code: 'departure_missing' };
    expect([alone.status, alone.body]).toEqual([400, invalid(alone, [issue])]);
    await owner().post(`/v1/admin/operations/departures/${departureId}/cancellation`);
    const cancelled = await add(bookingId, { departureId });
    const details = { departureIds: [departureId] };
    const body = { error: 'The departure is cancelled', code: 'departure_cancelled', details };
    expect([cancelled.status, cancelled.body]).toEqual([409, refusal(cancelled, body)]);
  });
});

describe('an item with an allotment', () => {
  it('an item with an allotment lowers the remaining units of the slot, and takes no units of the pool', async () => {
    const { allotment, departure } = await allotted(app, { units: 10 });
    const units = { departureId: departure.id, allotmentId: allotment.id, quantity: 3 };
    const item = await addItem(owner(), await bookOf(allotment), units);
    expect(item).toMatchObject(units);
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 10, sold: 3, released: 0, remaining: 7 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 3, guaranteedOpen: 7, available: 10 });
    await expectSumsToAgree(app, [departure.id]);

    await cancel(item);
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 10, sold: 0, released: 0, remaining: 10 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 0, guaranteedOpen: 10, available: 10 });
    const kinds = (await movementsOf(app, allotment.id)).map(({ kind, quantity }) => [kind, quantity]);
    expect(kinds).toEqual([['allot', 10], ['pick', 3], ['unpick', 3]]); // prettier-ignore
    await expectSumsToAgree(app, [departure.id]);
  });

  it('an item of a cap takes units of the pool too, and needs units of both', async () => {
    const { allotment, departure } = await allotted(app, { capacity: 5, units: 4, type: 'cap' });
    const through = { departureId: departure.id, allotmentId: allotment.id };
    const bookingId = await bookOf(allotment);
    const item = await addItem(owner(), bookingId, { ...through, quantity: 3 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 3, guaranteedOpen: 0, available: 2 });
    const overCeiling = await add(bookingId, { ...through, quantity: 2 });
    expect(overCeiling.body).toEqual(refusal(overCeiling, { ...LEFT_OF_ALLOTMENT, details: { available: 1 } }));
    await addItem(owner(), bookingId, { departureId: departure.id, quantity: 2 });
    const overPool = await add(bookingId, { ...through, quantity: 1 });
    expect(overPool.body).toEqual(refusal(overPool, { ...LEFT, details: { available: 0 } }));
    expect(await unitsOf(app, allotment.id)).toMatchObject({ sold: 3, remaining: 1 });
    await patch(item, { quantity: 1 });
    expect(await unitsOf(app, allotment.id)).toMatchObject({ sold: 1, remaining: 3 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('guaranteed units are not sold from the pool', async () => {
    const { departure } = await allotted(app, { capacity: 10, units: 8 });
    const answer = await add(await book(), { departureId: departure.id, quantity: 3 });
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, { ...LEFT, details: { available: 2 } })]);
  });

  it('a departure without a slot is rejected with 409 and no available units', async () => {
    const { allotment } = await allotted(app);
    const { id: departureId } = await departureIn(app, 30);
    const answer = await add(await bookOf(allotment), { departureId, allotmentId: allotment.id });
    const details = { available: 0 };
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, { ...LEFT_OF_ALLOTMENT, details })]);
    expect(await poolOf(app, departureId)).toMatchObject({ sold: 0 });
  });

  it('an item with an allotment an inactive allotment rejects more units with 409, but accepts released ones', async () => {
    const { allotment, departure } = await allotted(app);
    const through = { departureId: departure.id, allotmentId: allotment.id };
    const item = await addItem(owner(), await bookOf(allotment), { ...through, quantity: 2 });
    await owner().patch(`${ALLOTMENTS}/${allotment.id}`, { active: false });
    const rejections = [await add(await bookOf(allotment), through), await patch(item, { quantity: 3 })];
    const details = { field: 'allotmentId', allotmentId: allotment.id };
    const body = { error: 'The allotment is inactive', code: 'allotment_inactive', details };
    for (const answer of rejections) expect([answer.status, answer.body]).toEqual([409, refusal(answer, body)]);
    expect((await patch(item, { quantity: 1 })).status).toBe(200);
    expect(await unitsOf(app, allotment.id)).toMatchObject({ sold: 1, remaining: 9 });
  });

  it('an allotment of an inactive channel, and any new item of its bookings, is rejected with 409 channel_inactive', async () => {
    const { allotment, departure } = await allotted(app);
    const { channelId } = allotment;
    const bookingId = await book({ channelId });
    await owner().patch(`/v1/admin/distribution/channels/${channelId}`, { status: 'inactive' });
    const through = { departureId: departure.id, allotmentId: allotment.id };
    for (const answer of [await add(bookingId, through), await add(bookingId, {})]) {
      const details = { field: 'channelId' };
      const body = { error: 'The channel is inactive', code: 'channel_inactive', details };
      expect([answer.status, answer.body]).toEqual([409, refusal(answer, body)]);
    }
  });

  it('an item with an allotment moves between allotments and the pool with all its units', async () => {
    const { allotment, departure } = await allotted(app, { units: 5 });
    const other = await allotted(app, { units: 5, channelId: allotment.channelId });
    const through = { departureId: departure.id, allotmentId: allotment.id };
    const item = await addItem(owner(), await bookOf(allotment), { ...through, quantity: 4 });
    const elsewhere = { departureId: other.departure.id, allotmentId: other.allotment.id };
    expect((await patch(item, { ...elsewhere, quantity: 5 })).status).toBe(200);
    const units = [await unitsOf(app, allotment.id), await unitsOf(app, other.allotment.id)];
    expect(units).toMatchObject([{ sold: 0 }, { sold: 5 }]);
    expect((await patch(item, { allotmentId: null })).status).toBe(200);
    expect(await unitsOf(app, other.allotment.id)).toMatchObject({ sold: 0, remaining: 5 });
    expect(await poolOf(app, other.departure.id)).toMatchObject({ sold: 5, guaranteedOpen: 5, available: 10 });
    const alone = await patch(item, { allotmentId: other.allotment.id, departureId: null });
    expect(alone.status).toBe(400);
    await expectSumsToAgree(app, [departure.id, other.departure.id]);
  });

  it('a cancelled booking releases several items of one slot at once', async () => {
    const { allotment, departure } = await allotted(app);
    const bookingId = await bookOf(allotment);
    const through = { departureId: departure.id, allotmentId: allotment.id };
    for (const quantity of [1, 2, 3]) await addItem(owner(), bookingId, { ...through, quantity });
    await owner().post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Ill' });
    expect(await unitsOf(app, allotment.id)).toMatchObject({ sold: 0, remaining: 10 });
    const unpicked = (await movementsOf(app, allotment.id)).filter(({ kind }) => kind === 'unpick');
    expect(unpicked.map(({ quantity }) => quantity).sort()).toEqual([1, 2, 3]);
    await expectSumsToAgree(app, [departure.id]);
  });

  it('after a release, the units of a cancelled item go directly to the pool', async () => {
    const { allotment, departure } = await allotted(app, { units: 10 });
    const through = { departureId: departure.id, allotmentId: allotment.id };
    const item = await addItem(owner(), await bookOf(allotment), { ...through, quantity: 4 });
    await owner().post(`${ALLOTMENTS}/${allotment.id}/releases`);
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 4, guaranteedOpen: 0, available: 16 });
    await cancel(item);
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 10, sold: 0, released: 10, remaining: 0 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 0, guaranteedOpen: 0, available: 20 });
    await expectSumsToAgree(app, [departure.id]);
  });

  it('of 64 concurrent sales of 10 units, 10 succeed and 54 get 409, and counters equal movements', async () => {
    const { allotment, departure } = await allotted(app, { units: 10 });
    const bookings = await Promise.all(
      Array.from({ length: 64 }, () => patiently(() => makeOne({ channelId: allotment.channelId }))),
    );
    const checks = recordDatabaseErrors(app, CHECK);
    const through = { departureId: departure.id, allotmentId: allotment.id, quantity: 1 };
    const answers = await Promise.all(bookings.map(({ body }) => patiently(() => add(body.data.id, through))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const rejected = answers.filter(({ status }) => status !== 201);
    for (const { status, body } of rejected)
      expect([status, body]).toEqual([409, expect.objectContaining(LEFT_OF_ALLOTMENT)]);
    expect(await unitsOf(app, allotment.id)).toEqual({ allotted: 10, sold: 10, released: 0, remaining: 0 });
    const picked = (await movementsOf(app, allotment.id)).filter(({ kind }) => kind === 'pick');
    expect(picked.map(({ quantity }) => quantity)).toEqual(Array.from({ length: 10 }, () => 1));
    await expectSumsToAgree(app, [departure.id]);
    expect(checks).toEqual([]);
  });
});
