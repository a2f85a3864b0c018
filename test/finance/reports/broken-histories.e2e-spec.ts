import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids/id.js';
import { addItem, makeBooking } from '../../bookings/bookings.js';
import { addTraveler, assign } from '../../bookings/travelers.js';
import { newDeparture } from '../../operations/departures.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { bookingWith } from '../payments/bookings.js';
import { closeMonths } from '../periods/months.js';
import { broken, entry, HISTORIES, tamper, verify, violatedBy } from './tampering.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const instant = (days: number): string => `${app.day(days)}T08:00:00Z`;
const PLANNED = { installments: [['2027-01-01', 500]] } as const;

describe('tampering with what reports of past days read', () => {
  it('an installment that was changed without a version of its history is reported', async () => {
    const { schedules } = await bookingWith(app, PLANNED);
    const [id = ''] = schedules;
    const move = (due: string) => `update payment_schedules set due_date = '${due}' where id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_schedules'],
      change: move('2027-01-02'),
      restore: move('2027-01-01'),
    });
    expect(found).toEqual({ history_complete: entry('payment_schedule', id, [500, 500]) });
  });

  it('a version of an installment with another amount is reported', async () => {
    const { schedules } = await bookingWith(app, PLANNED);
    const [id = ''] = schedules;
    const set = (cents: number) =>
      `update payment_schedule_history set amount_cents = ${cents} where schedule_id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_schedule_history'],
      change: set(499),
      restore: set(500),
    });
    expect(found).toEqual({ history_complete: entry('payment_schedule', id, [500, 499]) });
  });

  it('a version of a booking item with another cost is reported', async () => {
    const { id: bookingId } = await bookingWith(app);
    const [item] = await app.sql<{ id: string }>('select id from booking_items where booking_id = $1', [bookingId]);
    const set = (cents: string) =>
      `update booking_item_history set cost_cents = ${cents} where item_id = '${item?.id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['booking_item_history'],
      change: set('5'),
      restore: set('null'),
    });
    expect(found).toEqual({ history_complete: entry('booking_item', item?.id ?? '', [100_000, 100_000]) });
  });

  it('a booking whose last recorded status is another one is reported', async () => {
    const { id } = await bookingWith(app);
    const set = (status: string) => `update booking_status_history set status = '${status}' where booking_id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['booking_status_history'],
      change: set('completed'),
      restore: set('confirmed'),
    });
    expect(found).toEqual({ history_complete: entry('booking', id, [100_000, 0]) });
  });

  it('a figure of a closed month that differs from the reports is reported', async () => {
    await closeMonths(app, '1999-01');
    const found = await violatedBy(app, owner, {
      tables: ['accounting_period_figures'],
      change: `insert into accounting_period_figures values ('1999-01', 'invoiced', 'EUR', 5)`,
      restore: `delete from accounting_period_figures`,
    });
    expect(found).toEqual({ period_frozen: entry('accounting_period', '1999-01', [0, 5]) });

    // The meaning of the figures of receivables has changed since then; a month that was closed earlier keeps its own.
    const changed = {
      tables: ['accounting_period_figures'],
      change: `insert into accounting_period_figures values ('1999-01', 'receivables', 'EUR', 5)`,
      restore: `delete from accounting_period_figures`,
    };
    expect(await violatedBy(app, owner, changed)).toEqual({});
    await app.sql('update accounting_periods set figures_definition = 2');
    const today = { period_frozen: entry('accounting_period', '1999-01', [0, 5]) };
    expect(await violatedBy(app, owner, changed)).toEqual(today);
    await app.sql('delete from accounting_periods');
  });
});

