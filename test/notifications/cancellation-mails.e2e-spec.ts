import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CallOffRunner } from '../../src/modules/desk/call-offs/call-off-runner.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { BOOKINGS, confirmedBooking, makeBooking } from '../bookings/bookings.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newRule, onlyOwnRules, type Rule, RULES, runsOf } from './reminders.js';

let app: TestApp;
let owner: TestClient;
let ruleId: string;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

beforeEach(async () => {
  await onlyOwnRules(app);
  const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
  ({ id: ruleId } = await newRule(app, { trigger: 'booking_cancelled', stages }));
});

const sold = (language: string | null = null) =>
  confirmedBooking(owner, {
    booking: { customerEmail: 'ada@example.com', customerLanguage: language, startDate: '2127-01-01' },
    item: { unitSellCents: 100_000 },
  });
const cancel = async (id: string, more: object = {}) => {
  const { status } = await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill', ...more });
  expect(status).toBe(200);
};
const settle = async (id: string, body: object) => {
  const { status } = await owner.post(`/v1/admin/finance/bookings/${id}/cancellation-settlement`, body);
  expect(status).toBe(200);
};
const pay = async (bookingId: string, amountCents: number) => {
  const receipt = { bookingId, amountCents, method: 'bank_transfer', currency: 'EUR', paidOn: app.day() };
  expect((await owner.post('/v1/admin/finance/payments', receipt)).status).toBe(201);
};
const statuses = async (id: string) => (await runsOf(app, id, ruleId)).map(({ status }) => status);
const send = async (id: string) => {
  await app.sql(`update reminder_runs set run_at = $2 where booking_id = $1 and status in ('planned', 'queued')`, [
    id,
    app.now(),
  ]);
  await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
};
const mailsOf = (id: string) =>
  app.sql<{ subject: string; text: string }>(
    'select subject, text from notification_messages where booking_id = $1 order by created_at, id',
    [id],
  );

describe('the mail about a cancelled booking', () => {
  it('it states the fee and the refund of the settlement, in the language of the booking', async () => {
    const { booking } = await sold('de');
    await pay(booking.id, 60_000);
    await cancel(booking.id);
    await settle(booking.id, { agreedFeeCents: 20_000, feeReason: 'Agreed by phone' });
    await send(booking.id);
    expect(await statuses(booking.id)).toEqual(['sent']);
    const [mail, ...others] = await mailsOf(booking.id);
    expect([mail?.subject, others]).toEqual([`Ihre Buchung ${booking.number} ist storniert`, []]);
    expect(mail?.text).toContain('Die Stornogebühr beträgt 200,00\u00a0€. Wir erstatten Ihnen 400,00\u00a0€.');
  });

  it('it waits half an hour for the settlement, and states the part of the fee that is still to be paid', async () => {
    const { booking } = await sold();
    await pay(booking.id, 10_000);
    await cancel(booking.id);
    await send(booking.id);
    expect(await statuses(booking.id)).toEqual(['queued']);
    await settle(booking.id, { agreedFeeCents: 25_000, feeReason: 'Agreed by phone' });
    await send(booking.id);
    const [mail] = await mailsOf(booking.id);
    expect(mail?.text).toContain('The cancellation fee is €250.00. Of this, €150.00 is still to be paid.');
  });

  it('without a decision about the fee it announces another contact', async () => {
    const { booking } = await sold();
    await cancel(booking.id);
    await app.sql(
      'update cancellation_settlements set computed_fee_cents = null, agreed_fee_cents = null where booking_id = $1',
      [booking.id],
    );
    app.travel({ ms: 31 * 60_000 });
    await send(booking.id);
    const [mail] = await mailsOf(booking.id);
    expect(mail?.text).toContain('We will contact you about the cancellation fee and your payments.');
  });

  it('a reversed cancellation causes none, and a second one on the same day causes another mail', async () => {
    const { booking } = await sold();
    const reinstate = () => owner.post(`${BOOKINGS}/${booking.id}/reinstatement`, { reason: 'Wrong booking' });
    await cancel(booking.id);
    expect((await reinstate()).status).toBe(200);
    expect(await statuses(booking.id)).toEqual(['cancelled']);
    await cancel(booking.id);
    app.travel({ ms: 31 * 60_000 });
    await send(booking.id);
    expect(await statuses(booking.id)).toEqual(['sent']);
    expect((await reinstate()).status).toBe(200);
    await cancel(booking.id);
    app.travel({ ms: 31 * 60_000 });
    await send(booking.id);
    expect(await mailsOf(booking.id)).toHaveLength(2);
  });

  it('a draft, a cancellation without information of the customer, and a departure that is called off cause none', async () => {
    const draft = await makeBooking(owner, { customerEmail: 'ada@example.com' });
    await cancel(draft.id);
    const { booking: silent } = await sold();
    await cancel(silent.id, { informCustomer: false });
    const { id: departureId } = await newDeparture(app);
    const { booking: calledOff } = await confirmedBooking(owner, {
      booking: { customerEmail: 'ada@example.com' },
      item: { departureId },
    });
    const body = {
      reasonCode: 'weather',
      reason: 'Storm',
      default: { action: 'cancel', settle: 'later' },
      message: {},
    };
    const callOffs = `/v1/admin/operations/departures/${departureId}/call-offs`;
    const created = await owner.post<{ data: { id: string } }>(callOffs, body);
    expect(created.status).toBe(202);
    await asSystem(() => app.nest.get(CallOffRunner, { strict: false }).run(created.body.data.id));
    expect(await app.sql('select status from bookings where id = $1', [calledOff.id])).toEqual([
      { status: 'cancelled' },
    ]);
    for (const { id } of [draft, silent, calledOff]) expect(await statuses(id)).toEqual([]);
  });
});

describe('the rules of a new installation', () => {
  it('they concern the confirmation, the change and the cancellation of a booking, and send without delay', async () => {
    const { body } = await owner.get<{ data: Rule[] }>(`${RULES}?sort=createdAt&limit=3`);
    expect(body.data.map(({ trigger }) => trigger).sort()).toEqual([
      'booking_cancelled',
      'booking_confirmed',
      'departure_changed',
    ]);
    for (const { id } of body.data) {
      expect((await owner.patch<{ data: Rule }>(`${RULES}/${id}`, { enabled: true })).body.data.warnings).toEqual([]);
    }
    const { booking } = await sold();
    await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    expect(await mailsOf(booking.id)).toMatchObject([{ subject: `Your booking ${booking.number} is confirmed` }]);
  });
});
