import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  addItem,
  type Booking,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  eventsOf,
  insisting,
  invalid,
  type Item,
  makeBooking,
  type One,
  problem,
  readBooking,
  readItem,
  staffWith,
} from './bookings.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const confirm = (id: string) => owner.post<One<Booking>>(`${BOOKINGS}/${id}/confirmation`);
const cancel = (id: string, body: object = { reason: 'Fell ill' }) =>
  owner.post<One<Booking>>(`${BOOKINGS}/${id}/cancellation`, body);
async function draftWithItem(): Promise<{ booking: Booking; item: Item }> {
  const { id } = await makeBooking(owner);
  const item = await addItem(owner, id);
  return { booking: await readBooking(owner, id), item };
}

/** The status that the calendar job sets. */
const push = (id: string, status: string) => app.sql('update bookings set status = $2 where id = $1', [id, status]);

describe('the confirmation of a booking', () => {
  it('confirming moves a draft with an item to confirmed', async () => {
    const draft = await makeBooking(owner);
    await addItem(owner, draft.id, { quantity: 2 });
    const { status, body, headers } = await confirm(draft.id);
    expect(status).toBe(200);
    const stamp: unknown = expect.stringMatching(/Z$/);
    const day = expect.stringMatching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
    const confirmed = { status: 'confirmed', confirmedAt: stamp, confirmedOn: day };
    const changed = { ...confirmed, totalCents: 20_000, version: 3, updatedAt: stamp };
    const terms = { terms: expect.any(Array), termsSha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(body.data).toEqual({ ...draft, ...changed, ...terms });
    expect(headers['etag']).toBe('"3"');
  });

  it('confirming a booking without an active item is rejected with 409 booking_not_priced', async () => {
    const { id } = await makeBooking(owner);
    const answer = await confirm(id);
    expect([answer.status, answer.body]).toEqual([409, problem('booking_not_priced')]);
    const item = await addItem(owner, id);
    await owner.post(`${BOOKINGS}/${id}/items/${item.id}/cancellation`);
    expect((await confirm(id)).body).toEqual(problem('booking_not_priced'));
  });

  it('concurrent confirmations confirm once, the others are 409 invalid_transition', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => insisting(() => confirm(id))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const details = { from: 'confirmed', to: 'confirmed', allowed: ['cancelled'] };
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(problem('invalid_transition', details));
  });

  it('confirming accepts no body, an empty one or {}, and no other', async () => {
    for (const body of [undefined, {}]) {
      const { id } = await makeBooking(owner);
      await addItem(owner, id);
      expect((await owner.post(`${BOOKINGS}/${id}/confirmation`, body)).status).toBe(200);
    }
    const { id } = await makeBooking(owner);
    const { status, body } = await owner.post(`${BOOKINGS}/${id}/confirmation`, { force: true });
    expect([status, body]).toEqual([400, invalid('force', 'unknown_member')]);
  });

  it('a confirmation has a ledger entry, and booking.confirmed on the channels of the booking and of all bookings', async () => {
    const { booking } = await confirmedBooking(owner);
    const { id, number } = booking;
    const entries = (await entriesAbout(owner, id)).filter(({ action }) => action === 'bookings.booking.confirm');
    expect(entries).toMatchObject([
      { before: { status: 'draft' }, after: { status: 'confirmed', totalCents: 10_000 } },
    ]);
    const published = await eventsOf(app, id, 3);
    const data = { bookingId: id, number, status: 'confirmed', currency: 'EUR', totalCents: 10_000, version: 3 };
    expect(published.find(({ event }) => event === 'booking.confirmed')).toMatchObject({ data });
    const ofAll = async () =>
      app.sql<{ event: string }>(
        `select m.event from realtime_messages m join realtime_channels c on c.id = m.channel_id
         where c.name = 'bookings' and m.data->>'bookingId' = $1 order by m.seq`,
        [id],
      );
    while ((await ofAll()).length < published.length) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ofAll()).toEqual(published.map(({ event }) => ({ event })));
  });
});

