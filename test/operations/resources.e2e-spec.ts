import { beforeAll, describe, expect, it } from '@jest/globals';
import { confirmedBooking, entriesAbout, invalid, type One, type Page, problem } from '../bookings/bookings.js';
import { callOff } from '../desk/call-offs/call-offs.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEPARTURES, newDeparture, read } from './departures.js';
import { type Assignment, assignmentsOf, newAssignment, newResource, type Resource, RESOURCES } from './resources.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const DAY = { startsAt: '2127-05-12T06:00:00.000Z', endsAt: '2127-05-12T15:00:00.000Z' };
const EVENING = { startsAt: '2127-05-12T15:00:00.000Z', endsAt: '2127-05-12T18:00:00.000Z' };
const NEXT_DAY = { startsAt: '2127-05-13T06:00:00.000Z', endsAt: '2127-05-13T15:00:00.000Z' };
const BOARD = '/v1/admin/desk/departures?from=2127-05-01&to=2127-05-31';
const UNKNOWN = 'rsrc_01k0dem000e0000000000zzzzz';
const assign = (departureId: string, body: object) => owner.post<One<Assignment>>(assignmentsOf(departureId), body);
const list = async (id: string) => (await owner.get<Page<Assignment>>(assignmentsOf(id))).body.data;
const change = (id: string, body: object) => owner.patch<One<Resource>>(`${RESOURCES}/${id}`, body);
const conflicting = ({ id: assignmentId, resourceId, departureId, startsAt, endsAt }: Assignment) => ({
  ...{ assignmentId, resourceId, departureId, startsAt, endsAt },
});

describe('a resource', () => {
  it('is created, listed, changed and archived, and the archival is reversed', async () => {
    const documents = [{ kind: 'driving licence D', expiresOn: '2128-03-31' }, { kind: 'first aid' }];
    const made = await newResource(app, { type: 'driver', name: 'Radu Driver', languages: ['ro', 'en'], documents });
    expect(made).toMatchObject({
      ...{ type: 'driver', status: 'active', exclusive: true, seats: null, userId: null, groundOperatorId: null },
      documents: [documents[0], { kind: 'first aid', expiresOn: null }],
      unavailability: [],
    });
    const found = await owner.get<Page<Resource>>(`${RESOURCES}?search=DU%20driver&type=driver,guide&status=active`);
    expect(found.body.data.map(({ id }) => id)).toEqual([made.id]);
    const unavailability = [{ startsAt: '2127-07-01T00:00:00+03:00', endsAt: '2127-07-15T00:00:00+03:00' }];
    const changed = await change(made.id, { seats: 8, unavailability });
    expect([changed.status, changed.body.data]).toMatchObject([
      200,
      { seats: 8, unavailability: [{ startsAt: '2127-06-30T21:00:00.000Z' }], version: 2 },
    ]);
    const archived = await owner.post<One<Resource>>(`${RESOURCES}/${made.id}/archival`);
    expect([archived.status, archived.body.data.status]).toEqual([200, 'archived']);
    const closed = await change(made.id, { seats: 9 });
    expect([closed.status, closed.body]).toEqual([409, problem('resource_archived', { resourceId: made.id })]);
    const refused = await assign((await newDeparture(app)).id, { resourceId: made.id });
    const details = { resourceId: made.id, field: 'resourceId' };
    expect([refused.status, refused.body]).toEqual([409, problem('resource_archived', details)]);
    const actions = (await entriesAbout(owner, made.id)).map(({ action }) => action);
    expect(actions).toEqual(['create', 'update', 'archive'].map((verb) => `operations.resource.${verb}`));
    const entries = `/v1/admin/action-ledger/entries`;
    const [last] = (await owner.get<{ data: { id: string }[] }>(`${entries}?subjectId=${made.id}`)).body.data;
    expect((await owner.post(`${entries}/${last?.id}/reversals`, { reason: 'By mistake' })).status).toBe(201);
    expect((await change(made.id, { seats: 9 })).status).toBe(200);
  });

  it('names an existing operator and user, and its periods end after they begin', async () => {
    const post = (body: object) => owner.post(RESOURCES, { type: 'guide', name: 'Ana', ...body });
    const operator = await post({ groundOperatorId: 'gop_01k0dem000e0000000000zzzzz' });
    expect([operator.status, operator.body]).toEqual([404, problem('not_found', { field: 'groundOperatorId' })]);
    const user = await post({ userId: 'user_01k0dem000e0000000000zzzzz' });
    expect([user.status, user.body]).toEqual([404, problem('not_found', { field: 'userId' })]);
    const wrong = await post({ unavailability: [{ startsAt: DAY.endsAt, endsAt: DAY.startsAt }] });
    expect([wrong.status, wrong.body]).toEqual([400, invalid('unavailability.0.endsAt', 'end_before_start')]);
  });

  it('with assignments ahead is not archived, and not absent then', async () => {
    const assignment = await newAssignment(app);
    const { resourceId } = assignment;
    const inUse = problem('resource_in_use', { assignments: 1 });
    const archived = await owner.post(`${RESOURCES}/${resourceId}/archival`);
    expect([archived.status, archived.body]).toEqual([409, inUse]);
    const shared = await change(resourceId, { exclusive: false });
    expect([shared.status, shared.body]).toEqual([409, inUse]);
    const absent = await change(resourceId, { unavailability: [{ ...DAY, endsAt: '2127-05-12T06:01:00Z' }] });
    const details = { conflicts: [conflicting(assignment)] };
    expect([absent.status, absent.body]).toEqual([409, problem('resource_conflict', details)]);
    expect((await change(resourceId, { unavailability: [NEXT_DAY] })).status).toBe(200);
    const moved = await assign((await newDeparture(app, NEXT_DAY)).id, { resourceId });
    const absence = { resourceId, assignmentId: null, departureId: null, ...NEXT_DAY };
    expect([moved.status, moved.body]).toEqual([409, problem('resource_conflict', { conflicts: [absence] })]);
  });
});

