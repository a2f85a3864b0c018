/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { change, days, type Envelope, entriesOf, eventsOf, planned, type Schedule, schedulesPath } from './plans.js';

let app: TestApp;
let owner: TestClient;
let schedule: Schedule;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  [, schedule] = await planned(owner, { startDate: app.day(60) });
});

describe('a patch of one member', () => {
  it.each([
    ['label', 'Another label'],
    ['notes', 'Two\nlines'],
    ['notes', null],
    ['dueDate', '2026-01-01'],
  ])('a patch of %s alone changes that member, version and updatedAt', async (member, value) => {
    const [, , second] = await planned(owner);
    if (value === null) await change(owner, second, { notes: 'Gone soon' });
    const before = (await owner.get<Envelope>(`${schedulesPath(second.bookingId)}/${second.id}`)).body.data;
    const { status, body, headers } = await change(owner, second, { [member]: value });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...before,
      [member]: value,
      status: member === 'dueDate' ? 'overdue' : 'pending',
      dateSource: member === 'dueDate' ? 'manual' : before.dateSource,
      version: before.version + 1,
      updatedAt: expect.any(String),
    });
    expect(headers['etag']).toBe(`"${before.version + 1}"`);
    expect((await owner.get<Envelope>(`${schedulesPath(second.bookingId)}/${second.id}`)).body).toEqual(body);
  });

  it('a patch has a ledger entry with before and after, and an event', async () => {
    const [bookingId, first] = await planned(owner);
    await change(owner, first, { label: 'Told' });
    const entries = await entriesOf(owner, 'payment_schedule', first.id);
    expect(entries).toMatchObject([
      { action: 'finance.payment_schedule.update', before: { label: 'First' }, after: { label: 'Told', version: 2 } },
    ]);
    expect(await eventsOf(app, bookingId, 'payment_schedule.updated')).toEqual([
      'payment_plan.materialized',
      'payment_schedule.updated',
    ]);
  });
});

describe('members that cannot change', () => {
  it('members that cannot change may be sent back as they were read', async () => {
    const { id, bookingId, currency, dueDate, amountCents, status, label, notes } = schedule;
    const same = { id, bookingId, currency, dueDate, amountCents, status, label, notes };
    const { status: code, body } = await change(owner, schedule, same);
    expect(code).toBe(200);
    expect(body.data).toEqual(schedule);
  });

  it.each([
    ['id', 'psch_01k0dem000e000000000009999'],
    ['bookingId', 'book_01k0dem000e000000000009999'],
  ])('another %s in a patch is rejected with 400', async (member, value) => {
    const { status, body } = await change(owner, schedule, { [member]: value });
    expect(status).toBe(400);
    expect(body).toEqual(invalid(member, 'immutable'));
  });

  it('another currency in a patch is rejected with 409 currency_immutable', async () => {
    const { status, body } = await change(owner, schedule, { currency: 'CHF' });
    expect(status).toBe(409);
    expect(body).toEqual(problem('currency_immutable', { currency: 'EUR' }));
  });

  it('an invalid body of an installment change is rejected with 400 and its issues, and changes nothing', async () => {
    const { status, body: answer } = await change(owner, schedule, { type: 'other' });
    expect([status, answer]).toEqual([400, invalid('type', 'unknown_member', 'type is not recognized')]);
    expect((await owner.get(`${schedulesPath(schedule.bookingId)}/${schedule.id}`)).body).toEqual({ data: schedule });
  });

  it('an invalid query of an installment change is rejected with 400 and its issues', async () => {
    const { status, body } = await change(owner, schedule, [{ label: 'x' }, '?rebalance=all']);
    expect([status, body]).toEqual([400, invalid('rebalance', 'unknown_value')]);
  });
});

describe('a due date', () => {
  it('a due date after the departure is 422 due_date_after_departure unless the query allows it', async () => {
    const departureDate = app.day(60);
    const dueDate = days(departureDate, 1);
    const { status, body } = await change(owner, schedule, { dueDate });
    expect(status).toBe(422);
    expect(body).toEqual(problem('due_date_after_departure', { field: 'dueDate', dueDate, departureDate }));
    expect((await change(owner, schedule, { dueDate: departureDate })).status).toBe(200);
    const allowed = await change(owner, schedule, [{ dueDate }, '?allowAfterDeparture=true']);
    expect(allowed.body.data).toMatchObject({ dueDate });
    // The date that is already stored is not a change.
    expect((await change(owner, schedule, { dueDate, label: 'Late' })).status).toBe(200);
  });
});

describe('the path of an installment', () => {
  it('an installment is found below its own booking only: below another one it is 404 and stays unchanged', async () => {
    const [otherId] = await planned(owner);
    const path = `${schedulesPath(otherId)}/${schedule.id}`;
    for (const answer of [await owner.patch(path, { label: 'Stolen' }), await owner.get(path)]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(problem('not_found'));
    }
    const kept = await owner.get<Envelope>(`${schedulesPath(schedule.bookingId)}/${schedule.id}`);
    expect(kept.body.data.label).not.toBe('Stolen');
  });

  it.each(['psch_01k0dem000e000000000009999', 'psch_x', 'x', 'book_01k0dem000e000000000000001'])(
    'the id %s of an installment is 404',
    async (id) => {
      const { status, body } = await change(owner, { bookingId: schedule.bookingId, id }, { label: 'x' });
      expect(status).toBe(404);
      expect(body).toEqual(problem('not_found'));
    },
  );
});

describe('a change of an installment', () => {
  it('a change of another version of an installment is 412', async () => {
    const [, first] = await planned(owner);
    const path = `${schedulesPath(first.bookingId)}/${first.id}`;
    const stale = await owner.patch(path, { label: 'x' }, { headers: { 'If-Match': '"7"' } });
    expect(stale.status).toBe(412);
    expect(stale.body).toEqual(problem('precondition_failed', { currentVersion: 1 }));
    const headers = { 'If-Match': '"1"' };
    const both = await Promise.all(['a', 'b'].map((label) => owner.patch(path, { label }, { headers })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await owner.patch(path, { label: 'x' }, { headers: { 'If-Match': 'x' } })).status).toBe(400);
  });

  it('changing an installment needs finance:write, reading one finance:read', async () => {
    const reader = await staffWith(app, 'finance:read');
    const path = `${schedulesPath(schedule.bookingId)}/${schedule.id}`;
    expect((await reader.get(path)).status).toBe(200);
    const { status, body } = await reader.patch(path, { label: 'x' });
    expect(status).toBe(403);
    expect(body).toEqual(problem('forbidden', { requiredScope: 'finance:write' }));
    const withoutScope = await staffWith(app, 'bookings:*');
    expect((await withoutScope.get(path)).status).toBe(403);
  });

  it('two requests with the same Idempotency-Key change an installment once', async () => {
    const [, first] = await planned(owner);
    const call = { headers: { 'Idempotency-Key': `patch-${first.id}` } };
    const path = `${schedulesPath(first.bookingId)}/${first.id}`;
    const [one, two] = [
      await owner.patch(path, { label: 'Once' }, call),
      await owner.patch(path, { label: 'Once' }, call),
    ];
    expect(two.body).toEqual(one.body);
    expect(await entriesOf(owner, 'payment_schedule', first.id)).toHaveLength(1);
  });
});