describe('the cancellation of a booking', () => {
  it.each(['draft', 'confirmed', 'in_progress'])(
    'cancelling a booking that is %s cancels its items too',
    async (from) => {
      const { booking, item } = await (from === 'draft' ? draftWithItem() : confirmedBooking(owner));
      await push(booking.id, from);
      const { status, body } = await cancel(booking.id, { reason: '  Fell ill ' });
      expect(status).toBe(200);
      const cancelled = { status: 'cancelled', cancelReason: 'Fell ill', cancelledAt: expect.stringMatching(/Z$/) };
      expect(body.data).toMatchObject({ ...cancelled, totalCents: 0, version: booking.version + 1 });
      expect(await readItem(owner, item)).toMatchObject({ ...cancelled, version: item.version + 1 });
      expect((await readBooking(owner, booking.id)).confirmedAt).toBe(from === 'draft' ? null : booking['confirmedAt']);
    },
  );

  it('the total of a booking without items stays null after its cancellation', async () => {
    expect((await cancel((await makeBooking(owner)).id)).body.data).toMatchObject({
      status: 'cancelled',
      totalCents: null,
    });
  });

  it('cancelling a booking needs a reason', async () => {
    const { id } = await makeBooking(owner);
    expect((await cancel(id, {})).status).toBe(400);
    expect((await readBooking(owner, id)).status).toBe('draft');
  });

  it.each(['completed', 'cancelled'])(
    'cancelling a booking that is %s is rejected with 409 invalid_transition',
    async (from) => {
      const { booking } = await confirmedBooking(owner);
      if (from === 'cancelled') await cancel(booking.id);
      else await push(booking.id, from);
      const { status, body } = await cancel(booking.id);
      expect([status, body]).toEqual([409, problem('invalid_transition', { from, to: 'cancelled', allowed: [] })]);
      expect((await confirm(booking.id)).body).toEqual(
        problem('invalid_transition', { from, to: 'confirmed', allowed: [] }),
      );
    },
  );

  it('concurrent cancellations and new items cancel once and leave no active item', async () => {
    const { booking } = await confirmedBooking(owner);
    const path = `${BOOKINGS}/${booking.id}/items`;
    const add = () => insisting(() => owner.post(path, { type: 'unit', title: 'Late', unitSellCents: 100 }));
    const end = () => insisting(() => cancel(booking.id));
    const [first, , ...others] = await Promise.all([add(), end(), add(), add(), end()]);
    expect(first?.status === 201 || first?.status === 409).toBe(true);
    const codes = others.filter(({ status }) => status === 409).map(({ body }) => (body as { code?: string }).code);
    expect(codes.every((code) => code === 'booking_closed' || code === 'invalid_transition')).toBe(true);
    const live = await app.sql(`select from booking_items where booking_id = $1 and status <> 'cancelled'`, [
      booking.id,
    ]);
    expect(live).toEqual([]);
    expect(await readBooking(owner, booking.id)).toMatchObject({ status: 'cancelled', totalCents: 0 });
  });

  it('a cancellation has a ledger entry with its reason and items, and booking.cancelled', async () => {
    const { booking, item } = await confirmedBooking(owner);
    await cancel(booking.id);
    const entries = await entriesAbout(owner, booking.id);
    expect(entries.at(-1)).toMatchObject({
      action: 'bookings.booking.cancel',
      reason: 'Fell ill',
      before: { status: 'confirmed' },
      after: { status: 'cancelled', totalCents: 0, cancelledItemIds: [item.id] },
    });
    expect((await eventsOf(app, booking.id, 4)).at(-1)).toMatchObject({ event: 'booking.cancelled' });
  });

  it('cancelling a booking needs bookings:write', async () => {
    const { id } = await makeBooking(owner);
    const reader = await staffWith(app, 'bookings:read', 'finance:*');
    for (const step of ['confirmation', 'cancellation']) {
      const { status, body } = await reader.post(`${BOOKINGS}/${id}/${step}`, { reason: 'x' });
      expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'bookings:write' })]);
    }
  });
});
