import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { newId } from '../../src/platform/ids/id.js';
import { bookingWith } from '../finance/payments/bookings.js';
import type { TestApp } from '../setup/app.js';
import { newRule, runsOf } from './reminders.js';

/** Returns the id of a mail about a called-off departure that the mail server has rejected. */
export async function failedMessage(app: TestApp): Promise<string> {
  const id = newId('nmsg');
  await app.sql(
    `insert into notification_messages (id, kind, status, reason, error, recipient, recipient_kind, subject, text, attempts,
       send_at, created_at, updated_at)
     values ($1, 'call_off', 'failed', 'rejected', '554 Rejected', $2, 'primary', 'Your departure is called off', 'Dear Clara',
       1, now(), now(), now())`,
    [id, `${id}@example.com`],
  );
  return id;
}

/** Returns the id of a reminder of an open installment that the mail server has rejected. */
export async function failedRun(app: TestApp): Promise<string> {
  const { id } = await bookingWith(app, { installments: [[app.day(), 12_345]] });
  await app.sql('update bookings set customer_email = $2 where id = $1', [id, `${id}@example.com`]);
  const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
  const rule = await newRule(app, { trigger: 'installment_due', sendTime: '23:59', stages });
  await asSystem(() => app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id }));
  const [run] = await runsOf(app, id, rule.id);
  await app.sql(`update reminder_runs set status = 'failed', reason = 'rejected', attempts = 1 where id = $1`, [
    run?.id,
  ]);
  return run?.id ?? '';
}
