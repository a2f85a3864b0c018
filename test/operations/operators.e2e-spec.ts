import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { type GroundOperator, groundOperator, newFacility, newOperator, OPERATORS } from './facilities.js';

const CODE_TAKEN = { code: 'operator_code_taken', error: 'Another operator already has this code' };

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const list = (query: string) => staff.get<{ data: GroundOperator[] }>(`${OPERATORS}?${query}`);
const readOperator = async (id: string) => (await staff.get<{ data: GroundOperator }>(`${OPERATORS}/${id}`)).body.data;

describe('the list of ground operators', () => {
  it('the list of ground operators contains only data, sorted by name and id', async () => {
    const mark = randomUUID();
    const [b, a1, a2] = [
      await newOperator(app, { name: `B ${mark}` }),
      await newOperator(app, { name: `A ${mark}` }),
      await newOperator(app, { name: `A ${mark}` }),
    ];

    const { status, body, headers } = await list(`search=${mark}`);

    const byId = [a1, a2].sort((x, y) => (x.id < y.id ? -1 : 1));
    expect([status, body]).toEqual([200, { data: [...byId, b] }]);
    expect([headers['x-total-count'], headers['link']]).toEqual(['3', undefined]);
  });

  it('the list of ground operators has a Link to the next page, which keeps the filters and leads through all pages', async () => {
    const mark = `${randomUUID()} ä&b`;
    for (let n = 0; n < 5; n += 1) await newOperator(app, { name: `${n} ${mark}` });

    const seen: string[] = [];
    let next: string | undefined = `${OPERATORS}?search=${encodeURIComponent(mark)}&active=true&limit=2`;
    for (let page = 0; next !== undefined && page < 5; page += 1) {
      const { body, headers }: Answer<{ data: GroundOperator[] }> = await staff.get(next);
      seen.push(...body.data.map(({ name }) => name.replace(` ${mark}`, '')));
      expect(headers['x-total-count']).toBe('5');
      next = /^<([^>]+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1];
    }

    expect(seen).toEqual(['0', '1', '2', '3', '4']);
  });

  it('the list of ground operators has the total count beyond its end too', async () => {
    const mark = randomUUID();
    await newOperator(app, { name: mark });

    const { body, headers } = await list(`search=${mark}&offset=7`);

    expect([body, headers['x-total-count'], headers['link']]).toEqual([{ data: [] }, '1', undefined]);
  });

  it('the list of ground operators is filtered by active, facility and a part of name or code', async () => {
    const mark = randomUUID();
    const { id: facilityId } = await newFacility(app);
    await newOperator(app, { name: `Here ${mark}`, facilityId });
    await newOperator(app, { name: `Idle ${mark}`, active: false });
    await newOperator(app, { name: 'By its code', code: `X ${mark.toUpperCase()}` });
    const names = async (query: string) =>
      (await list(`search=${mark}${query}`)).body.data.map(({ name }) => name.split(' ')[0]);

    expect(await names('')).toEqual(['By', 'Here', 'Idle']);
    expect(await names('&active=false')).toEqual(['Idle']);
    expect(await names('&active=true')).toEqual(['By', 'Here']);
    expect(await names(`&facilityId=${facilityId}`)).toEqual(['Here']);
    expect(await names('&facilityId=nowhere')).toEqual([]);
  });

  it('the list of ground operators treats wildcards in a search as ordinary characters', async () => {
    const mark = randomUUID();
    await newOperator(app, { name: `100% ${mark}` });
    await newOperator(app, { name: `1000 ${mark}` });

    const { body } = await list(`search=${encodeURIComponent(`100% ${mark}`)}`);

    expect(body.data.map(({ name }) => name)).toEqual([`100% ${mark}`]);
  });

  it('the list of ground operators rejects an invalid query with 400', async () =>
    expect((await list('active=yes')).status).toBe(400));

  it('the list of ground operators requires the scope operations:read', async () => {
    const { body } = await staff.post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', {
      name: 'Other',
      scopes: ['distribution:read'],
    });

    const other = await app.with(body.data.token).get<ErrorBody>(OPERATORS);

    expect([other.status, other.body.details]).toEqual([403, { requiredScope: 'operations:read' }]);
  });
});

