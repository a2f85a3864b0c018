import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DepartureSchedulesJobs } from '../../src/modules/operations/schedules/departure-schedules.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { addItem, makeBooking } from '../bookings/bookings.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEPARTURES } from './departures.js';

const SCHEDULES = '/v1/admin/operations/departure-schedules';

interface Schedule extends Record<string, unknown> {
  id: string;
  version: number;
}

interface Listed {
  id: string;
  startsAt: string;
  endsAt: string;
  status: string;
  capacity: number;
  productId: string;
}

let app: TestApp;
let owner: TestClient;
let productId: string;

beforeAll(async () => {
  // The tests run the job, to avoid waiting.
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const TIME_ZONE = 'Europe/Bucharest';
const DAY_MS = 24 * 3_600_000;

/** The local day of the schedules in this many days, which is not always the day in UTC. */
function day(offset: number): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE }).format(app.now());
  return new Date(Date.parse(today) + offset * DAY_MS).toISOString().slice(0, 10);
}

beforeEach(async () => {
  ({ id: productId } = await newProduct(app, {
    timeZone: TIME_ZONE,
    durationMinutes: 120,
    defaultCapacity: 8,
  }));
});

const body = (over: object = {}) => ({
  ...{ productId, dtstart: day(1), startTimes: ['09:00'], rrule: 'FREQ=DAILY', horizonDays: 5 },
  ...{ priceCents: 5_900, currency: 'EUR', ...over },
});

async function newSchedule(over: object = {}): Promise<Schedule> {
  const { status, body: answer, text } = await owner.post<{ data: Schedule }>(SCHEDULES, body(over));
  expect([status, text]).toEqual([201, text]);
  await fill(answer.data.id);
  return answer.data;
}

const fill = (scheduleId: string) => asSystem(() => app.nest.get(DepartureSchedulesJobs).fill({ scheduleId }));

async function departuresOf(scheduleId: string): Promise<Listed[]> {
  const path = `${DEPARTURES}?scheduleId=${scheduleId}&limit=200`;
  return (await owner.get<{ data: Listed[] }>(path)).body.data;
}

async function change(id: string, changes: object, query = '') {
  const answer = await owner.patch<{ data: Schedule; kept: { departureId: string; localDate: string }[] }>(
    `${SCHEDULES}/${id}${query}`,
    changes,
  );
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  await fill(answer.body.data.id);
  return answer.body;
}

const localDays = (departures: Listed[]) => departures.map(({ startsAt }) => startsAt.slice(0, 10));
const refusal = ({ status, body: answer }: { status: number; body: object }) => [
  status,
  Reflect.get(answer, 'code'),
  Reflect.get(answer, 'details'),
];

