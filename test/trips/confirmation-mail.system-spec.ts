import { beforeAll, expect, it } from '@jest/globals';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { ReminderJobs } from '../../src/modules/notifications/planning/reminders.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { newRule, onlyOwnRules, type Rule, runsOf } from '../notifications/reminders.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { behave, book, callProviders, external, readTrip, reservedTrip, simulate } from './trips.js';

const MINUTE_MS = 60_000;

let app: TestApp;
let owner: TestClient;
let rule: Rule;
beforeAll(async () => {
  // The tests run the jobs themselves.
  app = await startApp({ env: { JOBS: 'false', PROVIDER_CALL_MS: '200' } });
  owner = app.as('owner');
  await onlyOwnRules(app);
  const stages = [{ offsetDays: 0, channels: [{ channel: 'email' }] }];
  rule = await newRule(app, { trigger: 'booking_confirmed', sendTime: '00:00', stages });
});

/** Creates the booking of a trip whose provider does not respond to the confirmation, unless a different behaviour is given. */
async function booked(behaviour: object = { confirm: 'fail' }): Promise<{ bookingId: string; ref: string }> {
  const ref = await simulate(app, behaviour);
  const { envelopeId } = await reservedTrip(owner, [external(ref)]);
  expect((await book(owner, envelopeId)).status).toBe(200);
  await callProviders(app);
  return { bookingId: (await readTrip(owner, envelopeId)).bookingId ?? '', ref };
}

/** The state of the mail after the deliveries that are due. */
async function mailOf(bookingId: string): Promise<string | undefined> {
  await asSystem(async () => {
    await app.nest.get(ReminderJobs, { strict: false }).plan({ ruleId: rule.id });
    await app.nest.get(DeliveryJobs, { strict: false }).sendDue();
  });
  return (await runsOf(app, bookingId, rule.id))[0]?.status;
}

it('the confirmation mail of a trip is sent at once if all providers have confirmed', async () => {
  expect(await mailOf((await booked({})).bookingId)).toBe('sent');
});

it('the confirmation mail of a trip waits while a provider has not confirmed, and is sent once it has', async () => {
  const { bookingId, ref } = await booked();
  expect(await mailOf(bookingId)).toBe('queued');
  app.travel({ ms: 2 * MINUTE_MS });
  expect(await mailOf(bookingId)).toBe('queued');

  await behave(app, ref);
  await callProviders(app);
  app.travel({ ms: 2 * MINUTE_MS });
  expect(await mailOf(bookingId)).toBe('sent');
});

it('the confirmation mail of a trip is sent after 30 minutes although a provider has not confirmed', async () => {
  const { bookingId } = await booked();
  for (const minutes of [0, 10, 15]) {
    app.travel({ ms: minutes * MINUTE_MS });
    expect(await mailOf(bookingId)).toBe('queued');
  }
  app.travel({ ms: 6 * MINUTE_MS });
  expect(await mailOf(bookingId)).toBe('sent');
});
