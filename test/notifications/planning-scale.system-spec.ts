import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import { newRule, onlyOwnRules, type Rule, RULES } from './reminders.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

describe('planning for 50,000 open installments', () => {
  it('planning uses two statements for each 5,000 installments and shows its progress', async () => {
    await app.sql(
      `with made as (
         select n, 'book_' || lpad(n::text, 26, '0') as id, 'plan_' || lpad(n::text, 26, '0') as plan
         from generate_series(1, 500) n
       ), booking as (
         insert into bookings (id, number, status, currency, total_cents, customer_name, confirmed_at, version, created_at,
           updated_at)
         select id, 'SCALE-' || n, 'confirmed', 'EUR', 10000, 'Clara Example', now(), 1, now(), now() from made
       ), item as (
         insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents,
           total_sell_cents, tax_included_cents, pricing_treatment, version, created_at, updated_at)
         select 'bkit_' || lpad(n::text, 26, '0'), id, 'EUR', 'unit', 'Tour', 'confirmed', 1, 10000, 10000, 0, 'standard', 1,
           now(), now() from made
       ), plan as (
         insert into payment_plans (id, booking_id, plan_version, source, total_cents, is_current, created_at)
         select plan, id, 1, 'none', 10000, true, now() from made
       )
       insert into payment_schedules (id, booking_id, plan_id, plan_version, currency, position, type, label, basis,
         date_source, due_date, amount_cents, paid_cents, status, waived, version, created_at, updated_at)
       select 'psch_' || lpad((n * 100 + part)::text, 26, '0'), id, plan, 1, 'EUR', part, 'deposit', 'Part', 'manual', 'manual',
         $1::date + part, 100, 0, 'pending', false, 1, now(), now() from made, generate_series(1, 100) part`,
      [app.day(20)],
    );
    await onlyOwnRules(app);
    const terms = { trigger: 'deposit_due', stages: [{ offsetDays: -7, channels: [{ channel: 'email' }] }] };
    const { id } = await newRule(app, terms);
    const [{ open } = { open: 0 }] = await app.sql<{ open: number }>(
      `select count(*)::int as open from payment_schedules s join bookings b on b.id = s.booking_id
       where s.type = 'deposit' and s.status = 'pending' and b.status <> 'draft'`,
    );
    const statements = jest.spyOn(app.nest.get(Database), 'query');

    await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: id });

    const taken = statements.mock.calls.map(([text]) => text);
    const paging = taken.filter((text) => /from payment_schedules|into reminder_runs/.test(text));
    statements.mockRestore();
    expect(open).toBeGreaterThanOrEqual(50_000);
    expect(paging.length).toBeLessThanOrEqual(2 * Math.ceil((open + 1) / 5_000));
    // In addition to the pages: the stages and state of the rule, the start, the end, and the periodic checks of the
    // service.
    expect(taken.length).toBeLessThanOrEqual(paging.length + 8);
    const { body } = await app.as('owner').get<{ data: Rule }>(`${RULES}/${id}`);
    expect(body.data.planning).toMatchObject({ targets: open, finishedAt: expect.any(String) });
    expect(body.data.planning?.runs).toBeGreaterThanOrEqual(50_000);
  });
});
