import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  addItem,
  BOOKINGS,
  invalid,
  makeBooking,
  type One,
  type Page,
  problem,
  readBooking,
  staffWith,
} from '../../bookings/bookings.js';
import { BookingsService } from '../../../src/modules/bookings/index.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { ALLOTMENTS, departureIn, product, type Slot } from '../../distribution/allotments/allotments.js';
import { newChannel } from '../../distribution/channels.js';
import { DEPARTURES, newDeparture, read } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import {
  callOff,
  type CallOff,
  callOffBody,
  type CallOffItem,
  callOffsOf,
  itemsOf,
  preview,
  readCallOff,
  runCallOffs,
  soldBooking,
} from './call-offs.js';

// Without jobs, items are worked on only when a test says so.
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const urlOf = ({ departureId, id }: CallOff) => `${callOffsOf(departureId)}/${id}`;
const to = (started: CallOff, state: string, body?: object) =>
  owner.post<One<CallOff>>(`${urlOf(started)}/${state}`, body);
const change = (started: CallOff, { id }: CallOffItem, body: object) =>
  owner.patch<One<CallOffItem>>(`${urlOf(started)}/items/${id}`, body);
async function first(started: CallOff): Promise<CallOffItem> {
  const [item] = await itemsOf(owner, started);
  if (!item) throw new Error('The call-off has no item');
  return item;
}

