import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { entryOf, reverse, reversed } from '../action-ledger/reversals.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  invalid,
  makeBooking,
  type One,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { newCustomer } from '../customers/customers.js';
import { newDeparture } from '../operations/departures.js';
import { newFacility } from '../operations/facilities.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { dueRun } from './due-run.js';
import { type MailServer, startMailServer } from './mail-server.js';
import { messagesOf, newRule, readRule, RULES } from './reminders.js';

const TEMPLATES = '/v1/admin/notifications/templates';
const PROFILE = '/v1/admin/organization/profile';

interface Template {
  id: string;
  slug: string;
  language: string;
  subject: string;
  text: string;
  status: string;
  version: number;
}

interface Preview {
  subject: string;
  text: string;
  html: string;
  missing: string[];
}

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  // Its jobs are disabled: the tests call them.
  app = await startApp({
    env: {
      ...{ JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
      ...{ REMINDERS_PER_DAY: '1000', RATE_LIMIT_FACTOR: '1000' },
    },
  });
  owner = app.as('owner');
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const address = () => `clara-${randomUUID()}@example.com`;
const slug = () => `t-${randomUUID()}`;
const rejection = ({ status, body }: Answer) => ({ status, ...(body as { code: string; details: object }) });

const body = (over: object = {}) => ({
  ...{ slug: slug(), language: 'en', trigger: 'installment_due' },
  ...{ subject: 'Pay {{amount}}', text: 'Dear {{customer.name}},\n\n{{amount}} is due on {{dueDate}}.', ...over },
});

async function draft(over: object = {}): Promise<Template> {
  const answer = await owner.post<One<Template>>(TEMPLATES, body(over));
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

const publish = (id: string) => owner.post<One<Template>>(`${TEMPLATES}/${id}/publication`);
const retire = (id: string) => owner.post<One<Template>>(`${TEMPLATES}/${id}/retirement`);
const read = async (id: string) => (await owner.get<One<Template>>(`${TEMPLATES}/${id}`)).body.data;

async function published(over: object = {}): Promise<Template> {
  const { id } = await draft(over);
  const { status, body: answer } = await publish(id);
  expect(status).toBe(200);
  return answer.data;
}

async function preview(id: string, options: object): Promise<Preview> {
  const answer = await owner.post<One<Preview>>(`${TEMPLATES}/${id}/preview`, options);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data;
}

/** The mail of a due reminder whose stage names this template, in the language of its booking. */
async function mailBy(templateSlug: string, language: string | null = null) {
  const email = address();
  const due = await dueRun(app, { email, channel: { channel: 'email', templateSlug } });
  await app.sql('update bookings set customer_language = $2 where id = $1', [due.bookingId, language]);
  await work();
  return { ...due, mail: server.mails.find(({ recipient }) => recipient === email) };
}

describe('a message template', () => {
  it('its unknown placeholders and invalid sections are rejected with their path', async () => {
    const rejected = async (over: object) => rejection(await owner.post(TEMPLATES, body(over)));
    expect(await rejected({ text: 'Dear {{customer.password}}' })).toMatchObject({
      ...{ status: 422, code: 'placeholder_unknown' },
      details: { field: 'text', path: 'text', placeholder: 'customer.password' },
    });
    // The amount is known to reminders of payments only, and a subject has no lists.
    expect(await rejected({ trigger: 'departure_upcoming' })).toMatchObject({ details: { path: 'subject' } });
    expect(await rejected({ subject: '{{#items}}x{{/items}}' })).toMatchObject({ code: 'placeholder_unknown' });
    expect(await rejected({ text: '{{#items}}{{item.title}}' })).toMatchObject({
      status: 422,
      code: 'section_invalid',
    });
    const marketing = await owner.post(TEMPLATES, body({ category: 'marketing' }));
    expect([marketing.status, marketing.body]).toEqual([400, invalid('category', 'not_applicable')]);
    expect((await owner.post(TEMPLATES, body({ subject: 'Two\nlines' }))).status).toBe(400);
    const { id } = await draft();
    const patched = await owner.patch(`${TEMPLATES}/${id}`, { text: '{{nobody}}' });
    expect(rejection(patched)).toMatchObject({ status: 422, code: 'placeholder_unknown' });
    expect((await read(id)).version).toBe(1);
  });

  it('it names tour, start, meeting point, total and balance of a booking, and an unknown placeholder is answered with those that exist', async () => {
    const text = [
      '{{booking.tour}}, {{booking.start}}, {{booking.meetingPoint}}: {{booking.total}}',
      '{{booking.balance}} by {{booking.balanceDueDate}}',
      '{{#items}}{{item.quantity}} x {{item.tour}}, {{item.start}}, {{item.meetingPoint}}\n{{/items}}',
    ].join('\n');
    const { id } = await draft({ trigger: 'booking_confirmed', subject: 'Your booking', text });
    const { id: productId } = await newProduct(app, { name: 'Whale watching' });
    const { id: facilityId } = await newFacility(app, { name: 'Harbour' });
    const { id: departureId } = await newDeparture(app, { productId, facilityId });
    const { booking } = await confirmedBooking(owner, { item: { departureId, title: 'Adult', unitSellCents: 5_900 } });
    const shown = await preview(id, { bookingId: booking.id });
    const start = 'May 12, 2127 at 9:00 AM';
    const [main = '', balance = '', item] = shown.text.replaceAll('\u202f', ' ').split('\n');
    expect([main, item]).toEqual([
      `Whale watching, ${start}, Harbour: €59.00`,
      `1 x Whale watching, ${start}, Harbour`,
    ]);
    expect(balance).toMatch(/^€59\.00 by [A-Z][a-z]+ \d+, \d{4}$/);
    const rejected = rejection(await owner.post(TEMPLATES, body({ text: '{{booking.tuor}}' })));
    expect(rejected).toMatchObject({ details: { placeholder: 'booking.tuor' } });
    expect(Reflect.get(rejected.details, 'allowed')).toContain('booking.tour');
  });

  it('of each name and language one text is published, and it does not change', async () => {
    const first = await published();
    const again = { slug: first.slug, language: first.language };
    const drafts = await Promise.all(Array.from({ length: 4 }, () => draft(again)));
    const answers = await Promise.all(drafts.map(({ id }) => publish(id)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const { body: page } = await owner.get<{ data: Template[] }>(
      `${TEMPLATES}?slug=${first.slug}&status=published&limit=200`,
    );
    expect(page.data).toHaveLength(1);
    expect(await read(first.id)).toMatchObject({ status: 'retired' });
    const [current] = page.data;
    expect(rejection(await owner.patch(`${TEMPLATES}/${current?.id}`, { subject: 'Other' }))).toMatchObject({
      ...{ status: 409, code: 'template_immutable' },
    });
    expect((await publish(first.id)).body).toEqual(problem('invalid_transition', { from: 'retired', to: 'published' }));
    for (const verb of ['publication', 'retirement']) {
      const withBody = await owner.post(`${TEMPLATES}/${current?.id}/${verb}`, { at: 'noon' });
      expect(withBody).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
  });

  it('all texts of a name have one trigger, so that no publication replaces the text of another trigger', async () => {
    const name = slug();
    const plain = { slug: name, subject: 'Hello', text: 'Dear {{customer.name}}' };
    const triggers = ['deposit_due', 'balance_due', undefined, 'deposit_due', 'balance_due', undefined];
    const answers = await Promise.all(
      triggers.map((trigger) => owner.post<One<Template>>(TEMPLATES, body({ ...plain, trigger }))),
    );
    const created = answers.map(({ status }, index) => ({ status, trigger: triggers[index] }));
    const [winner] = created.filter(({ status }) => status === 201);
    expect(created.filter(({ status }) => status === 201)).toEqual([winner, winner]);
    const rejected = answers.filter(({ status }) => status !== 201);
    expect(rejected.map(({ body: answer }) => answer)).toEqual(
      Array.from({ length: 4 }, () => invalid('trigger', 'not_applicable')),
    );

    // A retired name is free for another trigger, and the retirement can then not be reversed.
    const old = await draft();
    await retire(old.id);
    const second = await draft({ ...plain, slug: old.slug, trigger: 'departure_upcoming' });
    const { id: entryId } = await entryOf(app, old.id, 'notifications.template.retire');
    expect(rejection(await reverse(app, entryId))).toMatchObject({ details: { reason: 'template_published' } });
    await publish(second.id);
    // Texts from before this rule.
    const third = await draft({ ...plain, slug: old.slug, trigger: 'departure_upcoming' });
    await app.sql(`update message_templates set trigger = 'balance_due' where id = $1`, [third.id]);
    expect((await publish(third.id)).body).toEqual(problem('template_published'));
    expect((await read(second.id)).status).toBe('published');
  });

  it('a preview shows the message of sample data, and of a booking with what is missing', async () => {
    const { id } = await draft({
      language: 'de',
      subject: 'Reise {{booking.number}}',
      text: 'Guten Tag {{customer.name}},\n\n{{amount}} bis {{dueDate}} an {{bank.iban}}.\n{{#items}}- {{item.quantity}} x {{item.title}}\n{{/items}}',
    });
    const sample = await preview(id, { sample: true });
    expect(sample).toMatchObject({ subject: 'Reise B-2027-0001', missing: [] });
    expect(sample.text.replaceAll('\u00a0', ' ')).toContain('1.234,50 € bis 29. Mai 2027');
    expect((await preview(id, { sample: true, language: 'en' })).text).toContain('€1,234.50 bis May 29, 2027');

    const booking = await makeBooking(owner, { customerName: 'Eve <script>alert(1)</script>' });
    await addItem(owner, booking.id, { title: 'Whale & dolphin tour', quantity: 3 });
    const shown = await preview(id, { bookingId: booking.id });
    expect(shown).toMatchObject({
      subject: `Reise ${booking.number}`,
      text: expect.stringContaining('- 3 x Whale & dolphin tour'),
      html: expect.stringContaining('Eve &lt;script&gt;alert(1)&lt;/script&gt;'),
      missing: ['amount', 'dueDate', 'bank.iban'],
    });
    const both = await owner.post(`${TEMPLATES}/${id}/preview`, { bookingId: booking.id, sample: true });
    expect([both.status, both.body]).toEqual([400, invalid('sample', 'not_applicable')]);
    expect((await owner.post(`${TEMPLATES}/${id}/preview`, {})).body).toEqual(invalid('bookingId', 'required'));
    const reader = await staffWith(app, 'notifications:read');
    expect((await reader.post(`${TEMPLATES}/${id}/preview`, { bookingId: booking.id })).status).toBe(403);
    expect((await reader.post(`${TEMPLATES}/${id}/preview`, { sample: true })).status).toBe(200);
  });

  it('creation, update, publication and retirement are reversed', async () => {
    const first = await published();
    const second = await draft({ slug: first.slug });
    await owner.patch(`${TEMPLATES}/${second.id}`, { subject: 'Changed' });
    await reversed(app, second.id, 'notifications.template.update');
    expect(await read(second.id)).toMatchObject({ subject: second.subject });
    await publish(second.id);
    await reversed(app, second.id, 'notifications.template.publish');
    expect([(await read(first.id)).status, (await read(second.id)).status]).toEqual(['published', 'retired']);
    await retire(first.id);
    await reversed(app, first.id, 'notifications.template.retire');
    expect((await read(first.id)).status).toBe('published');
    const third = await draft();
    await reversed(app, third.id, 'notifications.template.create');
    expect((await read(third.id)).status).toBe('retired');
    await retire(first.id);
    await published({ slug: first.slug });
    const { id: entryId } = await entryOf(app, first.id, 'notifications.template.retire');
    expect(rejection(await reverse(app, entryId))).toMatchObject({ status: 409 });
  });
});

describe('a reminder with a published template', () => {
  it('it is written in the language of the booking, its customer or the company, as text and HTML', async () => {
    const { slug: name, id: englishId } = await published();
    await published({ slug: name, language: 'de', subject: 'Bitte {{amount}}', text: 'Guten Tag {{customer.name}}' });
    await published({ slug: name, language: 'fr', subject: 'Payez {{amount}}', text: 'Bonjour {{customer.name}}' });
    const english = await mailBy(name);
    expect(english.mail).toMatchObject({ subject: 'Pay €123.45', html: expect.stringContaining('<p>Dear Clara') });
    expect(await messagesOf(app, (await english.run())?.id)).toMatchObject([{ templateId: expect.any(String) }]);
    expect((await mailBy(name, 'de-AT')).mail?.subject?.replaceAll('\u00a0', ' ')).toBe('Bitte 123,45 €');
    expect((await mailBy(name, 'ja')).mail?.text).toContain('Dear Clara');

    const { id: customerId } = await newCustomer(app, { language: 'fr' });
    const email = address();
    const due = await dueRun(app, { email, channel: { channel: 'email', templateSlug: name } });
    await app.sql('update bookings set customer_id = $2 where id = $1', [due.bookingId, customerId]);
    await work();
    expect(server.mails.find(({ recipient }) => recipient === email)?.text).toContain('Bonjour');

    await owner.patch(PROFILE, { defaultLanguage: 'de' });
    expect((await mailBy(name, 'ja')).mail?.text).toContain('Guten Tag');
    await owner.patch(PROFILE, { defaultLanguage: 'en' });

    // Without a text in one of these languages, any text of the template is sent.
    expect((await retire(englishId)).status).toBe(200);
    expect((await mailBy(name, 'ja')).mail?.text).toContain('Guten Tag');
    const builtIn = await published({ slug: 'installment-due', language: 'fr', text: 'Bonjour' });
    expect((await mailBy('installment-due', 'ja')).mail?.text).toContain('Dear Clara');
    expect((await retire(builtIn.id)).status).toBe(200);
  });

  it('a header cannot be injected by the name of a customer', async () => {
    const { slug: name } = await published({ subject: 'For {{customer.name}}' });
    const email = address();
    const due = await dueRun(app, { email, channel: { channel: 'email', templateSlug: name } });
    await app.sql('update bookings set customer_name = $2 where id = $1', [
      due.bookingId,
      'Eve\r\nBcc: all@example.com',
    ]);
    await work();
    const mail = server.mails.find(({ recipient }) => recipient === email);
    expect([mail?.subject, mail?.bcc]).toEqual(['For Eve Bcc: all@example.com', undefined]);
  });

  it('the name of a built-in template replaces its text, also for rules that name none', async () => {
    const email = address();
    const { id } = await published({ slug: 'installment-due', text: 'Our own words' });
    await dueRun(app, { email });
    await work();
    expect(server.mails.find(({ recipient }) => recipient === email)?.text).toContain('Our own words');
    expect((await retire(id)).status).toBe(200);
  });

  it('a rule warns of a template that is not published for its trigger, and one in use is not retired', async () => {
    const template = await published();
    const channels = [{ channel: 'email', templateSlug: template.slug }];
    const rule = await newRule(app, { trigger: 'installment_due', stages: [{ channels }] });
    expect(rule.warnings).toEqual([]);
    const other = await newRule(app, { trigger: 'departure_upcoming', enabled: false, stages: [{ channels }] });
    expect(other.warnings).toMatchObject([{ code: 'template_not_found', path: 'stages.0.channels.0' }]);

    expect(rejection(await retire(template.id))).toMatchObject({
      ...{ status: 409, code: 'template_in_use', details: { ruleIds: [rule.id] } },
    });
    const german = await published({ slug: template.slug, language: 'de' });
    expect((await retire(template.id)).status).toBe(200);
    expect((await retire(german.id)).status).toBe(409);
    await owner.patch(`${RULES}/${rule.id}`, { enabled: false });
    expect((await retire(german.id)).status).toBe(200);
    expect((await readRule(app, rule.id)).warnings).toMatchObject([{ code: 'template_not_found' }]);
  });

  it('a message that would be too long is skipped, and a simulation says so', async () => {
    const { slug: name } = await published({ text: `{{#items}}${'x'.repeat(300)} {{item.title}}\n{{/items}}` });
    const email = address();
    const due = await dueRun(app, { email, channel: { channel: 'email', templateSlug: name } });
    await app.sql(
      `insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents, total_sell_cents,
         tax_included_cents, pricing_treatment, version, created_at, updated_at)
       select 'bkit_' || md5($1 || n) , $1, 'EUR', 'unit', 'Tour', 'confirmed', 1, 0, 0, 0, 'standard', 1, now(), now()
       from generate_series(1, 90) as n`,
      [due.bookingId],
    );
    const simulated = await owner.post<One<{ reminders: { reason: string; text: string }[] }>>(
      `${RULES}/${due.rule.id}/simulations`,
      { date: app.day() },
    );
    expect(simulated.body.data.reminders).toMatchObject([{ reason: 'message_too_long', text: null }]);
    await work();
    expect(await due.run()).toMatchObject({ status: 'skipped', reason: 'message_too_long' });
  });
});

it('the booking of a preview must exist', async () => {
  const { id } = await draft({ trigger: undefined, subject: 'Hello', text: 'Dear {{customer.name}}' });
  const bookingId = 'book_01k0dem000e000000000009999';
  const { status, body: answer } = await owner.post(`${TEMPLATES}/${id}/preview`, { bookingId });
  expect([status, answer]).toEqual([404, problem('not_found', { field: 'bookingId' })]);
  expect((await owner.get(`${BOOKINGS}/${bookingId}`)).status).toBe(404);
});
