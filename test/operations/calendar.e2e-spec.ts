import { beforeAll, expect, it } from '@jest/globals';
import { invalid, type One, type Page, problem } from '../bookings/bookings.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newDeparture } from './departures.js';
import { newAssignment, newResource } from './resources.js';

const CALENDAR = '/v1/admin/operations/calendar';
const WEEK = 'from=2128-03-06&to=2128-03-12';

interface Row {
  id: string | null;
  name: string | null;
  entries: Record<string, unknown>[];
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', ORG_TIME_ZONE: 'Europe/Bucharest' } });
  owner = app.as('owner');
});

const read = async (query: string) => (await owner.get<Page<Row>>(`${CALENDAR}?${WEEK}&limit=100&${query}`)).body;

it('a calendar shows assignments and absences of each resource, and the free ones', async () => {
  const { id: productId } = await newProduct(app, { name: 'Night in the delta', resourceNeeds: [{ type: 'driver' }] });
  const late = { startsAt: '2128-03-12T20:00:00.000Z', endsAt: '2128-03-13T04:00:00.000Z' };
  const { id: departureId } = await newDeparture(app, { ...late, productId, capacity: 12 });
  const absence = { startsAt: '2128-03-01T00:00:00.000Z', endsAt: '2128-03-06T08:00:00.000Z' };
  const busy = await newResource(app, { type: 'equipment', name: 'Calendar tent', unavailability: [absence] });
  const free = await newResource(app, { type: 'equipment', name: 'Calendar wagon' });
  const archived = await newResource(app, { type: 'equipment', name: 'Calendar zodiac' });
  await owner.post(`/v1/admin/operations/resources/${archived.id}/archival`);
  const assignment = await newAssignment(app, { departureId, resourceId: busy.id, role: 'Shelter' });
  // The week ends at midnight in Bucharest, two hours before this departure starts.
  const next = { startsAt: '2128-03-12T22:00:00.000Z', endsAt: '2128-03-13T10:00:00.000Z' };
  await newAssignment(app, { departureId: (await newDeparture(app, next)).id, resourceId: free.id });

  const { data, total } = await read('resourceType=equipment');
  const mine = data.filter(({ name }) => name?.startsWith('Calendar'));
  const none = { departureId: null, productId: null, productName: null, salesState: null, sold: null, capacity: null };
  expect(mine).toEqual([
    {
      ...{ id: busy.id, name: 'Calendar tent', resourceType: 'equipment' },
      entries: [
        { kind: 'absence', ...absence, ...none, assignmentId: null, role: null, understaffed: false },
        {
          ...{ kind: 'assignment', ...late, departureId, productId, productName: 'Night in the delta' },
          ...{ assignmentId: assignment.id, role: 'Shelter', salesState: 'open', sold: 0, capacity: 12 },
          understaffed: true,
        },
      ],
    },
    { id: free.id, name: 'Calendar wagon', resourceType: 'equipment', entries: [] },
  ]);
  expect(total).toBe(data.length);
});

it('grouped by product or meeting point, a calendar shows all departures that overlap with it', async () => {
  const facility = await owner.post<One<{ id: string }>>('/v1/admin/operations/facilities', {
    ...{ name: 'Pier of the calendar', kind: 'other' },
  });
  const facilityId = facility.body.data.id;
  const { id: productId } = await newProduct(app, { name: 'Calendar cruise' });
  const long = { startsAt: '2128-03-01T06:00:00.000Z', endsAt: '2128-03-20T15:00:00.000Z' };
  const short = { startsAt: '2128-03-08T06:00:00.000Z', endsAt: '2128-03-08T15:00:00.000Z' };
  const past = { startsAt: '2128-03-05T06:00:00.000Z', endsAt: '2128-03-05T15:00:00.000Z' };
  const cruise = await newDeparture(app, { ...long, productId, facilityId });
  const trip = await newDeparture(app, { ...short, productId });
  await newDeparture(app, { ...past, productId, facilityId });

  const products = (await read('groupBy=product')).data.filter(({ id }) => id === productId);
  expect(products).toMatchObject([
    {
      ...{ name: 'Calendar cruise', resourceType: null },
      entries: [
        { kind: 'departure', departureId: cruise.id, ...long },
        { kind: 'departure', departureId: trip.id, ...short },
      ],
    },
  ]);
  const places = (await read('groupBy=facility')).data;
  expect(places.find(({ id }) => id === facilityId)).toMatchObject({
    name: 'Pier of the calendar',
    entries: [{ departureId: cruise.id }],
  });
  const somewhere = places.at(-1);
  expect(somewhere).toMatchObject({ id: null, name: null });
  expect(somewhere?.entries.map(({ departureId }) => departureId)).toContain(trip.id);
  const second = (await owner.get(`${CALENDAR}?${WEEK}&groupBy=facility&limit=1&offset=1`)).body;
  expect(second).toMatchObject({ limit: 1, offset: 1, total: places.length });
  const beyond = (await owner.get(`${CALENDAR}?${WEEK}&groupBy=facility&offset=1000`)).body;
  expect(beyond).toMatchObject({ data: [], total: places.length });
});

it('a calendar has at most 62 days and 5,000 entries on a page', async () => {
  const get = async (query: string) => {
    const { status, body } = await owner.get(`${CALENDAR}?${query}`);
    return [status, body];
  };
  expect(await get('from=2128-03-01&to=2128-05-02')).toEqual([400, invalid('to', 'day_out_of_range')]);
  expect(await get('from=2128-03-01&to=2128-02-28')).toEqual([400, invalid('to', 'end_before_start')]);
  expect(await get('groupBy=product&resourceType=boat')).toEqual([400, invalid('resourceType', 'not_applicable')]);
  const { id } = await newResource(app, { type: 'other' });
  await app.sql(
    `update resources set unavailability = (
       select jsonb_agg(jsonb_build_object('startsAt', '2128-08-01T06:00:00Z', 'endsAt', '2128-08-01T07:00:00Z'))
       from generate_series(1, 5001))
     where id = $1`,
    [id],
  );
  const details = { field: 'to', limit: 5_000 };
  expect(await get('from=2128-08-01&resourceType=other')).toEqual([422, problem('calendar_too_dense', details)]);
});