describe('departure schedules', () => {
  it('a schedule makes the departures of its horizon once, with what it and its product state', async () => {
    const schedule = await newSchedule({ startTimes: ['14:00', '09:00'], cutoff: { minutesBefore: 30 } });
    expect(schedule).toMatchObject({ durationMinutes: 120, capacity: 8, timeZone: TIME_ZONE, endsOn: null });
    const made = await departuresOf(schedule.id);
    expect(localDays(made)).toEqual([1, 2, 3, 4, 5].flatMap((offset) => [day(offset), day(offset)]));
    expect(made[0]).toMatchObject({ productId, capacity: 8, priceCents: 5_900, cutoff: { minutesBefore: 30 } });
    const length = ({ startsAt, endsAt }: Listed) => Date.parse(endsAt) - Date.parse(startsAt);
    expect(made.map(length)).toEqual(made.map(() => 7_200_000));
    await Promise.all([fill(schedule.id), fill(schedule.id)]);
    expect(await departuresOf(schedule.id)).toHaveLength(10);
  });

  it('parallel jobs make each departure once', async () => {
    const { body: answer } = await owner.post<{ data: Schedule }>(SCHEDULES, body({ horizonDays: 60 }));
    await Promise.all([1, 2, 3, 4].map(() => fill(answer.data.id)));
    const made = localDays(await departuresOf(answer.data.id));
    expect([made.length, new Set(made).size]).toEqual([60, 60]);
  });

  it('an occurrence that was cancelled, moved or edited is not made again', async () => {
    const { id } = await newSchedule();
    const [first, second, third] = await departuresOf(id);
    await owner.post(`${DEPARTURES}/${first?.id}/cancellation`, { reason: 'The boat is in repair' });
    const moved = { startsAt: `${day(200)}T09:00:00Z`, endsAt: `${day(200)}T10:00:00Z` };
    expect((await owner.patch(`${DEPARTURES}/${second?.id}`, moved)).status).toBe(200);
    await owner.patch(`${DEPARTURES}/${third?.id}`, { capacity: 3 });
    await fill(id);
    const after = await departuresOf(id);
    expect(after).toHaveLength(5);
    expect(after.find((one) => one.id === third?.id)).toMatchObject({ capacity: 3 });
    expect(after.find((one) => one.id === first?.id)).toMatchObject({ status: 'cancelled' });
  });

  it('excluded days are left out and additional ones are made', async () => {
    const days = { rrule: 'FREQ=DAILY;COUNT=3', exdates: [day(2)], rdates: [day(5)] };
    expect(localDays(await departuresOf((await newSchedule(days)).id))).toEqual([1, 3, 5].map(day));
  });

  it('departures without sales follow a change, those with sales are kept and named', async () => {
    const { id } = await newSchedule();
    const [, sold] = await departuresOf(id);
    const booking = await makeBooking(owner);
    await addItem(owner, booking.id, { departureId: sold?.id });

    const { kept } = await change(id, { startTimes: ['09:00'], capacity: 12, exdates: [day(3)] });
    expect(kept).toEqual([{ departureId: sold?.id, localDate: day(2) }]);
    const after = await departuresOf(id);
    expect(after.map(({ status, capacity }) => [status, capacity])).toEqual([
      ['scheduled', 12],
      ['scheduled', 8],
      ['cancelled', 8],
      ['scheduled', 12],
      ['scheduled', 12],
    ]);
  });

  it('another start time cancels the departures of the old one and makes those of the new one', async () => {
    const { id } = await newSchedule({ horizonDays: 2 });
    await change(id, { startTimes: ['11:00'] });
    const after = await departuresOf(id);
    expect(after.map(({ status }) => status).sort()).toEqual(['cancelled', 'cancelled', 'scheduled', 'scheduled']);
  });

  it('a change of the following days ends the schedule, and a new one takes over its departures', async () => {
    const { id } = await newSchedule({ rrule: 'FREQ=DAILY;COUNT=4' });
    const before = await departuresOf(id);
    const [, , third] = before;
    await addItem(owner, (await makeBooking(owner)).id, { departureId: third?.id });
    const { data: next, kept } = await change(id, { capacity: 20 }, `?scope=following&from=${day(3)}`);
    expect(next).toMatchObject({ dtstart: day(3), rrule: 'FREQ=DAILY;COUNT=2', capacity: 20, version: 1 });
    expect(kept).toEqual([{ departureId: third?.id, localDate: day(3) }]);
    const { body: former } = await owner.get<{ data: Schedule }>(`${SCHEDULES}/${id}`);
    expect(former.data).toMatchObject({ endsOn: day(2), capacity: 8, version: 2 });
    await fill(id);
    const [early, late] = await Promise.all([departuresOf(id), departuresOf(next.id)]);
    expect([...early, ...late].map((one) => one.id)).toEqual(before.map((one) => one.id));
    expect([...early, ...late].map(({ capacity }) => capacity)).toEqual([8, 8, 8, 20]);
  });

  it('an inactive schedule makes nothing, and goes on when it is active again', async () => {
    const { id } = await newSchedule({ active: false });
    expect(await departuresOf(id)).toEqual([]);
    await change(id, { active: true });
    expect(await departuresOf(id)).toHaveLength(5);
  });

  it('an error that prevents new departures is shown until it is corrected', async () => {
    const { id } = await newSchedule({ horizonDays: 2 });
    for (const { id: departureId } of await departuresOf(id)) {
      await owner.post(`${DEPARTURES}/${departureId}/cancellation`, {});
    }
    expect((await owner.post(`${PRODUCTS}/${productId}/archival`)).status).toBe(200);
    await change(id, { horizonDays: 4 });
    const problem = async () => (await owner.get<{ data: Schedule }>(`${SCHEDULES}/${id}`)).body.data['problem'];
    expect(await problem()).toBe('product_archived');
    await change(id, { horizonDays: 2 });
    expect(await problem()).toBeNull();
  });

  it('a preview shows the local times, and those that the clocks skip', async () => {
    // In Bucharest the clocks go from 03:00 to 04:00 on the last Sunday of March.
    const preview = await owner.post<{ data: { occurrences: object[]; skipped: object[] } }>(`${SCHEDULES}/preview`, {
      ...body({ startTimes: ['03:30', '10:00'], rrule: 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', horizonDays: 730 }),
    });
    expect(preview.status).toBe(200);
    const { occurrences, skipped } = preview.body.data;
    expect([occurrences.length, skipped.length]).toEqual([2, 2]);
    expect(occurrences[0]).toMatchObject({ localTime: '10:00', startsAt: expect.stringMatching(/T07:00:00/) });
    expect(skipped[0]).toMatchObject({ localTime: '03:30', reason: 'nonexistent_local_time' });
    const none = await owner.get<{ total: number }>(`${SCHEDULES}?productId=${productId}`);
    expect(none.body.total).toBe(0);
  });

  it.each<[string, object, unknown[]]>([
    [
      'a rule by the hour',
      { rrule: 'FREQ=HOURLY' },
      [400, 'invalid_request', { fields: { rrule: [expect.any(String)] } }],
    ],
    [
      'an excluded day that does not exist',
      { exdates: ['2027-02-30'] },
      [400, 'invalid_request', { fields: { 'exdates.0': [expect.any(String)] } }],
    ],
    [
      'too many departures',
      { horizonDays: 730, startTimes: ['08:00', '09:00', '10:00'] },
      [422, 'schedule_too_dense', { field: 'rrule', departures: 2_190, max: 2_000 }],
    ],
    [
      'an unknown meeting point',
      { facilityId: 'fac_01k0dem000e0000000000000zz' },
      [404, 'not_found', { field: 'facilityId' }],
    ],
    [
      'a first day long ago',
      { dtstart: '1999-01-01' },
      [400, 'invalid_request', { fields: { dtstart: [expect.any(String)] } }],
    ],
    ['more tax than the price', { taxIncludedCents: 6_000 }, [400, 'invalid_request', expect.anything()]],
  ])('%s is rejected', async (_, over, expected) => {
    expect(refusal(await owner.post(SCHEDULES, body(over)))).toMatchObject(expected);
  });

  it('without a record of the product, the zone, the duration and the capacity are required', async () => {
    const [status, code, details] = refusal(await owner.post(SCHEDULES, body({ productId: 'no-record' })));
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(Object.keys((details as { fields: object }).fields)).toEqual(['timeZone', 'durationMinutes', 'capacity']);
  });

  it('an option and prices of units are copied to the departures, follow a change, and decide what is sold', async () => {
    const part = async (list: 'options' | 'units', terms: object) => (await newPart(app, productId, list, terms)).id;
    const [morning, other] = [
      await part('options', { name: 'Morning', cutoff: { minutesBefore: 90 } }),
      await part('options', { name: 'Private' }),
    ];
    const unitId = await part('units', { type: 'adult', name: 'Adult' });
    const own = (optionId: string, amountCents: number) => ({
      ...{ optionId, unitPrices: [{ unitId, optionId, amountCents }] },
    });
    const { id, ...made } = await newSchedule({ ...own(other, 4_000), horizonDays: 3 });
    const departures = await departuresOf(id);
    const [first, second] = departures;
    const booking = await makeBooking(owner);
    const sale = (optionId?: string) => ({ departureId: first?.id, units: [{ unitId, quantity: 1 }], optionId });
    const items = `/v1/admin/bookings/${booking.id}/items`;
    const refused = refusal(await owner.post(items, sale(morning)));
    const sold = await owner.post<{ items: object[] }>(items, sale());
    const quote = { departureId: second?.id, currency: 'EUR', units: [{ unitId, quantity: 2 }] };
    const quoted = await owner.post<{ data: object }>(`${PRODUCTS}/${productId}/quotes`, quote);
    await change(id, own(morning, 4_500));
    const after = await departuresOf(id);
    const unknown = refusal(await owner.patch(`${SCHEDULES}/${id}`, { optionId: 'popt_01k0dem000e0000000000zzzzz' }));
    const twice = { unitPrices: [1, 2].map((amountCents) => ({ unitId, amountCents })) };

    expect(made).toMatchObject({ ...own(other, 4_000), cutoff: null });
    expect(departures).toMatchObject(departures.map(() => own(other, 4_000)));
    expect(refused.slice(0, 2)).toEqual([422, 'option_mismatch']);
    expect(sold.body.items).toMatchObject([{ optionId: other, unitSellCents: 4_000, priceSource: 'departure' }]);
    expect(quoted.body.data).toMatchObject({ optionId: other, totalCents: 8_000 });
    expect(after.map(({ id: one, ...rest }) => [one === first?.id, rest])).toMatchObject([
      [true, own(other, 4_000)],
      ...departures.slice(1).map(() => [false, own(morning, 4_500)]),
    ]);
    expect(unknown.slice(0, 2)).toEqual([422, 'option_mismatch']);
    expect((await owner.patch(`${SCHEDULES}/${id}`, twice)).status).toBe(400);
    expect((await newSchedule(own(morning, 1))).cutoff).toMatchObject({ minutesBefore: 90 });
  });

  it('the option and the prices of units that staff set on a departure stay until those of its schedule change', async () => {
    const part = async (list: 'options' | 'units', terms: object) => (await newPart(app, productId, list, terms)).id;
    const [morning, evening] = [await part('options', { name: 'Morning' }), await part('options', { name: 'Evening' })];
    const unitId = await part('units', { type: 'adult', name: 'Adult' });
    const at = (amountCents: number) => [{ unitId, optionId: null, amountCents }];
    const { id } = await newSchedule({ horizonDays: 2 });
    const [first] = await departuresOf(id);
    const byHand = { optionId: morning, unitPrices: at(4_200) };
    expect((await owner.patch(`${DEPARTURES}/${first?.id}`, byHand)).status).toBe(200);
    await change(id, { capacity: 24, unitPrices: [] });
    const kept = await departuresOf(id);
    // Two changes before the job runs.
    await owner.patch(`${SCHEDULES}/${id}`, { unitPrices: at(4_300) });
    await change(id, { capacity: 20 });
    const repriced = await departuresOf(id);
    const { data: next } = await change(id, { optionId: evening }, `?scope=following&from=${day(2)}`);
    await fill(id);
    const split = [...(await departuresOf(id)), ...(await departuresOf(next.id))];

    expect(kept).toMatchObject([
      { capacity: 24, ...byHand },
      { capacity: 24, optionId: null, unitPrices: [] },
    ]);
    expect(repriced).toMatchObject([
      { capacity: 20, optionId: morning, unitPrices: at(4_300) },
      { capacity: 20, optionId: null, unitPrices: at(4_300) },
    ]);
    expect(split).toMatchObject([
      { optionId: morning, unitPrices: at(4_300) },
      { optionId: evening, unitPrices: at(4_300) },
    ]);
  });

  it.each<[string, (day: (days: number) => string) => string]>([
    ['from without a scope', (day) => `?from=${day(3)}`],
    ['a scope without from', () => '?scope=following'],
    ['the first day', (day) => `?scope=following&from=${day(1)}`],
    ['another first day', (day) => `?scope=following&from=${day(2)}`],
    ['a day that is past', (day) => `?scope=following&from=${day(-1)}`],
  ])('a change of the following days with %s is 400', async (what, queryOf) => {
    const { id } = await newSchedule({ horizonDays: 2 });
    const query = queryOf(day);
    const changes = { capacity: 9, ...(what === 'another first day' && { dtstart: day(2) }) };
    expect((await owner.patch(`${SCHEDULES}/${id}${query}`, changes)).status).toBe(400);
  });
});
