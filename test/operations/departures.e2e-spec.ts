/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { departure, DEPARTURES, type Departure, type DepartureAnswer, newDeparture, read } from './departures.js';
import { newFacility } from './facilities.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const create = (terms: object) => staff.post<ErrorBody>(DEPARTURES, departure(terms));

describe('POST /v1/admin/operations/departures', () => {
  it('a new departure is answered with 201 and all its members, and all units are available', async () => {
    const { id: facilityId } = await newFacility(app);
    const body = departure({ taxIncludedCents: 942, facilityId, id: 'dep_whatever' });

    const answer: DepartureAnswer = await staff.post(DEPARTURES, body);

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(data).toEqual({
      ...body,
      id: expect.stringMatching(/^dep_[0-9a-z]{26}$/),
      ...{ optionId: null, taxCodeId: null },
      pickups: [],
      unitPrices: [],
      startDate: '2127-05-12',
      status: 'scheduled',
      sold: 0,
      held: 0,
      guaranteedOpen: 0,
      available: 20,
      reasonCode: null,
      cancelReason: null,
      cancelledAt: null,
      salesState: 'open',
      cutoff: null,
      cutoffAt: null,
      salesClosedAt: null,
      minParticipants: null,
      decideBy: null,
      runState: 'guaranteed',
      minimumNotReachedAt: null,
      attention: false,
      euPackage: false,
      latestNoticeAt: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
    });
    expect([answer.headers['location'], answer.headers['etag']]).toEqual([`${DEPARTURES}/${data.id}`, '"1"']);
    expect(await read(app, data.id)).toEqual(data);
  });

  it('the facility and the tax of a departure are optional', async () => {
    const { facilityId, taxIncludedCents } = await newDeparture(app);
    expect([facilityId, taxIncludedCents]).toEqual([null, 0]);
  });

  it.each([
    ['Europe/Bucharest', '2127-01-01T21:59:59Z', '2127-01-01'],
    ['Europe/Bucharest', '2127-01-01T22:00:00Z', '2127-01-02'],
    ['Europe/Bucharest', '2127-07-01T21:00:00Z', '2127-07-02'],
    ['Pacific/Kiritimati', '2127-01-01T10:00:00Z', '2127-01-02'],
    ['America/Los_Angeles', '2127-01-01T07:59:59-00:00', '2126-12-31'],
    ['UTC', '2127-01-01T01:00:00+02:00', '2126-12-31'],
  ])('a departure in %s at %s starts on the local day %s', async (timeZone, startsAt, startDate) => {
    const made = await newDeparture(app, { timeZone, startsAt, endsAt: '2128-01-01T00:00:00Z' });
    expect(made.startDate).toBe(startDate);
  });

  it.each([
    {
      field: 'endsAt',
      terms: { endsAt: '2127-05-12T06:00:00Z' },
      message: 'endsAt must be after startsAt',
      code: 'end_before_start',
    },
    {
      field: 'taxIncludedCents',
      terms: { taxIncludedCents: 5_901 },
      message: 'taxIncludedCents must not exceed priceCents',
      code: 'tax_exceeds_price',
    },
    { field: 'capacity', terms: { capacity: -1 }, message: 'capacity must not be less than 0', code: 'too_small' },
  ])(
    'a new departure with an invalid $field is rejected with 400, and nothing is created',
    async ({ field, terms, message, code }) => {
      const { productId } = departure();
      const answer = await create({ productId, ...terms });
      expect([answer.status, answer.body]).toEqual([400, invalid(answer, [{ path: field, message, code }])]);
      expect(await app.sql('select from departures where product_id = $1', [productId])).toEqual([]);
    },
  );
});

describe('an unknown departure', () => {
  it.each(['dep_01k0dem000e000000000099999', 'dep_x', 'fac_01k0dem000e000000000000001', '%00', 'a%2Fb'])(
    'the unknown departure %s is 404, whether it is read, changed or cancelled',
    async (id) => {
      const path = `${DEPARTURES}/${id}`;
      const answers = [
        await staff.get(path),
        await staff.patch(path, { capacity: 1 }),
        await staff.post(`${path}/cancellation`),
      ];
      for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, errorBody(answer, NOT_FOUND)]);
    },
  );
});

describe('the list of departures', () => {
  const list = async (query: string) => {
    const answer = await staff.get<{ data: Departure[]; total: number }>(`${DEPARTURES}?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body;
  };

  it('the list of departures is filtered by product, local days and status, the earliest first', async () => {
    const { productId } = await newDeparture(app, { startsAt: '2127-05-14T06:00:00Z', endsAt: '2127-05-15T06:00:00Z' });
    const early = await newDeparture(app, {
      productId,
      startsAt: '2127-05-11T22:00:00Z',
      endsAt: '2127-05-12T06:00:00Z',
    });
    const cancelled = await newDeparture(app, {
      productId,
      startsAt: '2127-05-13T06:00:00Z',
      endsAt: '2127-05-14T06:00:00Z',
    });
    await staff.post(`${DEPARTURES}/${cancelled.id}/cancellation`);
    const days = async (query: string) =>
      (await list(`productId=${productId}${query}`)).data.map((one) => one.startDate);

    expect(await days('')).toEqual(['2127-05-12', '2127-05-13', '2127-05-14']);
    expect(await days('&sort=-startsAt')).toEqual(['2127-05-14', '2127-05-13', '2127-05-12']);
    expect(await days('&from=2127-05-12&to=2127-05-13')).toEqual(['2127-05-12', '2127-05-13']);
    expect(await days('&from=2127-05-13')).toEqual(['2127-05-13', '2127-05-14']);
    expect(await days('&status=scheduled')).toEqual(['2127-05-12', '2127-05-14']);
    const rows = (await list(`productId=${productId}&to=2127-05-12`)).data;
    expect(rows).toEqual([{ ...early, productName: null }]);
  });

  it('the list of departures has the total, also beyond its end', async () => {
    const { productId } = await newDeparture(app);
    await newDeparture(app, { productId });

    expect(await list(`productId=${productId}&limit=1&offset=1`)).toMatchObject({ total: 2, limit: 1, offset: 1 });
    expect(await list(`productId=${productId}&offset=5`)).toEqual({ data: [], total: 2, limit: 50, offset: 5 });
  });

  it('the list of departures rejects an invalid query with 400 and its issues', async () => {
    const answer = await staff.get(`${DEPARTURES}?status=gone`);
    const message = 'status must be one or more of scheduled, called_off, cancelled, separated by commas';
    const issue = { path: 'status', message, code: 'unknown_value' };
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
  });
});
