import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { FACILITIES, type Facility, facility, type FacilityAnswer, newFacility, readFacility } from './facilities.js';

const CODE_TAKEN = { code: 'facility_code_taken', error: 'Another facility already has this code' };

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('POST /v1/admin/operations/facilities', () => {
  it('a new facility is answered with 201 and all its members', async () => {
    const { id: parentFacilityId } = await newFacility(app);
    const body = facility({
      code: randomUUID(),
      kind: 'meeting_point',
      status: 'inactive',
      parentFacilityId,
      description: 'Behind the ticket hall',
      timeZone: 'Europe/Bucharest',
      address: { line1: 'Quay 1', line2: 'Pier 3', city: 'Tulcea', region: 'TL', postalCode: '820243', country: 'RO' },
      latitude: 45.1787,
      longitude: -180,
      tags: ['river', 'parking'],
    });

    const answer: FacilityAnswer = await staff.post(FACILITIES, { ...body, id: 'fac_whatever' });

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(data).toEqual({
      ...body,
      id: expect.stringMatching(/^fac_[0-9a-z]{26}$/),
      deletedAt: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
    });
    expect([answer.headers['location'], answer.headers['etag']]).toEqual([`${FACILITIES}/${data.id}`, '"1"']);
    expect(await readFacility(app, data.id)).toEqual(data);
  });

  it('a new facility requires only a name', async () => {
    const made = await newFacility(app);
    expect(made).toMatchObject({
      kind: 'other',
      status: 'active',
      code: null,
      address: null,
      latitude: null,
      tags: [],
    });
  });

  it('an invalid body of a new facility is rejected with 400 and its issues, and nothing is created', async () => {
    const body = facility({ address: { country: 'UK' } });
    const answer = await staff.post<ErrorBody>(FACILITIES, body);

    const issues = answer.body.details?.issues ?? [];
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, issues)]);
    expect(issues.map(({ path, code }) => [path, code])).toEqual([['address.country', 'wrong_format']]);
    expect(await app.sql('select from facilities where name = $1', [body.name])).toEqual([]);
  });

  it('a facility code that is taken is rejected with 409, also in concurrent requests', async () => {
    const code = randomUUID();

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => staff.post<ErrorBody>(FACILITIES, facility({ code }))),
    );

    const rejected = answers.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(7);
    for (const answer of rejected) expect([answer.status, answer.body]).toEqual([409, errorBody(answer, CODE_TAKEN)]);
    expect((await staff.post(FACILITIES, facility({ code: code.toUpperCase() }))).status).toBe(201);
  });
});