describe('the period of an assignment', () => {
  it('is by default the departure with the buffers of its product, and keeps them when the departure moves', async () => {
    const { id: productId } = await newProduct(app, { bufferBeforeMinutes: 30, bufferAfterMinutes: 45 });
    const { id } = await newDeparture(app, { ...DAY, productId });
    const { id: resourceId } = await newResource(app);
    const given = await assign(id, { resourceId });
    const own = await assign(id, { resourceId: (await newResource(app)).id, startsAt: DAY.startsAt });
    expect([given.body.data, own.body.data]).toMatchObject([
      { startsAt: '2127-05-12T05:30:00.000Z', endsAt: '2127-05-12T15:45:00.000Z' },
      { startsAt: DAY.startsAt, endsAt: '2127-05-12T15:45:00.000Z' },
    ]);
    const evening = await assign((await newDeparture(app, EVENING)).id, { resourceId });
    expect([evening.status, evening.body]).toMatchObject([409, { code: 'resource_conflict' }]);
    await owner.patch(`${DEPARTURES}/${id}`, NEXT_DAY);
    expect((await list(id)).find((one) => one.resourceId === resourceId)).toMatchObject({
      ...{ startsAt: '2127-05-13T05:30:00.000Z', endsAt: '2127-05-13T15:45:00.000Z' },
    });
    const wrong = await owner.patch(`/v1/admin/products/${productId}`, { bufferAfterMinutes: -1 });
    expect(wrong.status).toBe(400);
  });
});

