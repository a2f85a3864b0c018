import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, makeBooking, type One, type Page, readBooking } from '../../bookings/bookings.js';
import { newDeparture, read } from '../../operations/departures.js';
import { activeList, newPricedUnit } from '../../products/price-lists.js';
import { newPart } from '../../products/products.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { type Task, TASKS } from '../tasks.js';
import { book, readTrip, reservedTrip, seats } from '../../trips/trips.js';
import { callOff, type CallOffItem, ended, itemsOf, pay, preview, soldBooking } from './call-offs.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const refundOf = async (id: unknown) =>
  (
    await app.sql<{ status: string; cents: number }>(
      'select status, amount_cents::int as cents from payments where id = $1',
      [id],
    )
  )[0];
const mailOf = async (id: unknown) =>
  (
    await app.sql<{ recipient: string; subject: string; text: string }>(
      'select recipient, subject, text from notification_messages where id = $1',
      [id],
    )
  )[0];
const itemOf = (items: readonly CallOffItem[], { id }: { id: string }) =>
  items.find(({ bookingId }) => bookingId === id);

async function bookedTrip(departureId: string) {
  const { envelopeId } = await reservedTrip(owner, [seats(departureId)]);
  return (await book(owner, envelopeId)).body.data;
}

describe('calling off a departure', () => {
  it('cancels its bookings without a fee, requests refunds, mails the customers and cancels the departure', async () => {
    const { id } = await newDeparture(app);
    const paid = await soldBooking(owner, id, { quantity: 2, paidCents: 11_800 });
    const unpaid = await soldBooking(owner, id, { booking: { customerEmail: 'grace@example.com' } });
    const draft = await soldBooking(owner, id, { status: 'draft', booking: { customerEmail: null } });

    const started = await callOff(owner, id, { message: { note: 'Call us for another day' } });
    expect(started).toMatchObject({
      status: 'running',
      total: 3,
      done: 0,
      failed: 0,
      action: 'cancel',
      settle: 'refund',
    });
    const report = await ended(owner, started);

    expect(report).toMatchObject({
      ...{ status: 'completed', total: 3, done: 3, failed: 0, skipped: 0, endedAt: expect.any(String) },
      counts: [{ action: 'cancel', status: 'done', items: 3, people: 4, units: 4 }],
      amounts: [{ currency: 'EUR', totalCents: 23_600, refundedCents: 11_800, creditedCents: 0, openCents: 0 }],
    });
    for (const { id: bookingId } of [paid, unpaid, draft]) {
      expect(await readBooking(owner, bookingId)).toMatchObject({ status: 'cancelled', cancelReason: 'Gale warning' });
    }
    const items = await itemsOf(owner, started);
    expect(await refundOf(itemOf(items, paid)?.['refundId'])).toEqual({ status: 'requested', cents: 11_800 });
    const settlement = await owner.get<One<object>>(`/v1/admin/finance/bookings/${paid.id}/cancellation-settlement`);
    expect(settlement.body.data).toMatchObject({
      status: 'settled',
      initiator: 'operator',
      agreedFeeCents: 0,
      restCents: 11_800,
    });
    const mail = await mailOf(itemOf(items, paid)?.messageId);
    expect(mail).toMatchObject({
      recipient: 'ada@example.com',
      subject: `The departure of your booking ${paid.number} on May 12, 2127 is called off`,
    });
    expect(mail?.text).toContain('We will refund €118.00.\n\nCall us for another day');
    expect(itemOf(items, draft)).toMatchObject({ status: 'done', messageId: null });
    expect(await read(app, id)).toMatchObject({
      ...{ status: 'cancelled', salesState: 'cancelled', sold: 0, reasonCode: 'weather', cancelReason: 'Gale warning' },
    });
  });

  it('credits the invoices of cancelled bookings', async () => {
    const { id } = await newDeparture(app);
    const booking = await soldBooking(owner, id, { paidCents: 2_000 });
    const drafted = await owner.post<One<{ id: string }>>('/v1/admin/finance/invoices', { bookingId: booking.id });
    const invoice = `/v1/admin/finance/invoices/${drafted.body.data.id}`;
    expect((await owner.post(`${invoice}/issuance`, {})).status).toBe(200);

    await ended(owner, await callOff(owner, id));
    expect((await owner.get<One<object>>(invoice)).body.data).toMatchObject({
      status: 'credited',
      creditedCents: 5_900,
    });
    const money = await owner.get<One<object>>(`/v1/admin/finance/bookings/${booking.id}/money`);
    expect(money.body.data).toMatchObject({ outstandingCents: 0 });
  });

  it('records the cancellations of a force majeure as such, and leaves the money as a credit or to staff by choice', async () => {
    const { id } = await newDeparture(app, { euPackage: true });
    const [credited, later] = [
      await soldBooking(owner, id, { paidCents: 5_900 }),
      await soldBooking(owner, id, { paidCents: 900 }),
    ];
    const choice = {
      reasonCode: 'force_majeure',
      default: { action: 'cancel', settle: 'credit' },
      overrides: [{ bookingId: later.id, action: 'cancel', settle: 'later' }],
    };
    expect(await preview(owner, id, choice)).toMatchObject({ warnings: [{ code: 'refund_due' }] });
    const started = await callOff(owner, id, choice);
    const report = await ended(owner, started);
    expect(report.amounts).toEqual([
      { currency: 'EUR', totalCents: 11_800, refundedCents: 0, creditedCents: 5_900, openCents: 900 },
    ]);
    expect(report.warnings).toEqual([{ code: 'refund_due' }]);
    const settlementOf = async (bookingId: string) =>
      (await owner.get<One<object>>(`/v1/admin/finance/bookings/${bookingId}/cancellation-settlement`)).body.data;
    expect(await settlementOf(credited.id)).toMatchObject({
      status: 'settled',
      initiator: 'force_majeure',
      outcome: 'credit',
    });
    expect(await settlementOf(later.id)).toMatchObject({ status: 'open', initiator: 'force_majeure' });
  });

  it('cancels only its items of a booking that has other units, and refunds what these cost', async () => {
    const [{ id }, other] = [await newDeparture(app), await newDeparture(app)];
    const booking = await soldBooking(owner, id, { quantity: 2 });
    await addItem(owner, booking.id, { departureId: other.id, unitSellCents: 4_100 });
    await pay(owner, booking.id, 15_000);

    const expected = await preview(owner, id);
    const started = await callOff(owner, id);
    const report = await ended(owner, started);
    expect(report.amounts).toEqual([
      { currency: 'EUR', totalCents: 11_800, refundedCents: 10_900, creditedCents: 0, openCents: 0 },
    ]);
    expect(expected.amounts).toEqual(report.amounts);
    expect(await readBooking(owner, booking.id)).toMatchObject({ status: 'confirmed', totalCents: 4_100 });
    expect(await itemsOf(owner, started)).toMatchObject([
      { status: 'done', settlementId: null, refundedCents: 10_900 },
    ]);
    expect(await read(app, other.id)).toMatchObject({ sold: 1 });
  });

  it('moves bookings to another departure at their price, and informs them once', async () => {
    const [{ id }, target] = [
      await newDeparture(app),
      await newDeparture(app, {
        startsAt: '2127-05-19T06:00:00.000Z',
        endsAt: '2127-05-19T15:00:00.000Z',
        priceCents: 7_000,
      }),
    ];
    const booking = await soldBooking(owner, id, { quantity: 3, paidCents: 1_000 });
    const started = await callOff(owner, id, { default: { action: 'move', targetDepartureId: target.id } });
    expect(await ended(owner, started)).toMatchObject({ status: 'completed', done: 1 });
    expect(await readBooking(owner, booking.id)).toMatchObject({
      ...{ status: 'confirmed', totalCents: 17_700, departureDate: '2127-05-19' },
    });
    const [item] = await itemsOf(owner, started);
    expect((await mailOf(item?.messageId))?.text).toContain(
      'moved to the departure on May 19, 2127 at 9:00 AM, at the same price',
    );
    const [moved] = await app.sql('select departure_moved_at as at from bookings where id = $1', [booking.id]);
    expect(moved).toEqual({ at: null });
    expect([await read(app, id), await read(app, target.id)]).toMatchObject([
      { status: 'cancelled', sold: 0 },
      { sold: 3 },
    ]);
  });

  it('gives moved bookings the price of the other departure if asked to', async () => {
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app, { priceCents: 7_000 })];
    const booking = await soldBooking(owner, id, { quantity: 2 });
    const treatment = { action: 'move', targetDepartureId: target.id, reprice: true };
    expect(await ended(owner, await callOff(owner, id, { default: treatment, message: null }))).toMatchObject({
      ...{ status: 'completed', mails: false, warnings: [{ code: 'not_notified' }] },
    });
    expect(await readBooking(owner, booking.id)).toMatchObject({ totalCents: 14_000 });
  });

  it('keeps a booking by choice and raises a task, which is done when the booking has left the departure', async () => {
    const { id } = await newDeparture(app);
    const booking = await soldBooking(owner, id);
    const started = await callOff(owner, id, { default: { action: 'keep' } });
    expect(await ended(owner, started)).toMatchObject({ status: 'completed', done: 1 });
    expect(await read(app, id)).toMatchObject({ status: 'called_off', sold: 1 });
    const task = async () =>
      (await owner.get<Page<Task>>(`${TASKS}?subjectId=${booking.id}&source=departure_called_off`)).body.data;
    expect(await task()).toMatchObject([{ status: 'open' }]);

    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'The customer agreed' });
    expect(await task()).toMatchObject([{ status: 'done' }]);
    expect(await read(app, id)).toMatchObject({ status: 'cancelled', sold: 0 });
  });

  it('ends the reservations of trips', async () => {
    const { id } = await newDeparture(app);
    const { envelopeId } = await reservedTrip(owner, [seats(id, { quantity: 2 })]);
    expect(await preview(owner, id)).toMatchObject({ bookings: 0, trips: 1, units: 2 });
    const started = await callOff(owner, id);
    const rejected = await owner.post(`/v1/admin/trips/${envelopeId}/booking`);
    expect(rejected.status).toBe(409);
    expect(await ended(owner, started)).toMatchObject({ status: 'completed', done: 1 });
    expect(await readTrip(owner, envelopeId)).toMatchObject({ status: 'draft', totalCents: null });
    expect(await itemsOf(owner, started)).toMatchObject([
      { action: 'release', envelopeId, bookingId: null, status: 'done', messageId: expect.any(String) },
    ]);
    expect(await read(app, id)).toMatchObject({ status: 'cancelled', held: 0 });
  });

  it('takes the components of booked trips along, or cancels them', async () => {
    const later = { startsAt: '2127-05-19T06:00:00.000Z', endsAt: '2127-05-19T15:00:00.000Z' };
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app, later)];
    const [moved, cancelled] = [await bookedTrip(id), await bookedTrip(id)];
    const overrides = [{ bookingId: cancelled.bookingId, action: 'cancel' }];
    const started = await callOff(owner, id, {
      default: { action: 'move', targetDepartureId: target.id },
      overrides,
    });
    expect(await ended(owner, started)).toMatchObject({ status: 'completed', done: 2 });
    expect(await readTrip(owner, moved.envelopeId)).toMatchObject({
      status: 'booked',
      components: [{ status: 'booked', departureId: target.id, serviceDate: '2127-05-19' }],
    });
    expect(await readTrip(owner, cancelled.envelopeId)).toMatchObject({
      status: 'cancelled',
      components: [{ status: 'cancelled' }],
    });
    expect([await read(app, id), await read(app, target.id)]).toMatchObject([{ status: 'cancelled' }, { sold: 1 }]);
  });

  it('is done at once for a departure without sales', async () => {
    const { id } = await newDeparture(app);
    expect(await ended(owner, await callOff(owner, id))).toMatchObject({ status: 'completed', total: 0 });
    expect(await read(app, id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('the preview of a call-off', () => {
  it('shows what happens then, and stores nothing', async () => {
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app, { capacity: 5 })];
    const bookings = [
      await soldBooking(owner, id, { quantity: 2, paidCents: 11_800 }),
      await soldBooking(owner, id, { quantity: 8 }),
      await soldBooking(owner, id, { quantity: 3, paidCents: 500 }),
      await soldBooking(owner, id, { quantity: 1 }),
    ];
    const [cancelled] = bookings;
    const choice = {
      default: { action: 'move', targetDepartureId: target.id },
      overrides: [{ bookingId: cancelled?.id, action: 'cancel', settle: 'credit' }],
    };
    const expected = await preview(owner, id, choice);
    expect(expected).toMatchObject({
      ...{ bookings: 4, trips: 0, people: 14, units: 14, warnings: [] },
      actions: [
        { action: 'move', items: 3, failing: 1, people: 12, units: 12 },
        { action: 'cancel', items: 1, failing: 0, people: 2, units: 2 },
      ],
      amounts: [{ currency: 'EUR', totalCents: 35_400, refundedCents: 0, creditedCents: 11_800, openCents: 0 }],
      targets: [{ departureId: target.id, available: 5, wanted: 12, fitting: 4 }],
      failures: [{ bookingId: bookings[1]?.id, code: 'capacity_exceeded' }],
    });
    expect(await read(app, id)).toMatchObject({ status: 'scheduled', sold: 14 });

    const started = await callOff(owner, id, choice);
    const report = await ended(owner, started);
    expect(report).toMatchObject({ status: 'completed_with_failures', done: 3, failed: 1, amounts: expected.amounts });
    const failed = await itemsOf(owner, started, '&status=failed');
    expect(failed.map(({ bookingId, code }) => ({ bookingId, code }))).toEqual(
      expected.failures.map(({ bookingId, code }) => ({ bookingId, code })),
    );
    expect(await read(app, target.id)).toMatchObject({ sold: 4 });
    expect(await read(app, id)).toMatchObject({ status: 'called_off', sold: 8 });
  });

  it('names the error of a departure that sells another option, which the items of units then have', async () => {
    const { productId, unitId } = await newPricedUnit(app);
    const option = async (name: string) => (await newPart(app, productId, 'options', { name })).id;
    const [morning, privately] = [await option('Morning'), await option('Private')];
    await activeList(app, [{ productId, unitId, amountCents: 5_900 }]);
    const { id } = await newDeparture(app, { productId, optionId: morning });
    const target = await newDeparture(app, { productId, optionId: privately });
    const booking = await makeBooking(owner);
    const items = { departureId: id, units: [{ unitId, quantity: 1 }] };
    expect((await owner.post(`${BOOKINGS}/${booking.id}/items`, items)).status).toBe(201);
    const choice = { default: { action: 'move', targetDepartureId: target.id } };
    const code = 'option_mismatch';
    expect((await preview(owner, id, choice)).failures).toMatchObject([{ bookingId: booking.id, code }]);
    const started = await callOff(owner, id, choice);
    await ended(owner, started);
    expect(await itemsOf(owner, started)).toMatchObject([{ status: 'failed', code }]);
    expect(await read(app, target.id)).toMatchObject({ sold: 0 });
  });

  it.each([
    ['another currency', { currency: 'USD' }, 'currency_mismatch'],
    ['sales that staff have closed', {}, 'sales_closed'],
  ])('names the error of a departure with %s, which the items then have', async (_, terms, code) => {
    const [{ id }, target] = [await newDeparture(app), await newDeparture(app, terms)];
    if (code === 'sales_closed') await owner.post(`/v1/admin/operations/departures/${target.id}/sales-closing`, {});
    const booking = await soldBooking(owner, id);
    const choice = { default: { action: 'move', targetDepartureId: target.id } };
    expect((await preview(owner, id, choice)).failures).toMatchObject([{ bookingId: booking.id, code }]);
    const started = await callOff(owner, id, choice);
    await ended(owner, started);
    expect(await itemsOf(owner, started)).toMatchObject([{ status: 'failed', code }]);
  });
});
