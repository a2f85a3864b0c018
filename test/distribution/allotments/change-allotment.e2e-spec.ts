import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import {
  type AllotmentAnswer,
  allotted,
  ALLOTMENTS,
  departureIn,
  expectSumsToAgree,
  invalid,
  movementsOf,
  newAllotment,
  NOT_FOUND,
  onlySlot,
  poolOf,
  refusal,
  sell,
  type Slot,
  slotsOf,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const change = (id: string, body: object): Promise<AllotmentAnswer> =>
  app.as('owner').patch(`${ALLOTMENTS}/${id}`, body);
const resize = (slot: Slot, size: number) =>
  app.as('owner').patch<{ data: Slot }>(`${ALLOTMENTS}/${slot.allotmentId}/slots/${slot.id}`, { allotted: size });

describe('PATCH /v1/admin/distribution/inventory-allotments/{id}', () => {
  it.each([
    ['notes', 'Changed'],
    ['notes', null],
    ['defaultQuantity', 7],
    ['active', false],
    ['release', null],
    ['validTo', '2033-12-31'],
  ])('{%s: %j} changes only that field, updatedAt and version of an allotment', async (field, value) => {
    const release = { mode: 'manual', steps: [{ daysBefore: 3 }] };
    const before = await newAllotment(app, { notes: 'Before', validTo: '2033-06-30', release });
    app.travel({ ms: 5 });
    const { status, body, headers } = await change(before.id, { [field]: value });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, [field]: value, version: 2, updatedAt: body.data.updatedAt });
    expect(body.data.updatedAt > before.updatedAt).toBe(true);
    expect(headers['etag']).toBe('"2"');
  });

  it('a change of an immutable member of an allotment is rejected with 400', async () => {
    const { id } = await newAllotment(app);
    const answer = await change(id, { validFrom: '2031-01-01' });
    const issue = { path: 'validFrom', message: 'validFrom is not recognized', code: 'unknown_member' };
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    const [stored] = await app.sql('select version from allotments where id = $1', [id]);
    expect(stored).toEqual({ version: 1 });
  });

  it('a new default quantity applies to new slots only', async () => {
    const { allotment, departure } = await allotted(app, { units: 4 });
    await change(allotment.id, { defaultQuantity: 6 });
    await departureIn(app, 80, { productId: departure.productId });
    expect((await slotsOf(app, allotment.id)).map((slot) => slot.allotted)).toEqual([4, 6]);
  });

  it('an earlier end suspends the units of uncovered slots, and a later end returns them whatever the default quantity is by then', async () => {
    const { allotment, departure } = await allotted(app, { units: 4 });
    const { id, productId, startDate } = departure;
    const later = await departureIn(app, 80, { productId });
    await change(allotment.id, { validTo: startDate });
    expect(await slotsOf(app, allotment.id)).toMatchObject([{ remaining: 4 }, { remaining: 0, closed: true }]);
    expect(await poolOf(app, later.id)).toMatchObject({ guaranteedOpen: 0, available: 20 });
    await change(allotment.id, { validTo: null, defaultQuantity: 5 });
    expect(await slotsOf(app, allotment.id)).toMatchObject([
      { allotted: 4, remaining: 4 },
      { allotted: 4, released: 0, suspended: 0, remaining: 4, closed: false },
    ]);
    await expectSumsToAgree(app, [id, later.id]);
  });

  it('an earlier end that excludes a slot with sales is rejected with 409 and changes nothing', async () => {
    const { allotment, departure } = await allotted(app, { units: 4 });
    await sell(app, { allotment, departure }, 3);
    const answer = await change(allotment.id, { validTo: allotment['validFrom'] });
    const body = { error: 'Units are sold on departures outside the new validity', code: 'allotment_has_sales' };
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, { ...body, details: { sold: 3 } })]);
    expect(await onlySlot(app, allotment.id)).toMatchObject({ sold: 3, remaining: 1, closed: false });
  });

  it('an overlap with another active allotment of the channel and product is rejected with 409, by a later end or a reactivation', async () => {
    const first = await newAllotment(app, { validFrom: '2031-01-01', validTo: '2031-06-30' });
    const { channelId, productId } = first;
    const second = await newAllotment(app, { channelId, productId, validFrom: '2031-07-01', validTo: '2031-12-31' });
    const resting = await newAllotment(app, { channelId, productId, validFrom: '2031-08-01', active: false });
    const overlap = { code: 'allotment_overlap', details: { takenFrom: '2031-07-01', freeFrom: '2032-01-01' } };
    for (const answer of [await change(first.id, { validTo: null }), await change(resting.id, { active: true })]) {
      expect([answer.status, answer.body]).toMatchObject([409, overlap]);
    }
    await change(second.id, { active: false });
    expect((await change(resting.id, { active: true })).status).toBe(200);
  });

  it('a reactivated allotment gets slots on all departures that were added meanwhile, or on none', async () => {
    const { allotment, departure } = await allotted(app, { units: 4 });
    const { productId } = departure;
    await change(allotment.id, { active: false });
    expect(await poolOf(app, departure.id)).toMatchObject({ guaranteedOpen: 4 });
    const small = await departureIn(app, 70, { productId, capacity: 3 });
    const rejected = await change(allotment.id, { active: true });
    expect([rejected.status, rejected.body]).toMatchObject([409, { code: 'capacity_exceeded' }]);
    await change(allotment.id, { defaultQuantity: 3 });
    expect((await change(allotment.id, { active: true })).status).toBe(200);
    expect((await slotsOf(app, allotment.id)).map((slot) => slot.remaining)).toEqual([4, 3]);
    await expectSumsToAgree(app, [departure.id, small.id]);
  });
});