describe('an exclusive resource', () => {
  it('is given to one of many departures that want it at the same time', async () => {
    const { id: resourceId } = await newResource(app);
    const departures = await Promise.all(Array.from({ length: 8 }, () => newDeparture(app, DAY)));
    const answers = await Promise.all(departures.map(({ id }) => assign(id, { resourceId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    const won = answers.find(({ status }) => status === 201)?.body.data;
    const lost = answers.find(({ status }) => status === 409)?.body;
    expect(lost).toEqual(problem('resource_conflict', { conflicts: [won && conflicting(won)] }));
    const rows = await app.sql('select from resource_assignments where resource_id = $1', [resourceId]);
    expect(rows).toHaveLength(1);
  });

  it('serves departures one after the other, each once', async () => {
    const { id: resourceId } = await newResource(app);
    const first = await newAssignment(app, { resourceId, role: 'Lead guide' });
    expect(first).toMatchObject({
      ...DAY,
      role: 'Lead guide',
      resourceName: 'Ioana',
      resourceType: 'guide',
      seats: null,
    });
    const evening = await newDeparture(app, EVENING);
    const second = await newAssignment(app, { resourceId, departureId: evening.id });
    expect(await list(evening.id)).toMatchObject([{ id: second.id }]);
    const twice = await assign(first.departureId, { resourceId, ...NEXT_DAY });
    expect([twice.status, twice.body]).toEqual([
      409,
      problem('resource_conflict', { conflicts: [conflicting(first)] }),
    ]);
    const path = `${assignmentsOf(evening.id)}/${second.id}`;
    const earlier = await owner.patch(path, { startsAt: '2127-05-12T14:59:00Z' });
    expect([earlier.status, earlier.body]).toEqual([
      409,
      problem('resource_conflict', { conflicts: [conflicting(first)] }),
    ]);
    expect((await owner.patch<One<Assignment>>(path, { role: 'Host' })).body.data).toMatchObject({
      role: 'Host',
      version: 2,
    });
    const backwards = await owner.patch(path, { endsAt: EVENING.startsAt });
    expect([backwards.status, backwards.body]).toEqual([400, invalid('endsAt', 'end_before_start')]);
    const elsewhere = await owner.delete(`${assignmentsOf(first.departureId)}/${second.id}`, {
      headers: { 'If-Match': '"2"' },
    });
    expect(elsewhere.status).toBe(404);
    const deleted = await owner.delete<One<Assignment>>(path, { headers: { 'If-Match': '"2"' } });
    expect([deleted.status, deleted.body.data.id, await list(evening.id)]).toEqual([200, second.id, []]);
    const unknown = await assign(evening.id, { resourceId: UNKNOWN });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'resourceId' })]);
  });
});

