/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type ErrorBody, invalid } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { departure, DEPARTURES, type Departure, newDeparture, read, withUnits } from './departures.js';

const HOUR_MS = 3_600_000;

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

/** A departure of six hours that starts this many hours from now. */
const startingIn = (hours: number, terms: object = {}) => {
  const starts = app.now().getTime() + hours * HOUR_MS;
  const times = { startsAt: new Date(starts).toISOString(), endsAt: new Date(starts + 6 * HOUR_MS).toISOString() };
  return newDeparture(app, { ...times, ...terms });
};
const change = (id: string, body: object) => staff.patch<ErrorBody & { data: Departure }>(`${DEPARTURES}/${id}`, body);

describe('the sales state of a departure', () => {
  it('the list of departures is filtered by each sales state, which every departure shows', async () => {
    const productId = `product-${randomUUID()}`;
    const made = {
      open: await startingIn(10, { productId }),
      cut_off: await startingIn(10, { productId, cutoff: { minutesBefore: 660 } }),
      sold_out: await startingIn(10, { productId, capacity: 2 }),
      cancelled: await startingIn(10, { productId }),
      departed: await startingIn(-1, { productId, cutoff: { minutesBefore: 60 } }),
      completed: await startingIn(-7, { productId }),
    };
    await withUnits(app, (departures) => departures.allocate(made.sold_out.id, 2, { from: 'pool', as: 'sold' }));
    await staff.post(`${DEPARTURES}/${made.cancelled.id}/cancellation`);

    for (const [salesState, { id }] of Object.entries(made)) {
      const { body } = await staff.get<{ data: Departure[]; total: number }>(
        `${DEPARTURES}?productId=${productId}&salesState=${salesState}`,
      );
      expect([body.total, body.data.map((one) => [one.id, one.salesState])]).toEqual([1, [[id, salesState]]]);
      expect((await read(app, id)).salesState).toBe(salesState);
    }
    const beyond = await staff.get(`${DEPARTURES}?productId=${productId}&salesState=open&offset=5`);
    expect(beyond.body).toEqual({ data: [], total: 1, limit: 50, offset: 5 });
  });

  it('a cut-off moves with the departure and its time zone, and can be removed', async () => {
    const cutoff = { daysBefore: 1, at: '18:00' };
    const made = await newDeparture(app, { cutoff });
    expect([made.cutoff, made.cutoffAt]).toEqual([{ minutesBefore: null, ...cutoff }, '2127-05-11T15:00:00.000Z']);

    const times = { startsAt: '2127-06-12T06:00:00.000Z', endsAt: '2127-06-12T15:00:00.000Z' };
    const moved = await change(made.id, times);
    const elsewhere = await change(made.id, { timeZone: 'UTC' });
    const without = await change(made.id, { cutoff: null });

    const instants = [moved, elsewhere, without].map(({ body }) => body.data.cutoffAt);
    expect(instants).toEqual(['2127-06-11T15:00:00.000Z', '2127-06-11T18:00:00.000Z', null]);
  });

  it('a client that has stored a departure gets its present sales state, although the version is the same', async () => {
    const { id } = await startingIn(10, { capacity: 1 });
    await withUnits(app, (departures) => departures.allocate(id, 1, { from: 'pool', as: 'sold' }));
    const options = { headers: { 'If-None-Match': '"1"' } };
    const { status, body } = await staff.request<{ data: Departure }>('GET', `${DEPARTURES}/${id}`, options);
    expect([status, body.data]).toMatchObject([200, { version: 1, salesState: 'sold_out' }]);
  });

  it('a cut-off without one of its two forms is rejected with 400', async () => {
    const answer = await staff.post<ErrorBody>(DEPARTURES, departure({ cutoff: { daysBefore: 1 } }));
    const message = 'cutoff must have either minutesBefore, or daysBefore and at';
    expect([answer.status, answer.body]).toEqual([
      400,
      invalid(answer, [{ path: 'cutoff', message, code: 'exactly_one' }]),
    ]);
  });
});

describe('the minimum of a departure', () => {
  it('a departure with a minimum is tentative, one without runs in any case', async () => {
    const { runState, id } = await newDeparture(app, { minParticipants: 6 });
    const without = await change(id, { minParticipants: null });
    expect([runState, without.body.data.runState]).toEqual(['tentative', 'guaranteed']);
  });

  it.each([
    [{ decideBy: '2127-05-12T05:00:00Z' }, 'decideBy requires minParticipants', 'minimum_missing'],
    [
      { decideBy: '2127-05-12T06:00:01Z', minParticipants: 6 },
      'decideBy must not be after startsAt',
      'decide_by_after_start',
    ],
  ])('the terms %j of a departure are rejected with 400', async (terms, message, code) => {
    const made = await staff.post<ErrorBody>(DEPARTURES, departure(terms));
    const { id } = await newDeparture(app);
    const changed = await change(id, terms);
    for (const answer of [made, changed]) {
      expect([answer.status, answer.body]).toEqual([400, invalid(answer, [{ path: 'decideBy', message, code }])]);
    }
  });

  it('only a package shows until when it can be cancelled for lack of participants', async () => {
    const { id, latestNoticeAt } = await newDeparture(app, { euPackage: true });
    expect(latestNoticeAt).toBe('2127-05-10T06:00:00.000Z');
    expect((await change(id, { euPackage: false })).body.data.latestNoticeAt).toBeNull();
  });
});