describe('PATCH /v1/admin/distribution/inventory-allotments/{id}/slots/{slotId}', () => {
  it('a change of a slot changes its allotted units, but not below sold plus released units', async () => {
    const { allotment, departure, slot } = await allotted(app, { units: 4 });
    await sell(app, { allotment, departure }, 2);
    const more = await resize(slot, 9);
    expect([more.status, more.headers['etag']]).toEqual([200, '"2"']);
    expect(more.body.data).toMatchObject({ allotted: 9, sold: 2, remaining: 7, version: 2 });
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 2, guaranteedOpen: 7, available: 11 });
    expect((await resize(slot, 2)).status).toBe(200);
    expect(await poolOf(app, departure.id)).toMatchObject({ sold: 2, guaranteedOpen: 0, available: 18 });
    const answer = await resize(slot, 1);
    const body = { error: 'allotted must not be below sold, held and released units', code: 'capacity_exceeded' };
    const details = { available: 0, sold: 2, released: 0, lowestAllotted: 2 };
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, { ...body, details })]);
    const moved = (await movementsOf(app, allotment.id)).map(({ kind, quantity }) => `${kind} ${quantity}`);
    expect(moved).toEqual(['allot 4', 'pick 2', 'allot 5', 'release 7']);
    await expectSumsToAgree(app, [departure.id]);
  });

  it('allotting more units than the pool has is rejected with 409 and the available units', async () => {
    const { slot } = await allotted(app, { capacity: 10, units: 4 });
    const answer = await resize(slot, 11);
    expect([answer.status, answer.body]).toMatchObject([409, { code: 'capacity_exceeded', details: { available: 6 } }]);
  });

  it('a change of a closed slot is rejected with 409, of a slot of another allotment with 404', async () => {
    const { departure, slot } = await allotted(app);
    const other = await newAllotment(app);
    const elsewhere = await resize({ ...slot, allotmentId: other.id }, 1);
    expect([elsewhere.status, elsewhere.body]).toEqual([404, refusal(elsewhere, NOT_FOUND)]);
    await app.as('owner').post(`/v1/admin/operations/departures/${departure.id}/cancellation`);
    const closed = await resize(slot, 12);
    const body = {
      error: 'The slot is closed: its departure is cancelled or outside the validity',
      code: 'slot_closed',
    };
    const details = { departureId: slot.departureId, startDate: slot['startDate'] };
    expect([closed.status, closed.body]).toEqual([409, refusal(closed, { ...body, details })]);
  });
});