describe('a ground operator', () => {
  const FIELDS = {
    active: false,
    contactName: 'Ioana Marin',
    contactEmail: 'dispatch@example.com',
    contactPhone: '+40 240 555 010',
    serviceAreas: ['Tulcea', 'Constanta'],
    licenseNumber: 'TR-4711',
    insuranceExpiresOn: '2027-12-31',
    timeZone: 'Europe/Bucharest',
    notes: 'Vans up to 16 seats\nNo buses',
  };

  it('a new ground operator is answered with 201 and all its members, and needs only a name', async () => {
    const { id: facilityId } = await newFacility(app);
    const body = groundOperator({ ...FIELDS, code: randomUUID(), facilityId });

    const answer = await staff.post<{ data: GroundOperator }>(OPERATORS, body);

    const { data } = answer.body;
    const made = {
      id: expect.stringMatching(/^gop_/),
      version: 1,
      createdAt: data.updatedAt,
      updatedAt: data.updatedAt,
    };
    expect([answer.status, data]).toEqual([201, { ...body, ...made }]);
    expect([answer.headers['location'], answer.headers['etag']]).toEqual([`${OPERATORS}/${data.id}`, '"1"']);
    expect(await readOperator(data.id)).toEqual(data);
    expect(await newOperator(app)).toMatchObject({ active: true, code: null, facilityId: null, serviceAreas: [] });
  });

  it.each([
    ['name', 'Renamed'],
    ['active', true],
    ['contactName', null],
    ['contactEmail', ''],
    ['contactPhone', '112'],
    ['serviceAreas', null],
    ['licenseNumber', null],
    ['insuranceExpiresOn', '2028-02-29'],
    ['timeZone', null],
    ['notes', null],
  ])('{%s: %j} changes only that field, updatedAt and version of a ground operator', async (field, value) => {
    const before = await newOperator(app, FIELDS);
    app.travel({ ms: 5 });

    const { status, body } = await staff.patch<{ data: GroundOperator }>(`${OPERATORS}/${before.id}`, {
      [field]: value,
    });

    const stored = field === 'serviceAreas' ? [] : value === '' ? null : value;
    const { updatedAt } = body.data;
    expect([status, body.data]).toEqual([200, { ...before, [field]: stored, version: 2, updatedAt }]);
    expect(updatedAt > before.updatedAt).toBe(true);
    expect(await readOperator(before.id)).toEqual(body.data);
  });

  it('an invalid change of a ground operator is rejected with 400 and changes nothing', async () => {
    const { id } = await newOperator(app);
    expect((await staff.patch(`${OPERATORS}/${id}`, { contactEmail: 'x' })).status).toBe(400);
    expect((await readOperator(id)).version).toBe(1);
  });

  it('a ground operator code that is taken is rejected with 409, also in concurrent requests', async () => {
    const code = randomUUID();
    const other = await newOperator(app);

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => staff.post<ErrorBody>(OPERATORS, groundOperator({ code }))),
    );
    const late = await staff.patch<ErrorBody>(`${OPERATORS}/${other.id}`, { code });

    const rejected = [...answers.filter(({ status }) => status !== 201), late];
    expect(rejected).toHaveLength(6);
    for (const answer of rejected) expect([answer.status, answer.body]).toEqual([409, errorBody(answer, CODE_TAKEN)]);
  });

  it('an unknown ground operator is rejected with 404, an outdated version with 412', async () => {
    for (const id of ['gop_01k0dem000e000000000099999', 'gop_x', 'fac_01k0dem000e000000000000001']) {
      const answers = [await staff.get(`${OPERATORS}/${id}`), await staff.patch(`${OPERATORS}/${id}`, { name: 'x' })];
      for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, errorBody(answer, NOT_FOUND)]);
    }
    const { id } = await newOperator(app);
    const stale = await staff.patch<ErrorBody>(`${OPERATORS}/${id}`, { name: 'x' }, { headers: { 'If-Match': '"2"' } });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
  });

  it('the contact person of a ground operator is not in the ledger and the events', async () => {
    const mark = randomUUID();
    const { id } = await newOperator(app, {
      contactName: mark,
      contactEmail: `${mark}@example.com`,
      contactPhone: mark,
    });
    await staff.patch(`${OPERATORS}/${id}`, { contactName: `${mark} again`, notes: mark });

    const payloads = await app.sql<{ after: { changed?: string[] } }>(
      `select p.after::json as after from action_ledger_entries e join ledger_payloads p on p.entry_id = e.id
       where e.subject_id = $1 order by e.sequence`,
      [id],
    );
    expect(payloads.map(({ after }) => after.changed)).toEqual([undefined, ['contactName', 'notes']]);
    expect(JSON.stringify(payloads)).not.toContain(mark);
  });
});
