import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { bookingWith } from '../finance/payments/bookings.js';
import type { TestApp } from '../setup/app.js';
import { type Message, messagesOf, newRule, onlyOwnRules, type Run, runsOf } from './reminders.js';

export interface Wanted {
  email: string | null;
  terms?: object;
  channel?: object;
}

/** A due run with a separate rule and booking, and the state of the run and its message. */
export async function dueRun(app: TestApp, { email, terms = {}, channel = { channel: 'email' } }: Wanted) {
  await onlyOwnRules(app);
  // Also prevents reminders of debts that an earlier test left open.
  await app.sql(`update payment_schedules set status = 'cancelled', waived = true where status = 'pending'`);
  const { id } = await bookingWith(app, { installments: [[app.day(), 12_345]] });
  await app.sql('update bookings set customer_email = $2 where id = $1', [id, email]);
  const stages = [{ channels: [channel] }];
  const rule = await newRule(app, { trigger: 'installment_due', sendTime: '00:00', stages, ...terms });
  await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id });
  const run = async (): Promise<Run | undefined> => (await runsOf(app, id, rule.id))[0];
  const message = async (): Promise<Message | undefined> => (await messagesOf(app, (await run())?.id ?? ''))[0];
  return { bookingId: id, rule, run, message };
}