describe('PATCH /v1/admin/operations/facilities/{id}', () => {
  const FIELDS = {
    kind: 'hotel',
    description: 'As it was',
    timeZone: 'Europe/Vienna',
    address: {
      line1: 'Bergweg 4',
      line2: 'Rear',
      city: 'Innsbruck',
      region: 'Tyrol',
      postalCode: '6020',
      country: 'AT',
    },
    latitude: 47.26,
    longitude: 11.39,
    tags: ['spa'],
  };
  const change = (id: string, body: object) => staff.patch<ErrorBody & { data: Facility }>(`${FACILITIES}/${id}`, body);

  it.each([
    ['name', 'Renamed'],
    ['code', 'NEW-CODE'],
    ['kind', 'lodge'],
    ['status', 'inactive'],
    ['description', null],
    ['timeZone', null],
    ['latitude', null],
    ['longitude', 11.4],
    ['tags', []],
    ['code', null],
  ])('{%s: %j} changes only that field, updatedAt and version of a facility', async (field, value) => {
    const before = await newFacility(app, { ...FIELDS, code: randomUUID() });
    app.travel({ ms: 5 });

    const answer = await change(before.id, { [field]: value });

    const { data } = answer.body;
    const after = { ...before, [field]: value, version: 2, updatedAt: data.updatedAt };
    expect([answer.status, data]).toEqual([200, after]);
    expect(data.updatedAt > before.updatedAt).toBe(true);
    expect(await readFacility(app, before.id)).toEqual(data);
  });

  it.each([
    [{ line2: null }, { ...FIELDS.address, line2: null }],
    [{ line2: '' }, { ...FIELDS.address, line2: null }],
    [
      { city: 'Hall', postalCode: '6060' },
      { ...FIELDS.address, city: 'Hall', postalCode: '6060' },
    ],
    [{}, FIELDS.address],
    [null, null],
  ])('{address: %j} changes only those members of a facility', async (address, after) => {
    const before = await newFacility(app, FIELDS);

    const { body } = await change(before.id, { address });

    const { updatedAt } = body.data;
    expect(body.data).toEqual({ ...before, address: after, version: 2, updatedAt });
    expect(await readFacility(app, before.id)).toEqual(body.data);
  });

  it('null clears the tags of a facility', async () => {
    const { id } = await newFacility(app, FIELDS);
    expect((await change(id, { tags: null })).body.data.tags).toEqual([]);
  });

  it('an update cannot archive a facility, and an archived one cannot be changed', async () => {
    const { id } = await newFacility(app);
    const archive = await change(id, { status: 'archived' });
    await staff.delete(`${FACILITIES}/${id}`);

    const late = await change(id, { status: 'active' });

    const rejected = { code: 'facility_archived', error: 'An archived facility cannot be changed' };
    expect([archive.status, archive.body.details?.issues?.map(({ path }) => path)]).toEqual([400, ['status']]);
    expect([late.status, late.body]).toEqual([409, errorBody(late, rejected)]);
  });

  it('an update of a facility with a taken code is 409, of an outdated version 412, of an unknown id 404', async () => {
    const [first, second] = [await newFacility(app, { code: randomUUID() }), await newFacility(app)];

    const conflict = await change(second.id, { code: first.code });
    const headers = { 'If-Match': '"7"' };
    const stale = await staff.patch<ErrorBody>(`${FACILITIES}/${second.id}`, { name: 'x' }, { headers });
    const unknown = await change('fac_01k0dem000e000000000099999', { name: 'x' });

    expect([conflict.status, conflict.body]).toEqual([409, errorBody(conflict, CODE_TAKEN)]);
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
    expect([unknown.status, unknown.body]).toEqual([404, errorBody(unknown, NOT_FOUND)]);
  });
});

describe('the list of facilities', () => {
  const list = async (query: string) => {
    const { body } = await staff.get<{ data: Facility[]; total: number }>(`${FACILITIES}?${query}`);
    return body;
  };

  it('the list of facilities is filtered by kind, status, parent, country and a part of name or code, and sorted by name', async () => {
    const mark = randomUUID();
    const parent = await newFacility(app, { name: `B ${mark}`, kind: 'resort', address: { country: 'AT' } });
    await newFacility(app, { name: `A ${mark}`, parentFacilityId: parent.id, status: 'inactive' });
    await newFacility(app, { name: 'Elsewhere', code: `C ${mark.toUpperCase()}`, address: { country: 'RO' } });
    const names = async (query: string) =>
      (await list(`search=${mark}${query}`)).data.map(({ name }) => name.replace(` ${mark}`, ''));

    expect(await names('')).toEqual(['A', 'B', 'Elsewhere']);
    expect(await names('&sort=-name')).toEqual(['Elsewhere', 'B', 'A']);
    expect(await names('&kind=resort')).toEqual(['B']);
    expect(await names('&status=inactive')).toEqual(['A']);
    expect(await names('&country=RO')).toEqual(['Elsewhere']);
    expect(await names(`&parentFacilityId=${parent.id}`)).toEqual(['A']);
    expect(await list(`search=${mark}&limit=1&offset=9`)).toEqual({ data: [], total: 3, limit: 1, offset: 9 });
  });

  it('the list of facilities rejects an invalid query with 400 and its issues', async () => {
    const { status, body } = await staff.get<ErrorBody>(`${FACILITIES}?country=uk`);
    expect([status, body.details?.issues?.map(({ path, code }) => [path, code])]).toEqual([
      400,
      [['country', 'wrong_format']],
    ]);
  });
});