describe('tampering with plans and quotes', () => {
  it('an open installment that the policy dates from the departure, and that is due after it, is reported', async () => {
    const { id: bookingId, schedules } = await bookingWith(app, PLANNED);
    const [id = ''] = schedules;
    await app.sql(`update payment_schedules set date_source = 'policy', offset_days = -30 where id = $1`, [id]);
    await app.sql(`update bookings set departure_date = '2027-01-31' where id = $1`, [bookingId]);
    const move = (due: string) => `update payment_schedules set due_date = '${due}' where id = '${id}'`;
    const found = await violatedBy(app, owner, {
      tables: ['payment_schedules'],
      change: move('2027-02-01'),
      restore: move('2027-01-01'),
      kept: HISTORIES,
    });
    expect(found).toEqual({ plan_dates: entry('payment_schedule', id, [20270131, 20270201]) });
  });

  it('an installment of a quote that was reported as overdue is reported', async () => {
    const { schedules } = await bookingWith(app, { ...PLANNED, status: 'draft' });
    const [id = ''] = schedules;
    const found = await violatedBy(app, owner, {
      tables: ['payment_schedules_overdue'],
      change: `insert into payment_schedules_overdue values ('${id}', '2027-01-01', now())`,
      restore: `delete from payment_schedules_overdue where schedule_id = '${id}'`,
    });
    expect(found).toEqual({ quotes_silent: entry('payment_schedule', id, [0, 1]) });
  });

  it('a reminder of an installment that was sent before its booking was confirmed is reported', async () => {
    const { id: bookingId, schedules } = await bookingWith(app, PLANNED);
    const [id = ''] = schedules;
    const ids = { rule: newId('rrul'), stage: newId('rstg'), run: newId('rrun'), message: newId('nmsg') };
    const remind = (sentAt: string) => `
      insert into reminder_rules (id, name, trigger, enabled, priority, send_time, version, created_at, updated_at)
      values ('${ids.rule}', 'Deposit', 'installment_due', true, 0, '09:00', 1, now(), now());
      insert into reminder_stages (id, rule_id, position, offset_days, send_if_late_by_hours)
      values ('${ids.stage}', '${ids.rule}', 0, 0, 0);
      insert into reminder_stage_channels (stage_id, position, config) values ('${ids.stage}', 0, '{}');
      insert into reminder_runs (id, rule_id, stage_id, channel_position, channel, priority, booking_id, schedule_id,
        anchor_date, status, sent_on, run_at, attempts, created_at, updated_at)
      values ('${ids.run}', '${ids.rule}', '${ids.stage}', 0, 'email', 0, '${bookingId}', '${id}', '2027-01-01', 'sent', current_date, now(), 1,
        now(), now());
      insert into notification_messages (id, kind, run_id, status, recipient, recipient_kind, subject, text, attempts,
        send_at, sent_at, created_at, updated_at)
      values ('${ids.message}', 'reminder', '${ids.run}', 'sent', 'ada@example.com', 'primary', 'Due', 'Due', 1, now(), ${sentAt},
        now(), now())`;
    const forget = `
      delete from notification_messages where id = '${ids.message}'; delete from reminder_runs where id = '${ids.run}';
      delete from reminder_stage_channels where stage_id = '${ids.stage}';
      delete from reminder_stages where id = '${ids.stage}'; delete from reminder_rules where id = '${ids.rule}'`;
    const tables = ['reminder_rules', 'reminder_stages', 'reminder_runs', 'notification_messages'];
    const early = await violatedBy(app, owner, { tables, change: remind(`now() - interval '1 day'`), restore: forget });
    expect(early).toEqual({ quotes_silent: entry('payment_schedule', id, [0, 1]) });
    expect(await violatedBy(app, owner, { tables, change: remind('now()'), restore: forget })).toEqual({});
  });
});

describe('tampering with the units of departures', () => {
  it.each(['sold', 'held', 'guaranteed_open'])(
    'a departure with another number of units in %s is reported',
    async (column) => {
      const { id } = await newDeparture(app);
      expect(broken(await verify(owner))).toEqual({});
      const add = (units: number) => `update departures set ${column} = ${column} + ${units} where id = '${id}'`;
      const found = await violatedBy(app, owner, { tables: ['departures'], change: add(1), restore: add(-1) });
      expect(found).toEqual({ departure_counters: entry('departure', id, [0, 1]) });
    },
  );

  it('an item with a traveler that the manifest does not list is reported until 30 days after the departure', async () => {
    const departure = await newDeparture(app, { startsAt: instant(10), endsAt: instant(11) });
    const booking = await makeBooking(owner);
    const item = await addItem(owner, booking.id, { departureId: departure.id, title: 'Seat', quantity: 2 });
    const traveler = await addTraveler(owner, booking.id, { lastName: 'Lovelace' });
    await assign(owner, item, [traveler.id]);
    const set = (seat: number) => `update booking_item_travelers set seat = ${seat} where item_id = '${item.id}'`;
    const tampering = { tables: ['booking_item_travelers'], change: set(3), restore: set(1) };
    expect(await violatedBy(app, owner, tampering)).toEqual({
      manifest_seats: entry('booking_item', item.id, [2, 3]),
    });

    const end = (days: number) =>
      `update departures set ends_at = '${instant(days)}', starts_at = '${instant(days - 1)}'`;
    await tamper(app, 'departures', `${end(-32)} where id = '${departure.id}'`);
    expect(await violatedBy(app, owner, tampering)).toEqual({});
  });
});
