/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import { newDeparture } from '../../operations/departures.js';
import {
  type AllotmentAnswer,
  allotmentBody,
  ALLOTMENTS,
  departureIn,
  expectSumsToAgree,
  invalid,
  movementsOf,
  newAllotment,
  newChannel,
  poolOf,
  product,
  refusal,
  slotsOf,
} from './allotments.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const create = (body: object): Promise<AllotmentAnswer> => app.as('owner').post(ALLOTMENTS, body);
const OVERLAP = {
  error: 'Another active allotment of this channel and product overlaps this period',
  code: 'allotment_overlap',
};

describe('POST /v1/admin/distribution/inventory-allotments', () => {
  it('a new allotment is answered with 201, all its members, Location and ETag', async () => {
    const { id: channelId } = await newChannel(app);
    const sent = {
      channelId,
      productId: product(),
      type: 'cap',
      validFrom: '2031-05-01',
      validTo: '2031-09-30',
      defaultQuantity: 6,
      active: false,
      release: {
        mode: 'manual',
        steps: [{ daysBefore: 14, hoursBefore: 12, keepQuantity: 2 }],
        unsoldAction: 'expire',
        reclaimOnMove: false,
      },
      notes: 'Agreed in March',
    };
    const { status, body, headers } = await create(sent);
    expect(status).toBe(201);
    const instant = expect.stringMatching(/Z$/);
    const id = expect.stringMatching(/^alot_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(body.data).toEqual({ id, ...sent, version: 1, createdAt: instant, updatedAt: instant });
    expect(headers['location']).toBe(`${ALLOTMENTS}/${body.data.id}`);
    expect(headers['etag']).toBe('"1"');
    const read = await app.as('owner').get(`${ALLOTMENTS}/${body.data.id}`);
    expect(read.body).toEqual(body);
  });

  it('a new allotment has the documented defaults', async () => {
    const { id: channelId } = await newChannel(app);
    const terms = { channelId, productId: product(), validFrom: '2031-05-01', defaultQuantity: 0 };
    const { body } = await create({ ...terms, release: { mode: 'automatic', steps: [{ daysBefore: 3 }] } });
    const steps = [{ daysBefore: 3, hoursBefore: 0, keepQuantity: 0 }];
    const release = { mode: 'automatic', steps, unsoldAction: 'release_to_general_pool', reclaimOnMove: true };
    expect(body.data).toMatchObject({ type: 'guaranteed', active: true, validTo: null, notes: null, release });
  });

  it('a new allotment has a slot with guaranteed units on each scheduled future departure whose local start is within validity', async () => {
    const zone = { timeZone: 'Pacific/Auckland' };
    const last = await departureIn(app, 30, zone);
    const { productId } = last;
    const first = await departureIn(app, 20, { productId, ...zone });
    const beyond = await newDeparture(app, {
      productId,
      // In UTC it is still the same day, but in Auckland it is tomorrow.
      startsAt: last.startsAt.replace('T06', 'T13'),
      endsAt: last.startsAt.replace('T06', 'T20'),
      ...zone,
    });
    const cancelled = await departureIn(app, 25, { productId });
    await app.as('owner').post(`/v1/admin/operations/departures/${cancelled.id}/cancellation`);
    const past = await departureIn(app, -1, { productId });

    const made = await newAllotment(app, { productId, defaultQuantity: 4, validTo: last.startDate });

    const slots = await slotsOf(app, made.id);
    const units = { allotted: 4, sold: 0, released: 0, remaining: 4, closed: false };
    expect(slots).toMatchObject([
      { departureId: first.id, startDate: first.startDate, ...units },
      { departureId: last.id, startDate: last.startDate, ...units },
    ]);
    expect(await poolOf(app, first.id)).toMatchObject({ guaranteedOpen: 4, available: 16 });
    for (const { id } of [beyond, past]) expect(await poolOf(app, id)).toMatchObject({ guaranteedOpen: 0 });
    const moved = { kind: 'allot', cause: 'opened', quantity: 4 };
    expect(await movementsOf(app, made.id)).toEqual([moved, moved]);
    await expectSumsToAgree(app, [first.id, last.id]);
  });

  it('the units of a cap stay in the pool', async () => {
    const { id, productId } = await departureIn(app, 10, { capacity: 5 });
    const made = await newAllotment(app, { productId, type: 'cap', defaultQuantity: 50 });
    expect(await slotsOf(app, made.id)).toMatchObject([{ departureId: id, allotted: 50, remaining: 50 }]);
    expect(await poolOf(app, id)).toEqual({ capacity: 5, sold: 0, held: 0, guaranteedOpen: 0, available: 5 });
  });

  it('an allotment that exceeds the pool of departures is rejected with 409 and those departures, and nothing is created', async () => {
    const large = await departureIn(app, 10, { capacity: 10 });
    const { productId } = large;
    const small = await departureIn(app, 11, { productId, capacity: 3 });
    const body = await allotmentBody(app, { productId, defaultQuantity: 4 });
    const answer = await create(body);
    expect(answer.status).toBe(409);
    const details = { available: 3, departures: [{ departureId: small.id, available: 3 }] };
    expect(answer.body).toEqual(
      refusal(answer, { error: 'Not enough units available', code: 'capacity_exceeded', details }),
    );
    expect(await poolOf(app, large.id)).toMatchObject({ guaranteedOpen: 0 });
    const stored = await app.sql('select id from allotments where product_id = $1', [productId]);
    expect(stored).toEqual([]);
  });

  it('an overlap with an active allotment of the channel and product is rejected with 409, also on its last day', async () => {
    const first = await newAllotment(app, { validFrom: '2031-01-01', validTo: '2031-06-30' });
    const { channelId, productId } = first;
    const same = { channelId, productId, defaultQuantity: 1 };
    const answer = await create({ ...same, validFrom: '2031-06-30', validTo: null });
    const details = { takenFrom: '2031-01-01', freeFrom: '2031-07-01' };
    expect([answer.status, answer.body]).toEqual([409, refusal(answer, { ...OVERLAP, details })]);
    expect((await create({ ...same, validFrom: '2031-07-01' })).status).toBe(201);
    expect((await create({ ...same, validFrom: '2031-06-30', active: false })).status).toBe(201);
    expect((await create({ ...same, validFrom: '2031-06-30', channelId: (await newChannel(app)).id })).status).toBe(
      201,
    );
    expect((await create({ ...same, validFrom: '2031-06-30', productId: product() })).status).toBe(201);
  });

  it('one of two concurrent requests for the same allotment gets 201, the other 409', async () => {
    const { id, productId } = await departureIn(app, 10);
    const body = await allotmentBody(app, { productId, defaultQuantity: 4 });
    const answers = await Promise.all([create(body), create(body), create(body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const rejected = answers.filter(({ status }) => status === 409);
    const details = { takenFrom: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), freeFrom: null };
    for (const answer of rejected) expect(answer.body).toEqual(refusal(answer, { ...OVERLAP, details }));
    expect(await poolOf(app, id)).toMatchObject({ guaranteedOpen: 4 });
  });

  it('an allotment for an unknown channel is rejected with 404, for an archived one with 409', async () => {
    const unknown = await create(await allotmentBody(app, { channelId: 'chan_01k0dem000e000000000009999' }));
    const details = { field: 'channelId' };
    expect([unknown.status, unknown.body]).toEqual([
      404,
      refusal(unknown, { error: 'Not found', code: 'not_found', details }),
    ]);
    const { id: channelId } = await newChannel(app);
    await app.as('owner').patch(`/v1/admin/distribution/channels/${channelId}`, { status: 'archived' });
    const archived = await create(await allotmentBody(app, { channelId }));
    const archivedBody = { error: 'The channel is archived', code: 'channel_archived', details };
    expect([archived.status, archived.body]).toEqual([409, refusal(archived, archivedBody)]);
  });

  it('an allotment with an end before the start is rejected with 400', async () => {
    const answer = await create(await allotmentBody(app, { validFrom: '2031-05-02', validTo: '2031-05-01' }));
    const issue = { path: 'validTo', message: 'validTo must not be before validFrom', code: 'end_before_start' };
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
  });

  it('an invalid body of a new allotment is rejected with 400 and its issues, and nothing is created', async () => {
    const productId = product();
    const steps = [{ daysBefore: -1 }];
    const answer = await create(await allotmentBody(app, { productId, release: { mode: 'automatic', steps } }));
    const path = 'release.steps.0.daysBefore';
    const issue = { path, message: 'daysBefore must not be less than 0', code: 'too_small' };
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    expect(await app.sql('select from allotments where product_id = $1', [productId])).toEqual([]);
  });
});

describe('a change of a departure', () => {
  it('a new departure gets slots of the active allotments that cover it', async () => {
    const made = await newAllotment(app, { defaultQuantity: 3 });
    const { productId } = made;
    const inactive = await newAllotment(app, { productId, active: false });
    const over = await newAllotment(app, { productId, validFrom: '2020-01-01', validTo: '2020-12-31' });
    const { id } = await departureIn(app, 9, { productId });
    expect(await slotsOf(app, made.id)).toMatchObject([{ departureId: id, allotted: 3 }]);
    expect(await slotsOf(app, inactive.id)).toEqual([]);
    expect(await slotsOf(app, over.id)).toEqual([]);
    expect(await poolOf(app, id)).toMatchObject({ guaranteedOpen: 3, available: 17 });
  });

  it('a new departure with less capacity than allotments guarantee is rejected with 409', async () => {
    const { productId } = await newAllotment(app, { defaultQuantity: 3 });
    await expect(departureIn(app, 9, { productId, capacity: 2 })).rejects.toThrow('capacity_exceeded');
    expect(await app.sql('select id from departures where product_id = $1', [productId])).toEqual([]);
  });

  it('a cancelled departure suspends its guaranteed units', async () => {
    const { id, productId } = await departureIn(app, 9);
    const made = await newAllotment(app, { productId, defaultQuantity: 3 });
    const answer = await app.as('owner').post(`/v1/admin/operations/departures/${id}/cancellation`);
    expect(answer.status).toBe(200);
    expect(await poolOf(app, id)).toMatchObject({ guaranteedOpen: 0, available: 20 });
    expect(await slotsOf(app, made.id)).toMatchObject([{ released: 0, suspended: 3, remaining: 0, closed: true }]);
    await expectSumsToAgree(app, [id]);
  });

  it('a moved departure leaves the allotments of its old day and gets slots of those of the new day', async () => {
    const departure = await departureIn(app, 9);
    const { id, productId, startsAt, endsAt, startDate } = departure;
    const before = await newAllotment(app, { productId, validTo: startDate, defaultQuantity: 3 });
    const after = await newAllotment(app, { productId, validFrom: '2100-01-01', defaultQuantity: 5 });
    const path = `/v1/admin/operations/departures/${id}`;
    await app.as('owner').patch(path, { startsAt: '2100-02-01T06:00:00Z', endsAt: '2100-02-01T09:00:00Z' });
    expect(await slotsOf(app, before.id)).toMatchObject([{ remaining: 0, closed: true, startDate: '2100-02-01' }]);
    expect(await slotsOf(app, after.id)).toMatchObject([{ remaining: 5, closed: false }]);
    expect(await poolOf(app, id)).toMatchObject({ guaranteedOpen: 5 });

    await app.as('owner').patch(path, { startsAt, endsAt });
    expect(await slotsOf(app, before.id)).toMatchObject([{ allotted: 3, remaining: 3, closed: false }]);
    expect(await slotsOf(app, after.id)).toMatchObject([{ remaining: 0, closed: true }]);
    await expectSumsToAgree(app, [id]);
  });
});
