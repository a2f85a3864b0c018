import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Booking, confirmedBooking, type One, staffWith } from '../bookings/bookings.js';
import { make as makeBill } from '../finance/invoices.js';
import { newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

interface Notice extends Record<string, unknown> {
  code: string;
  subjectId: string;
}

interface Dashboard {
  today: string;
  departures: { id: string; sold: number }[];
  money: { weekStart: string; currency: string; dueCents: number; overdueCents: number }[];
  attention: Notice[];
  sales: { day: string; currency: string; bookings: number; totalCents: number }[];
  withheld: { part: string }[];
}

const DASHBOARD = '/v1/admin/desk/dashboard';
/** A currency that no other test uses, so that its sums are those of this test. */
const CURRENCY = 'ISK';
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function read(client = owner): Promise<Dashboard> {
  const { status, body } = await client.get<One<Dashboard>>(DASHBOARD);
  expect(status).toBe(200);
  return body.data;
}

/** A confirmed booking of 1,000 in the own currency whose installments are due on these days, the last day for all that follow. */
async function owing(...dueDates: string[]): Promise<Booking> {
  const { booking } = await confirmedBooking(owner, {
    booking: { currency: CURRENCY },
    item: { unitSellCents: 1_000 },
  });
  const plan = `/v1/admin/finance/bookings/${booking.id}/payment-schedules`;
  const { body } = await owner.get<{ data: { id: string }[] }>(plan);
  expect(body.data.length).toBeGreaterThanOrEqual(dueDates.length);
  for (const [place, { id }] of body.data.entries()) {
    const dueDate = dueDates[place] ?? dueDates.at(-1);
    const moved = await owner.patch(`${plan}/${id}`, { dueDate });
    expect([moved.status, moved.text]).toEqual([200, moved.text]);
  }
  return booking;
}

const monday = (day: string): string => {
  const instant = new Date(`${day}T00:00:00Z`);
  return new Date(instant.getTime() - ((instant.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
};

describe('the dashboard', () => {
  it('what customers owe is summed by week and currency, and confirmed bookings by day', async () => {
    const overdue = await owing(app.day(-20), app.day(-19));
    await owing(app.day(30));
    await owing(app.day(30));
    // Neither is among the weeks.
    await owing(app.day(-60));
    await owing(app.day(80));

    const { today, money, sales, attention } = await read();

    expect(today).toBe(app.day());
    expect(money.filter(({ currency }) => currency === CURRENCY)).toEqual([
      { weekStart: monday(app.day(-20)), currency: CURRENCY, dueCents: 0, overdueCents: 1_000 },
      { weekStart: monday(app.day(30)), currency: CURRENCY, dueCents: 2_000, overdueCents: 0 },
    ]);
    expect(sales.filter(({ currency }) => currency === CURRENCY)).toEqual([
      { day: app.day(), currency: CURRENCY, bookings: 5, totalCents: 5_000 },
    ]);
    expect(attention).toContainEqual({
      ...{ code: 'payment_overdue', subjectType: 'booking', subjectId: overdue.id, title: overdue.number },
      ...{ day: app.day(-20), amountCents: 1_000, currency: CURRENCY },
    });
  });

  it('the departures of the next seven days are those of the board', async () => {
    const start = new Date(app.now().getTime() + 3_600_000);
    const departure = await newDeparture(app, {
      startsAt: start.toISOString(),
      endsAt: new Date(start.getTime() + 3_600_000).toISOString(),
    });
    const { departures } = await read();
    const { body } = await owner.get<{ data: object[] }>('/v1/admin/desk/departures?limit=50');
    expect(departures.map(({ id }) => id)).toContain(departure.id);
    expect(departures).toEqual(body.data);
  });

  it('the notices name drafts of supplier invoices that are due and money that is not applied', async () => {
    const bill = await makeBill(owner, { issueDate: app.day(-430), dueDate: app.day(-400) });
    const { booking } = await confirmedBooking(owner, { item: { unitSellCents: 100 } });
    const receipt = { direction: 'in', bookingId: booking.id, currency: 'EUR', method: 'cash', paidOn: app.day() };
    expect((await owner.post('/v1/admin/finance/payments', { ...receipt, amountCents: 350 })).status).toBe(201);

    const clerk = await staffWith(app, 'finance:read');
    const { attention } = await read(clerk);

    expect(attention).toContainEqual(
      expect.objectContaining({ code: 'supplier_invoice_to_approve', subjectId: String(bill['id']) }),
    );
    expect(attention).toContainEqual({
      ...{ code: 'money_unapplied', subjectType: 'booking', subjectId: booking.id, title: booking.number },
      ...{ day: app.day(), amountCents: 250, currency: 'EUR' },
    });
    expect(attention.length).toBeLessThanOrEqual(20);
  });

  it('parts without their scope are empty and named', async () => {
    const seen = await read(await staffWith(app, 'operations:read'));
    expect(seen.withheld).toEqual([{ part: 'money' }, { part: 'sales' }]);
    expect([seen.money, seen.sales]).toEqual([[], []]);
    expect(seen.attention.filter(({ code }) => code !== 'minimum_not_reached')).toEqual([]);
    const nothing = await read(await staffWith(app, 'identity:read'));
    expect(nothing).toMatchObject({ departures: [], money: [], attention: [], sales: [] });
    expect(nothing.withheld.map(({ part }) => part)).toEqual(['departures', 'money', 'attention', 'sales']);
  });
});
