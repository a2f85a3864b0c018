import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { DEPARTURES, type Departure, newDeparture, read } from './departures.js';
import { newFacility } from './facilities.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('PATCH /v1/admin/operations/departures/{id}', () => {
  const change = (id: string, body: object) =>
    staff.patch<ErrorBody & { data: Departure }>(`${DEPARTURES}/${id}`, body);

  it.each([
    ['capacity', 21],
    ['capacity', 0],
    ['priceCents', 6_100],
    ['taxIncludedCents', 100],
    ['currency', 'RON'],
    ['endsAt', '2127-05-12T16:00:00.000Z'],
    ['facilityId', null],
  ])('{%s: %j} changes only that field, updatedAt and version of a departure', async (field, value) => {
    const { id: facilityId } = await newFacility(app);
    const before = await newDeparture(app, { facilityId });
    app.travel({ ms: 5 });

    const answer = await change(before.id, { [field]: value });

    const { data } = answer.body;
    const available = field === 'capacity' ? value : before.available;
    const salesState = available === 0 ? 'sold_out' : 'open';
    const changed = { [field]: value, available, salesState, version: 2, updatedAt: data.updatedAt };
    expect([answer.status, data]).toEqual([200, { ...before, ...changed }]);
    expect(data.updatedAt > before.updatedAt).toBe(true);
    expect(await read(app, before.id)).toEqual(data);
  });

  it('another start or time zone of a departure moves its local day', async () => {
    const { id } = await newDeparture(app, { startsAt: '2127-05-12T20:30:00Z', endsAt: '2127-05-13T04:00:00Z' });

    const later = await change(id, { startsAt: '2127-05-12T21:30:00Z' });
    const elsewhere = await change(id, { timeZone: 'UTC' });

    expect([later.body.data.startDate, elsewhere.body.data.startDate]).toEqual(['2127-05-13', '2127-05-12']);
    const moves = await app.sql<{ data: object }>(
      `select data from (
         select event, data::jsonb from outbox_events union all select event, data::jsonb from realtime_messages
       ) as published where event = 'departure.moved' and data ->> 'departureId' = $1 order by data ->> 'id'`,
      [id],
    );
    const [before, after] = ['2127-05-12T20:30:00.000Z', '2127-05-12T21:30:00.000Z'];
    expect(moves.map(({ data }) => data)).toMatchObject([
      { previousStartsAt: before, startsAt: after },
      { previousStartsAt: after, startsAt: after },
    ]);
  });

  it('an invalid change of a departure is rejected with 400 and its issues, and changes nothing', async () => {
    const { id } = await newDeparture(app);
    const answer = await change(id, { productId: 'other' });
    const issue = { path: 'productId', message: 'productId is not recognized', code: 'unknown_member' };
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    expect((await read(app, id)).version).toBe(1);
  });

  it('an end before the start of a departure is rejected with 400, whichever of the two is sent', async () => {
    const before = await newDeparture(app);

    const answers = [
      await change(before.id, { startsAt: before.endsAt }),
      await change(before.id, { endsAt: before.startsAt }),
    ];

    const issue = { path: 'endsAt', message: 'endsAt must be after startsAt', code: 'end_before_start' };
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([400, invalid(answer, [issue])]);
    expect(await read(app, before.id)).toEqual(before);
  });

  it('twenty concurrent changes of a departure are all stored', async () => {
    const { id } = await newDeparture(app);

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => change(id, n % 2 ? { capacity: 100 + n } : { priceCents: 6_000 + n })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const versions = answers.map(({ body }) => body.data.version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
  });
});

describe('POST /v1/admin/operations/departures/{id}/reinstatement', () => {
  const reinstate = (id: string, body?: object) =>
    staff.post<ErrorBody & { data: Departure }>(`${DEPARTURES}/${id}/reinstatement`, body);

  it('a cancelled departure is scheduled again as it was, and the reason is recorded', async () => {
    const before = await newDeparture(app);
    await staff.post(`${DEPARTURES}/${before.id}/cancellation`);
    const { status, body } = await reinstate(before.id, { reason: 'By mistake' });
    expect([status, body.data]).toEqual([200, { ...before, updatedAt: body.data.updatedAt, version: 3 }]);
    const [entry] = await app.sql(
      'select action, reason from action_ledger_entries where subject_id = $1 order by sequence desc limit 1',
      [before.id],
    );
    expect(entry).toEqual({ action: 'operations.departure.reinstate', reason: 'By mistake' });
  });

  it('a departure that is not cancelled is rejected with 409 invalid_transition', async () => {
    const { id } = await newDeparture(app);
    const answer = await reinstate(id);
    const details = { from: 'scheduled', to: 'scheduled', allowed: [] };
    const transition = { code: 'invalid_transition', error: 'The departure is not cancelled', details };
    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, transition)]);
  });

  it('a departure that has started stays cancelled: 409 departure_in_past', async () => {
    const { id, startsAt } = await newDeparture(app, {
      startsAt: '2020-05-10T06:00:00Z',
      endsAt: '2020-05-10T10:00:00Z',
    });
    await staff.post(`${DEPARTURES}/${id}/cancellation`);
    const answer = await reinstate(id);
    const past = {
      code: 'departure_in_past',
      error: 'A departure cannot be reinstated after its start',
      details: { startsAt },
    };
    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, past)]);
  });
});

describe('POST /v1/admin/operations/departures/{id}/cancellation', () => {
  const cancel = (id: string, body?: object) =>
    staff.post<ErrorBody & { data: Departure }>(`${DEPARTURES}/${id}/cancellation`, body);

  it('cancelling a departure without sales records the reason', async () => {
    const before = await newDeparture(app);
    app.travel({ ms: 5 });

    const { status, body } = await cancel(before.id, { reason: 'The boat is in repair' });

    const { cancelledAt } = body.data;
    const salesState = 'cancelled';
    const after = { ...before, status: 'cancelled', salesState, cancelledAt, updatedAt: cancelledAt, version: 2 };
    expect([status, body.data]).toEqual([200, after]);
    const entries = await app.sql(
      'select action, reason from action_ledger_entries where subject_id = $1 order by sequence',
      [before.id],
    );
    expect(entries).toEqual([
      { action: 'operations.departure.create', reason: null },
      { action: 'operations.departure.cancel', reason: 'The boat is in repair' },
    ]);
  });

  it('a second cancellation and a later change of a departure are rejected with 409', async () => {
    const { id } = await newDeparture(app);
    await cancel(id);

    const again = await cancel(id);
    const change = await staff.patch<ErrorBody>(`${DEPARTURES}/${id}`, { capacity: 5 });

    const details = { from: 'cancelled', to: 'cancelled', allowed: [] };
    const transition = { code: 'invalid_transition', error: 'The departure is already cancelled', details };
    expect([again.status, again.body]).toEqual([409, errorBody(again, transition)]);
    const stays = {
      ...{ code: 'departure_cancelled', error: 'A cancelled departure cannot be changed' },
      details: { departureIds: [id] },
    };
    expect([change.status, change.body]).toEqual([409, errorBody(change, stays)]);
  });
});
