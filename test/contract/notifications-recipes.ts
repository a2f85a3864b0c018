import { randomUUID } from 'node:crypto';
import { newCustomer } from '../customers/customers.js';
import { failedMessage, failedRun } from '../notifications/failed.js';
import { newRule, RULES, rule } from '../notifications/reminders.js';
import { made, on, post, type Recipe, staff } from './recipe.js';

const NOTIFICATIONS = '/v1/admin/notifications';
const SUPPRESSIONS = `${NOTIFICATIONS}/suppressions`;
const TEMPLATES = `${NOTIFICATIONS}/templates`;
const TEMPLATE = { slug: 'greeting', language: 'en', subject: 'Hello', text: 'Dear {{customer.name}}' };

export const notificationsRecipes: Record<string, Recipe> = {
  [`POST ${RULES}/compose`]: async (app) => ({ ...staff(app), body: rule(), subject: made('reminder_rule') }),
  [`PATCH ${RULES}/{id}`]: async (app) => {
    const { id } = await newRule(app);
    return { ...staff(app), ...on('reminder_rule', id), body: { enabled: false } };
  },
  [`POST ${RULES}/{id}/simulations`]: async (app) => {
    const { id } = await newRule(app);
    return { ...staff(app), parameters: { id }, body: { date: '2026-12-01' }, subject: null };
  },
  [`POST ${TEMPLATES}`]: async (app) => ({ ...staff(app), body: TEMPLATE, subject: made('message_template') }),
  [`PATCH ${TEMPLATES}/{id}`]: async (app) => {
    const { id } = await post(app, TEMPLATES, TEMPLATE);
    return { ...staff(app), ...on('message_template', id), body: { subject: 'Your trip {{booking.number}}' } };
  },
  [`POST ${TEMPLATES}/{id}/publication`]: async (app) => {
    const { id } = await post(app, TEMPLATES, { ...TEMPLATE, slug: `t-${randomUUID()}` });
    return { ...staff(app), ...on('message_template', id) };
  },
  [`POST ${TEMPLATES}/{id}/retirement`]: async (app) => {
    const { id } = await post(app, TEMPLATES, TEMPLATE);
    return { ...staff(app), ...on('message_template', id) };
  },
  [`POST ${TEMPLATES}/{id}/preview`]: async (app) => {
    const { id } = await post(app, TEMPLATES, TEMPLATE);
    return { ...staff(app), parameters: { id }, body: { sample: true }, subject: null };
  },
  [`POST ${TEMPLATES}/{id}/test-messages`]: async (app) => {
    const { id } = await post(app, TEMPLATES, TEMPLATE);
    return { ...staff(app), parameters: { id }, body: { sample: true }, subject: made('notification_message') };
  },
  [`POST ${SUPPRESSIONS}`]: async (app) => ({
    ...staff(app),
    body: { address: `no-mail-${randomUUID()}@example.com` },
    subject: made('message_suppression'),
  }),
  [`POST ${SUPPRESSIONS}/{id}/lifting`]: async (app) => {
    const { id } = await post(app, SUPPRESSIONS, { address: `no-mail-${randomUUID()}@example.com` });
    return { ...staff(app), ...on('message_suppression', id), body: { reason: 'The mailbox works again' } };
  },
  [`POST ${NOTIFICATIONS}/messages`]: async (app) => {
    const { id: customerId } = await newCustomer(app, { emails: [{ address: `c-${randomUUID()}@example.com` }] });
    const body = { customerId, subject: 'Your question', text: 'The hotel has a lift.' };
    return { ...staff(app), body, subject: made('notification_message') };
  },
  [`POST ${NOTIFICATIONS}/messages/{id}/resend`]: async (app) => ({
    ...{ ...staff(app), parameters: { id: await failedMessage(app) }, body: {} },
    subject: made('notification_message'),
  }),
  [`POST ${NOTIFICATIONS}/runs/{id}/retry`]: async (app) => ({
    ...{ ...staff(app), parameters: { id: await failedRun(app) }, body: {} },
    subject: made('reminder_run'),
  }),
};