it('departures share a resource up to its seats at any time, also when they ask at once', async () => {
  const { id: resourceId } = await newResource(app, { type: 'vehicle', name: 'Bus', seats: 10, exclusive: false });
  const [one, ...others] = await Promise.all(Array.from({ length: 6 }, () => newDeparture(app, DAY)));
  const uncounted = await assign(one?.id ?? '', { resourceId });
  expect([uncounted.status, uncounted.body]).toEqual([400, invalid('seats', 'required')]);
  const answers = await Promise.all(others.map(({ id }) => assign(id, { resourceId, seats: 4 })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
  expect((await assign(one?.id ?? '', { resourceId, seats: 2 })).status).toBe(201);
  const evening = await newDeparture(app, EVENING);
  expect((await assign(evening.id, { resourceId, seats: 10 })).status).toBe(201);
  const fewer = await change(resourceId, { seats: 9 });
  expect([fewer.status, fewer.body]).toEqual([409, problem('resource_in_use', { assignments: 4 })]);
  const guide = await newResource(app);
  const counted = await assign(evening.id, { resourceId: guide.id, seats: 1 });
  expect([counted.status, counted.body]).toEqual([400, invalid('seats', 'not_applicable')]);
});

describe('a departure with resources', () => {
  it('takes them along when it is moved; what is not free rejects the move, or is taken from it', async () => {
    const { id: resourceId } = await newResource(app);
    const { id } = await newDeparture(app, DAY);
    const other = await newDeparture(app, NEXT_DAY);
    const early = { resourceId, startsAt: '2127-05-12T05:00:00.000Z' };
    const assignment = (await assign(id, early)).body.data;
    const taken = await newAssignment(app, { resourceId, departureId: other.id });
    const kept = await newAssignment(app, { departureId: id });

    const rejected = await owner.patch(`${DEPARTURES}/${id}`, NEXT_DAY);
    const details = { conflicts: [conflicting(taken)] };
    expect([rejected.status, rejected.body]).toEqual([409, problem('resource_conflict', details)]);
    expect([await read(app, id), await list(id)]).toMatchObject([DAY, [{ startsAt: early.startsAt }, DAY]]);

    const moved = { startsAt: '2127-05-14T07:00:00.000Z', endsAt: '2127-05-14T17:00:00.000Z' };
    const first = await owner.patch<{ unassigned: string[] }>(`${DEPARTURES}/${id}`, moved);
    expect([first.status, first.body.unassigned]).toEqual([200, []]);
    expect(await list(id)).toMatchObject([
      { id: assignment.id, startsAt: '2127-05-14T06:00:00.000Z', endsAt: moved.endsAt, version: 2 },
      { id: kept.id, ...moved },
    ]);
    const path = `${DEPARTURES}/${id}?onResourceConflict=unassign`;
    const second = await owner.patch<{ unassigned: string[] }>(path, NEXT_DAY);
    expect([second.status, second.body.unassigned]).toEqual([200, [resourceId]]);
    expect(await list(id)).toMatchObject([{ id: kept.id, ...NEXT_DAY }]);
    expect((await entriesAbout(owner, assignment.id)).map(({ action }) => action)).toEqual(
      ['create', 'move', 'delete'].map((verb) => `operations.assignment.${verb}`),
    );
  });

  it('two departures that move to the same time at once do not share an exclusive resource', async () => {
    const { id: resourceId } = await newResource(app);
    const days = [10, 11, 12, 13].map((day) => `2127-08-${day}`);
    const ids = [];
    for (const day of days) {
      const { id } = await newDeparture(app, { startsAt: `${day}T06:00:00Z`, endsAt: `${day}T15:00:00Z` });
      await newAssignment(app, { resourceId, departureId: id });
      ids.push(id);
    }
    const answers = await Promise.all(ids.map((id) => owner.patch(`${DEPARTURES}/${id}`, NEXT_DAY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('gives them back when it is cancelled or called off, and takes none then', async () => {
    const cancelled = await newAssignment(app);
    await owner.post(`${DEPARTURES}/${cancelled.departureId}/cancellation`, {});
    const off = await newAssignment(app);
    await confirmedBooking(owner, { item: { departureId: off.departureId, unitSellCents: 5_900 } });
    await callOff(owner, off.departureId);
    expect([await list(cancelled.departureId), await list(off.departureId)]).toEqual([[], []]);
    const { resourceId } = cancelled;
    const gone = await assign(cancelled.departureId, { resourceId });
    const departureIds = [cancelled.departureId];
    expect([gone.status, gone.body]).toEqual([409, problem('departure_cancelled', { departureIds })]);
    const late = await assign(off.departureId, { resourceId });
    const called = problem('departure_called_off', { departureIds: [off.departureId] });
    expect([late.status, late.body]).toEqual([409, called]);
  });
});

describe('the resources of a departure', () => {
  interface Detail {
    data: object;
    resourceWarnings: object[];
  }
  const none = { resourceId: null, resourceName: null, documentKind: null, expiresOn: null };
  const warningsOf = async (id: string) => (await owner.get<Detail>(`${DEPARTURES}/${id}`)).body.resourceWarnings;

  it('that are too few, too small or not allowed to serve are reported on the departure, the lists and the manifest', async () => {
    const resourceNeeds = [{ type: 'guide' }, { type: 'guide' }, { type: 'boat' }];
    const { id: productId } = await newProduct(app, { resourceNeeds });
    const { id } = await newDeparture(app, { ...DAY, productId });
    const lists = async (understaffed: boolean) => {
      const query = `productId=${productId}&understaffed=${understaffed}`;
      const departures = await owner.get<Page<{ id: string }>>(`${DEPARTURES}?${query}`);
      const board = await owner.get<Page<{ id: string }>>(`${BOARD}&${query}`);
      return [departures.body.data, board.body.data].map((rows) => rows.map((row) => row.id));
    };
    expect(await warningsOf(id)).toEqual([
      { code: 'understaffed', resourceType: 'boat', ...none, required: 1, available: 0 },
      { code: 'understaffed', resourceType: 'guide', ...none, required: 2, available: 0 },
    ]);
    expect([await lists(true), await lists(false)]).toEqual([
      [[id], [id]],
      [[], []],
    ]);

    const boat = await newResource(app, { type: 'boat', name: 'Egreta', seats: 2 });
    const documents = [
      { kind: 'licence', expiresOn: '2127-05-11' },
      { kind: 'first aid', expiresOn: '2127-05-12' },
    ];
    const guide = await newResource(app, { name: 'Sorin', documents });
    for (const resourceId of [boat.id, guide.id]) await newAssignment(app, { departureId: id, resourceId });
    await newAssignment(app, { departureId: id, role: 'Second guide' });
    expect([await lists(true), await lists(false)]).toEqual([
      [[], []],
      [[id], [id]],
    ]);
    await confirmedBooking(owner, { item: { departureId: id, quantity: 3, unitSellCents: 5_900 } });
    const found = [
      {
        ...{ code: 'document_expired', resourceType: 'guide', resourceId: guide.id, resourceName: 'Sorin' },
        ...{ documentKind: 'licence', expiresOn: '2127-05-11', required: null, available: null },
      },
      { code: 'vehicle_too_small', resourceType: 'boat', ...none, required: 3, available: 2 },
    ];
    expect(await warningsOf(id)).toEqual(found);
    const board = await owner.get<Page<{ attention: { code: string }[] }>>(`${BOARD}&productId=${productId}`);
    const codes = board.body.data[0]?.attention.map(({ code }) => code);
    expect(codes).toEqual(['travelers_incomplete', 'document_expired', 'vehicle_too_small']);
    const manifest = await owner.get<One<object>>(`${DEPARTURES}/${id}/manifest`);
    expect(manifest.body.data).toMatchObject({
      units: [{ people: 3 }],
      resources: [
        { name: 'Egreta', type: 'boat', role: null },
        { name: 'Sorin', type: 'guide', role: null },
        { name: 'Ioana', type: 'guide', role: 'Second guide' },
      ],
      resourceWarnings: found,
    });
    const pdf = await owner.get(`${DEPARTURES}/${id}/manifest?format=pdf`);
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);

    // A second boat takes the third person; of a boat with unknown seats nothing is known.
    const tender = await newResource(app, { type: 'boat', name: 'Tender', seats: 1 });
    await newAssignment(app, { departureId: id, resourceId: tender.id });
    expect(await warningsOf(id)).toEqual(found.slice(0, 1));
    await change(boat.id, { seats: 1 });
    expect(await warningsOf(id)).toMatchObject([{}, { code: 'vehicle_too_small', required: 3, available: 2 }]);
    await change(boat.id, { seats: null });
    expect(await warningsOf(id)).toEqual(found.slice(0, 1));
  });

  it('are not missed by a departure that has ended or was called off', async () => {
    const { id: productId } = await newProduct(app, { resourceNeeds: [{ type: 'guide' }] });
    const past = await newDeparture(app, {
      productId,
      startsAt: '2021-05-12T06:00:00Z',
      endsAt: '2021-05-12T15:00:00Z',
    });
    const off = await newDeparture(app, { productId });
    expect(await warningsOf(off.id)).toHaveLength(1);
    await owner.post(`${DEPARTURES}/${off.id}/cancellation`, {});
    expect([await warningsOf(past.id), await warningsOf(off.id)]).toEqual([[], []]);
  });
});