/** Waits until this many transactions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await app.sql(waiting)).length < count) await pause(20);
}

describe('from the start of a call-off on', () => {
  it('the departure sells nothing more and cannot be changed', async () => {
    const { id } = await newDeparture(app);
    const booking = await soldBooking(owner, id);
    const draft = await soldBooking(owner, id, { status: 'draft' });
    await callOff(owner, id);

    expect(await read(app, id)).toMatchObject({ status: 'called_off', salesState: 'called_off', sold: 2 });
    const item = { departureId: id, type: 'unit', title: 'Seat', unitSellCents: 5_900 };
    const tries = [
      await owner.post(`${BOOKINGS}/${booking.id}/items`, item),
      await owner.post(`${BOOKINGS}/${booking.id}/items`, { ...item, override: ['past'], overrideReason: 'A guest' }),
      await owner.post(`${BOOKINGS}/${draft.id}/confirmation`),
      await owner.patch(`${DEPARTURES}/${id}`, { capacity: 50 }),
      await owner.post(`${DEPARTURES}/${id}/sales-closing`, {}),
      await owner.post(`${DEPARTURES}/${id}/guarantee`, {}),
      await owner.post(`${DEPARTURES}/${id}/cancellation`, {}),
    ];
    const rejection = [409, problem('departure_called_off', { departureIds: [id] })];
    expect(tries.map(({ status, body }) => [status, body])).toEqual(tries.map(() => rejection));
    const listed = await owner.get<Page<object>>(
      `${DEPARTURES}?salesState=called_off&productId=${(await read(app, id)).productId}`,
    );
    expect(listed.body.data).toMatchObject([{ id }]);
  });

  it('the slots of its allotments are closed, and open again when it is abandoned', async () => {
    const productId = product();
    const departure = await departureIn(app, 30, { productId, capacity: 10 });
    const { id: channelId } = await newChannel(app);
    const terms = { channelId, productId, validFrom: app.day(-1), defaultQuantity: 4 };
    const allotment = (await owner.post<One<{ id: string }>>(ALLOTMENTS, terms)).body.data.id;
    const slot = async () =>
      (await owner.get<Page<Slot>>(`${ALLOTMENTS}/${allotment}/slots`)).body.data.find(
        ({ departureId }) => departureId === departure.id,
      );
    await soldBooking(owner, departure.id, { booking: { channelId }, item: { allotmentId: allotment } });
    expect(await slot()).toMatchObject({ closed: false, sold: 1, remaining: 3 });

    const started = await callOff(owner, departure.id);
    expect(await slot()).toMatchObject({ closed: true, sold: 1, remaining: 0, suspended: 3 });
    const { status, body } = await to(started, 'abandonment', { reason: 'The gale has passed' });
    expect([status, body.data]).toMatchObject([200, { status: 'abandoned', skipped: 1, endedAt: expect.any(String) }]);
    expect(await slot()).toMatchObject({ closed: false, sold: 1, remaining: 3 });
    expect(await read(app, departure.id)).toMatchObject({ status: 'scheduled', reasonCode: null, cancelReason: null });
    expect(await first(started)).toMatchObject({ status: 'skipped', code: 'abandoned' });
    await runCallOffs(app);
    expect(await read(app, departure.id)).toMatchObject({ status: 'scheduled', sold: 1 });
    expect((await callOff(owner, departure.id)).status).toBe('running');
  });

  it('a booking moves into the slot of its allotment on the other departure, and otherwise into the pool', async () => {
    const productId = product();
    const [from, target] = [await departureIn(app, 30, { productId }), await departureIn(app, 31, { productId })];
    const { id: channelId } = await newChannel(app);
    const terms = { channelId, productId, validFrom: app.day(-1), validTo: app.day(31), defaultQuantity: 4 };
    const allotment = (await owner.post<One<{ id: string }>>(ALLOTMENTS, terms)).body.data.id;
    const booking = await soldBooking(owner, from.id, {
      booking: { channelId },
      item: { allotmentId: allotment, quantity: 2 },
    });
    const beyond = await departureIn(app, 40, { productId });
    const other = await soldBooking(owner, from.id, {
      booking: { channelId },
      item: { allotmentId: allotment, quantity: 1 },
    });
    const choice = {
      default: { action: 'move', targetDepartureId: target.id },
      overrides: [{ bookingId: other.id, action: 'move', targetDepartureId: beyond.id }],
    };
    expect((await preview(owner, from.id, choice)).failures).toEqual([]);
    await callOff(owner, from.id, choice);
    await runCallOffs(app);
    const placeOf = (id: string) =>
      app.sql('select departure_id as departure, allotment_id as allotment from booking_items where booking_id = $1', [
        id,
      ]);
    expect(await placeOf(booking.id)).toEqual([{ departure: target.id, allotment }]);
    expect(await placeOf(other.id)).toEqual([{ departure: beyond.id, allotment: null }]);
    expect(await read(app, from.id)).toMatchObject({ status: 'cancelled', sold: 0, guaranteedOpen: 0 });
  });
});

describe('the items of a call-off', () => {
  it('a paused call-off works on no item; its pending items can be changed until it is resumed', async () => {
    const { id } = await newDeparture(app);
    const [kept, cancelled] = [await soldBooking(owner, id), await soldBooking(owner, id)];
    const started = await callOff(owner, id);
    expect((await to(started, 'pause')).body.data).toMatchObject({ status: 'paused', endedAt: null });
    await runCallOffs(app);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'paused', done: 0 });

    const items = await itemsOf(owner, started);
    const item = items.find(({ bookingId }) => bookingId === kept.id);
    if (!item) throw new Error('The booking is missing');
    const changed = await change(started, item, { action: 'keep' });
    expect([changed.status, changed.body.data]).toMatchObject([200, { action: 'keep', settle: null, version: 2 }]);

    const resumed = await to(started, 'resumption');
    expect([resumed.status, resumed.body.data.status]).toEqual([202, 'running']);
    await runCallOffs(app);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed', done: 2 });
    expect(await readBooking(owner, kept.id)).toMatchObject({ status: 'confirmed' });
    expect(await readBooking(owner, cancelled.id)).toMatchObject({ status: 'cancelled' });
    const late = await change(started, item, { action: 'cancel' });
    const details = { from: 'done', to: 'pending', allowed: [] };
    expect([late.status, late.body]).toEqual([409, problem('invalid_transition', details)]);
  });

  it('a booking of 8 does not fit into 5 units: it fails, nothing of it is moved, and it is repeated with another action', async () => {
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app, { capacity: 5 })];
    const large = await makeBooking(owner);
    await addItem(owner, large.id, { departureId: id, quantity: 3 });
    await addItem(owner, large.id, { departureId: id, quantity: 5 });
    const small = await soldBooking(owner, id, { quantity: 5 });
    const started = await callOff(owner, id, { default: { action: 'move', targetDepartureId: target.id } });
    await runCallOffs(app);

    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed_with_failures', done: 1, failed: 1 });
    const [failed] = await itemsOf(owner, started, '&status=failed');
    expect(failed).toMatchObject({ bookingId: large.id, code: 'capacity_exceeded', attempts: 1, messageId: null });
    expect(await readBooking(owner, small.id)).toMatchObject({ status: 'confirmed' });
    expect([await read(app, id), await read(app, target.id)]).toMatchObject([
      { status: 'called_off', sold: 8 },
      { sold: 5 },
    ]);

    const done = await itemsOf(owner, started, '&status=done');
    const wrong = await to(started, 'retries', { itemIds: [done[0]?.id] });
    expect([wrong.status, wrong.body]).toEqual([422, problem('item_not_failed', { field: 'itemIds.0' })]);
    const retried = await to(started, 'retries', { itemIds: [failed?.id], action: 'cancel', settle: 'credit' });
    expect([retried.status, retried.body.data]).toMatchObject([202, { status: 'running', failed: 0, endedAt: null }]);
    await runCallOffs(app);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed', done: 2, failed: 0 });
    expect(await readBooking(owner, large.id)).toMatchObject({ status: 'cancelled' });
    expect(await read(app, id)).toMatchObject({ status: 'cancelled', sold: 0 });
  });

  it('a booking that staff have moved or cancelled meanwhile is skipped', async () => {
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app)];
    const cancelled = await soldBooking(owner, id);
    const moved = await makeBooking(owner);
    const item = await addItem(owner, moved.id, { departureId: id });
    const started = await callOff(owner, id, { default: { action: 'move', targetDepartureId: target.id } });
    await owner.post(`${BOOKINGS}/${cancelled.id}/cancellation`, { reason: 'The customer called' });
    expect((await owner.patch(`${BOOKINGS}/${moved.id}/items/${item.id}`, { departureId: target.id })).status).toBe(
      200,
    );
    expect(await read(app, id)).toMatchObject({ status: 'cancelled', sold: 0 });
    await runCallOffs(app);
    expect(await itemsOf(owner, started)).toMatchObject([
      { status: 'skipped', code: 'left_departure', messageId: null },
      { status: 'skipped', code: 'left_departure', messageId: null },
    ]);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed', skipped: 2 });
    expect(await read(app, target.id)).toMatchObject({ sold: 1 });
  });

  it('several processes that work on one call-off treat each booking once', async () => {
    const { id } = await newDeparture(app);
    for (let index = 0; index < 6; index += 1) await soldBooking(owner, id);
    const started = await callOff(owner, id);
    await Promise.all([runCallOffs(app), runCallOffs(app), runCallOffs(app)]);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed', done: 6, failed: 0 });
    const items = await itemsOf(owner, started);
    expect(items.map(({ attempts }) => attempts)).toEqual(items.map(() => 1));
    const mails = await app.sql('select from notification_messages where id = any($1)', [
      items.map(({ messageId }) => messageId),
    ]);
    expect(mails).toHaveLength(6);
  });

  it('a pause returns when the booking in work is done, and then no other is worked on', async () => {
    const { id } = await newDeparture(app);
    for (let index = 0; index < 5; index += 1) await soldBooking(owner, id);
    const started = await callOff(owner, id);
    const { bookingId } = await first(started);
    const holder = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from bookings where id = $1 for update', [bookingId]);
    const working = runCallOffs(app);
    await untilWaiting(1);
    const pausing = to(started, 'pause');
    await untilWaiting(2);
    await holder.end();

    // PostgreSQL may let the next booking pass a pause that has just been woken up.
    const paused = (await pausing).body.data;
    expect(paused).toMatchObject({ status: 'paused', total: 5 });
    expect([1, 2, 3]).toContain(paused.done);
    await working;
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'paused', done: paused.done });
  });

  it('its bookings are reinstated one by one after the departure, while their settlement is open', async () => {
    const { id } = await newDeparture(app);
    const booking = await soldBooking(owner, id, { quantity: 2, paidCents: 1_000 });
    await callOff(owner, id, { default: { action: 'cancel', settle: 'later' } });
    await runCallOffs(app);
    const reinstate = () => owner.post(`${BOOKINGS}/${booking.id}/reinstatement`, { reason: 'The gale has passed' });
    const early = await reinstate();
    expect([early.status, early.body]).toEqual([409, problem('departure_cancelled', { departureIds: [id] })]);
    expect((await owner.post(`${DEPARTURES}/${id}/reinstatement`, {})).status).toBe(200);
    expect((await reinstate()).status).toBe(200);
    expect(await readBooking(owner, booking.id)).toMatchObject({ status: 'confirmed', totalCents: 11_800 });
    expect(await read(app, id)).toMatchObject({ status: 'scheduled', sold: 2, reasonCode: null });
  });

  it('an unknown error is tried five times and then fails the item, which stops no other', async () => {
    const { id } = await newDeparture(app);
    const [broken] = [await soldBooking(owner, id), await soldBooking(owner, id)];
    await app.sql(
      `create function reject_broken() returns trigger language plpgsql as
       $$ begin if new.id = '${broken?.id}' then raise exception 'broken'; end if; return new; end $$`,
    );
    await app.sql('create trigger broken before update on bookings for each row execute function reject_broken()');
    const started = await callOff(owner, id);
    await runCallOffs(app);
    await app.sql('drop trigger broken on bookings; drop function reject_broken');
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed_with_failures', done: 1, failed: 1 });
    expect(await itemsOf(owner, started, '&status=failed')).toMatchObject([
      { bookingId: broken?.id, code: 'internal_error', attempts: 5 },
    ]);
    expect((await to(started, 'retries')).status).toBe(202);
    await runCallOffs(app);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed', done: 2 });
  });

  it('items are listed by state and action, also as CSV', async () => {
    const { id } = await newDeparture(app);
    const [one, other] = [await soldBooking(owner, id), await soldBooking(owner, id)];
    const overrides = [{ bookingId: other.id, action: 'keep' }];
    const started = await callOff(owner, id, { overrides });
    await runCallOffs(app);
    expect(await itemsOf(owner, started, '&action=keep')).toMatchObject([
      { bookingId: other.id, bookingNumber: other.number },
    ]);
    expect(await itemsOf(owner, started, '&action=cancel,move&status=done,failed')).toMatchObject([
      { bookingId: one.id },
    ]);
    expect((await itemsOf(owner, started, '&sort=-position')).map(({ position }) => position)).toEqual([2, 1]);
    const csv = await owner.get(`${urlOf(started)}/items?format=csv&columns=bookingNumber,action,status`);
    expect(csv.text.trim().split(/\r?\n/)).toHaveLength(3);
    const list = await owner.get<Page<CallOff>>(`${callOffsOf(id)}?status=completed`);
    expect(list.body.data).toMatchObject([{ id: started.id, done: 2 }]);
  });
});

describe('requests that are rejected', () => {
  it('a second call-off while one is open: 409 call_off_in_progress', async () => {
    const { id } = await newDeparture(app);
    await soldBooking(owner, id);
    await callOff(owner, id);
    const again = await owner.post(callOffsOf(id), callOffBody());
    expect([again.status, again.body]).toEqual([409, problem('call_off_in_progress')]);
    const previewed = await owner.post(`${callOffsOf(id)}/preview`, callOffBody());
    expect([previewed.status, previewed.body]).toEqual([409, problem('call_off_in_progress')]);
  });

  it('of several concurrent call-offs of a departure one is created', async () => {
    const { id } = await newDeparture(app);
    await soldBooking(owner, id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => owner.post(callOffsOf(id), callOffBody())));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
  });

  it('a cancelled departure, or one that has ended', async () => {
    const { id } = await newDeparture(app);
    await owner.post(`${DEPARTURES}/${id}/cancellation`, {});
    const cancelled = await owner.post(callOffsOf(id), callOffBody());
    expect([cancelled.status, cancelled.body]).toEqual([409, problem('departure_cancelled', { departureIds: [id] })]);
    const past = await newDeparture(app, { startsAt: '2020-05-12T06:00:00.000Z', endsAt: '2020-05-12T15:00:00.000Z' });
    const ended = await owner.post(callOffsOf(past.id), callOffBody());
    expect([ended.status, ended.body]).toEqual([409, problem('departure_departed', { departureIds: [past.id] })]);
  });

  it.each([
    ['a move without a departure', { default: { action: 'move' } }, 'default.targetDepartureId', 'required'],
    [
      'a settlement of a kept booking',
      { default: { action: 'keep', settle: 'refund' } },
      'default.settle',
      'not_applicable',
    ],
    ['a repriced cancellation', { default: { action: 'cancel', reprice: true } }, 'default.reprice', 'not_applicable'],
  ])('%s: 400', async (_, over, field, code) => {
    const { id } = await newDeparture(app);
    const { status, body } = await owner.post(callOffsOf(id), callOffBody(over));
    expect([status, body]).toEqual([400, invalid(field, code)]);
  });

  it('moves to the same or an unknown departure, and overrides for other bookings', async () => {
    const [{ id }, elsewhere] = [await newDeparture(app), await newDeparture(app)];
    const other = await soldBooking(owner, elsewhere.id);
    const move = (targetDepartureId: string) => ({ default: { action: 'move', targetDepartureId } });
    const override = { bookingId: other.id, action: 'keep' };
    const errors = [
      [move(id), 422, problem('same_departure', { field: 'default.targetDepartureId' })],
      [move('dep_01k0dem000e000000000009999'), 404, problem('not_found', { field: 'default.targetDepartureId' })],
      [{ overrides: [override] }, 422, problem('booking_not_on_departure', { field: 'overrides.0.bookingId' })],
      [{ overrides: [override, override] }, 400, invalid('overrides.1.bookingId', 'duplicate')],
    ] as const;
    for (const [over, status, body] of errors) {
      for (const url of [callOffsOf(id), `${callOffsOf(id)}/preview`]) {
        const answer = await owner.post(url, callOffBody(over));
        expect([answer.status, answer.body]).toEqual([status, body]);
      }
    }
    expect(await read(app, id)).toMatchObject({ status: 'scheduled' });
  });

  it('changes of the state that do not apply', async () => {
    const { id } = await newDeparture(app);
    await soldBooking(owner, id);
    const started = await callOff(owner, id);
    const [resumed, retried] = [await to(started, 'resumption'), await to(started, 'retries')];
    const running = { from: 'running', to: 'running', allowed: ['paused', 'abandoned', 'completed'] };
    expect([resumed.status, resumed.body]).toEqual([409, problem('invalid_transition', running)]);
    expect([retried.status, retried.body]).toEqual([409, problem('invalid_transition', running)]);
  });

  it('a second call-off cannot be abandoned after an item of the first one is done', async () => {
    const { id } = await newDeparture(app);
    await soldBooking(owner, id);
    const { id: keptId } = await soldBooking(owner, id);
    const overrides = [{ bookingId: keptId, action: 'keep' }];
    const started = await callOff(owner, id, { overrides });
    await runCallOffs(app);
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed' });
    const second = await callOff(owner, id, {});
    const abandoned = await to(second, 'abandonment', { reason: 'Too late' });
    expect([abandoned.status, abandoned.body]).toEqual([409, problem('call_off_started')]);
    expect(await read(app, id)).toMatchObject({ status: 'called_off' });
  });

  it('a call-off that is resumed after its departure was reinstated does nothing', async () => {
    const { id } = await newDeparture(app);
    const { id: bookingId } = await soldBooking(owner, id);
    const started = await callOff(owner, id);
    await to(started, 'pause');
    await owner.post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Ill' });
    expect(await read(app, id)).toMatchObject({ status: 'cancelled' });
    expect((await owner.post(`${DEPARTURES}/${id}/reinstatement`, {})).status).toBe(200);
    expect((await owner.post(`${BOOKINGS}/${bookingId}/reinstatement`, { reason: 'Well again' })).status).toBe(200);
    await to(started, 'resumption');
    await runCallOffs(app);
    expect(await first(started)).toMatchObject({ status: 'skipped', code: 'left_departure' });
    expect(await readCallOff(owner, started)).toMatchObject({ status: 'completed', done: 0, skipped: 1 });
    expect(await readBooking(owner, bookingId)).toMatchObject({ status: 'confirmed' });
  });

  it('a booking that is kept on its departure is not served when the day has passed, and can still be cancelled', async () => {
    const { id } = await newDeparture(app);
    const { id: bookingId } = await soldBooking(owner, id);
    await callOff(owner, id, { default: { action: 'keep' } });
    await runCallOffs(app);
    const days = Math.ceil((Date.parse((await read(app, id)).endsAt) - app.now().getTime()) / 86_400_000) + 2;
    app.travel({ days });
    await asSystem(() => app.nest.get(BookingsService).progressByDate());
    expect(await readBooking(owner, bookingId)).toMatchObject({ status: 'confirmed' });
    const cancelled = await owner.post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Called off' });
    expect([cancelled.status, cancelled.text]).toEqual([200, cancelled.text]);
    app.travel({ days: -days });
  });

  it('a booking that is kept twice, on two departures, has a task each time', async () => {
    const [one, two] = [await newDeparture(app), await newDeparture(app)];
    const { id: bookingId } = await soldBooking(owner, one.id);
    const keep = { default: { action: 'keep' } };
    await callOff(owner, one.id, keep);
    await runCallOffs(app);
    const items = `${BOOKINGS}/${bookingId}/items`;
    const [item] = (await owner.get<Page<{ id: string }>>(items)).body.data;
    const moved = await owner.patch(`${items}/${item?.id}`, { departureId: two.id });
    expect([moved.status, moved.text]).toEqual([200, moved.text]);
    await callOff(owner, two.id, keep);
    await runCallOffs(app);
    const tasks = await app.sql(
      `select status from tasks where source = 'departure_called_off' and subject_id = $1 order by id`,
      [bookingId],
    );
    expect(tasks).toEqual([{ status: 'done' }, { status: 'open' }]);
  });

  it('an abandonment after an item is done: 409 call_off_started', async () => {
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app, { capacity: 1 })];
    await soldBooking(owner, id);
    await soldBooking(owner, id);
    const started = await callOff(owner, id, { default: { action: 'move', targetDepartureId: target.id } });
    await runCallOffs(app);
    expect(await readCallOff(owner, started)).toMatchObject({ done: 1, failed: 1 });
    const abandoned = await to(started, 'abandonment', { reason: 'Too late' });
    expect([abandoned.status, abandoned.body]).toEqual([409, problem('call_off_started')]);
  });

  it('another booking scope, a trip as a booking, and call-offs of other departures', async () => {
    const [{ id }, other] = [await newDeparture(app), await newDeparture(app)];
    await soldBooking(owner, id);
    const started = await callOff(owner, id);
    const reader = await staffWith(app, 'operations:read', 'operations:write');
    const missing = (requiredScope: string) => [403, problem('forbidden', { requiredScope })];
    const tries = [
      await reader.post(callOffsOf(other.id), callOffBody()),
      await reader.post(`${urlOf(started)}/pause`),
    ];
    expect(tries.map(({ status, body }) => [status, body])).toEqual([
      missing('bookings:write'),
      missing('bookings:write'),
    ]);
    expect((await reader.get(urlOf(started))).status).toBe(200);
    const foreign = await owner.get(`${callOffsOf(other.id)}/${started.id}`);
    expect([foreign.status, foreign.body]).toEqual([404, problem('not_found')]);
  });
});
