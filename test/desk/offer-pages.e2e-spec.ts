import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { entriesAbout, invalid, type One, readBooking } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { newChannel } from '../distribution/channels.js';
import { type MailServer, startMailServer } from '../notifications/mail-server.js';
import { DEPARTURES, newDeparture, read } from '../operations/departures.js';
import { activeList, newPricedUnit, PRICE_LISTS } from '../products/price-lists.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { TASKS } from './tasks.js';
import { newWaiting, offersOf, readWaiting, WAITING, type WaitingEntry } from './waiting-list.js';

const MESSAGES = '/v1/admin/notifications/messages';
const LINK = /https?:\/\/[^/]+(\/v1\/public\/operations\/waiting-offers\/[0-9a-z]{51})/;

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    env: { JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>', RATE_LIMIT_FACTOR: '1000' },
  });
  owner = app.as('owner');
});

const send = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const linksTo = (recipient: string) =>
  server.mails.filter((mail) => mail.recipient === recipient).map(({ text }) => LINK.exec(text ?? '')?.[1] ?? '');
const form = (path: string, fields: Record<string, string>) =>
  app.post(path, undefined, {
    body: undefined,
    raw: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
const tasksAbout = async (subjectId: string) =>
  (await owner.get<{ data: { title: string; source: string }[] }>(`${TASKS}?subjectId=${subjectId}`)).body.data;

interface Offer {
  entry: WaitingEntry;
  email: string;
  path: string;
}

/** An offer that was mailed, and the path of its page. */
async function mailed(terms: { departureId: string } & Record<string, unknown>, customer: object = {}): Promise<Offer> {
  const emails = [{ address: `wait-${randomUUID()}@example.com` }];
  const { id: customerId } = await newCustomer(app, { emails, ...customer });
  const entry = await newWaiting(app, { customerId, ...terms });
  expect(entry.status).toBe('offered');
  await offersOf(app).mail(entry);
  await send();
  const [recipient] = await app.sql<{ email: string }>(
    'select recipient as email from notification_messages where id = $1',
    [(await readWaiting(app, entry)).messageId],
  );
  const email = recipient?.email ?? '';
  const [path] = linksTo(email);
  if (!path) throw new Error('No mail has a link');
  return { entry, email, path };
}

describe('the page of an offer', () => {
  it('names the places, the price and the end in the language of the customer, and changes nothing', async () => {
    const { productId, unitId } = await newPricedUnit(app, { name: 'Lake & Wine' });
    await activeList(app, [{ productId, unitId, from: '2020-01-01', to: '2199-12-31', amountCents: 5_950 }]);
    const { id: departureId, version } = await newDeparture(app, { productId, capacity: 2 });
    const units = [{ unitId, quantity: 2 }];
    const { entry, path } = await mailed({ departureId, units, quantity: undefined }, { language: 'de-AT' });

    const page = await app.get(path);

    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none';style-src 'nonce-[\w-]{22}';base-uri/);
    expect(page.text).toContain('<html lang="de">');
    expect(page.text).toContain('2 Plätze: Lake &amp; Wine, ');
    expect(page.text).toMatch(/Gesamtpreis: 119,00\s€/);
    expect(page.text).toContain('<input type="hidden" name="totalCents" value="11900">');
    expect(page.text).not.toContain(path.slice(path.lastIndexOf('/')));
    expect(await readWaiting(app, entry)).toMatchObject({ status: 'offered', bookingId: null });
    expect((await read(app, departureId)).version).toBe(version);
    const { messageId } = await readWaiting(app, entry);
    const { body } = await owner.get<One<{ text: string }>>(`${MESSAGES}/${messageId}`);
    expect(body.data.text).toMatch(/^Guten Tag [^]*auf dieser Seite an[^]*:\n\n\{\{link\}\}\n\n/);
  });

  it('books the offer once at the price that it showed, and staff get a task', async () => {
    const { id: departureId } = await newDeparture(app, { capacity: 2, priceCents: 5_900 });
    const { entry, path } = await mailed({ departureId, quantity: 2 });

    const answers = await Promise.all([1, 2, 3, 4].map(() => form(path, { accepted: 'yes', totalCents: '11800' })));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const accepted = await readWaiting(app, entry);
    const booking = await readBooking(owner, String(accepted.bookingId));
    expect(booking).toMatchObject({ status: 'draft', totalCents: 11_800, customerId: accepted.customerId });
    for (const { text } of answers) expect(text).toContain(`The number of your booking is ${String(booking.number)}.`);
    expect(await read(app, departureId)).toMatchObject({ sold: 2, held: 0, available: 0 });
    expect(await tasksAbout(String(booking.id))).toMatchObject([{ source: 'waiting_offer' }]);
    const actions = (await entriesAbout(owner, entry.id)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'operations.waiting_entry.accept')).toHaveLength(1);
    expect((await app.get(path)).text).toContain(String(booking.number));
  });

  it('asks again when the price has changed, and then books at the new one', async () => {
    const { productId, unitId } = await newPricedUnit(app);
    const list = await activeList(app, [
      { productId, unitId, from: '2020-01-01', to: '2199-12-31', amountCents: 5_000 },
    ]);
    const { id: departureId } = await newDeparture(app, { productId, capacity: 1, priceCents: 6_000 });
    const { entry, path } = await mailed({ departureId, units: [{ unitId, quantity: 1 }], quantity: undefined });
    expect((await app.get(path)).text).toContain('value="5000"');
    await owner.post(`${PRICE_LISTS}/${list.id}/retirement`);

    const asked = await form(path, { accepted: 'yes', totalCents: '5000' });

    expect([asked.status, asked.text]).toEqual([409, expect.stringContaining('value="6000"')]);
    expect(asked.text).toContain('The price has changed');
    const silent = await form(path, { accepted: 'yes' });
    expect([silent.status, silent.text]).toEqual([409, expect.stringContaining('value="6000"')]);
    const json = await app.post(path, { accepted: 'yes', totalCents: 5_000 });
    expect(json.status).toBe(409);
    expect(await readWaiting(app, entry)).toMatchObject({ status: 'offered', bookingId: null });
    expect(await read(app, departureId)).toMatchObject({ sold: 0, held: 1 });
    expect((await form(path, { accepted: 'yes', totalCents: '6000' })).status).toBe(200);
    expect(await readWaiting(app, entry)).toMatchObject({ status: 'accepted' });
  });

  it('shows an agency the price of its channel', async () => {
    const { productId, unitId } = await newPricedUnit(app);
    const { id: channelId } = await newChannel(app);
    const price = { productId, unitId, from: '2020-01-01', to: '2199-12-31' };
    await activeList(app, [{ ...price, amountCents: 5_000 }]);
    await activeList(app, [{ ...price, amountCents: 4_000 }], { channelId });
    const { id: departureId } = await newDeparture(app, { productId, capacity: 1 });
    const agency = await newCustomer(app, {
      ...{ kind: 'company', companyName: 'Agency', firstName: undefined, lastName: undefined },
      emails: [{ address: `agency-${randomUUID()}@example.com` }],
    });
    expect((await owner.put(`${CUSTOMERS}/${agency.id}/agency-terms`, { channelId })).status).toBe(200);
    const units = [{ unitId, quantity: 1 }];
    const { entry, path } = await mailed({ departureId, customerId: agency.id, units, quantity: undefined });

    expect((await app.get(path)).text).toContain('value="4000"');
    expect((await form(path, { accepted: 'yes', totalCents: '4000' })).status).toBe(200);
    const booking = await readBooking(owner, String((await readWaiting(app, entry)).bookingId));
    expect(booking).toMatchObject({ channelId, totalCents: 4_000 });
  });

  it('declined units go to the next customer, and the former page stays closed', async () => {
    const { id: departureId } = await newDeparture(app, { capacity: 1 });
    const { entry, path } = await mailed({ departureId });
    const next = await newWaiting(app, { departureId });

    const declined = await form(path, { declined: 'yes' });

    expect([declined.status, declined.text]).toEqual([200, expect.stringContaining('no longer on the waiting list')]);
    expect(await readWaiting(app, entry)).toMatchObject({ status: 'withdrawn', endReason: 'declined_by_customer' });
    expect(await readWaiting(app, next)).toMatchObject({ status: 'offered' });
    expect((await form(path, { accepted: 'yes' })).text).toContain('no longer on the waiting list');
    expect(await read(app, departureId)).toMatchObject({ sold: 0, held: 1 });
  });

  it('what cannot be booked automatically keeps its units and becomes a task', async () => {
    const { productId, unitId } = await newPricedUnit(app);
    const { id: departureId } = await newDeparture(app, { productId, capacity: 1 });
    const { entry, path } = await mailed({ departureId, units: [{ unitId, quantity: 1 }], quantity: undefined });
    await owner.patch(`/v1/admin/products/${productId}/units/${unitId}`, { minQuantity: 2 });

    const refused = await form(path, { accepted: 'yes' });

    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('We have been informed')]);
    expect(await readWaiting(app, entry)).toMatchObject({ status: 'offered' });
    expect(await read(app, departureId)).toMatchObject({ sold: 0, held: 1 });
    expect((await tasksAbout(departureId)).map(({ source }) => source)).toEqual(['waiting_offer']);
  });

  it('an ended offer is 410, and the link of an earlier offer is unknown', async () => {
    const { id: departureId } = await newDeparture(app, { capacity: 1 });
    const { entry, path } = await mailed({ departureId });
    await app.sql(`update waiting_entries set offer_expires_at = now() - interval '1 second' where id = $1`, [
      entry.id,
    ]);
    expect((await app.get(path)).status).toBe(410);
    expect((await form(path, { accepted: 'yes' })).status).toBe(410);

    await app.sql(`update waiting_entries set offers = offers + 1 where id = $1`, [entry.id]);
    expect((await app.get(path)).status).toBe(404);
  });

  it('is in a mail that was sent again, but no mail announces an offer that has ended', async () => {
    const { id: departureId } = await newDeparture(app, { capacity: 2 });
    const { entry, path, email } = await mailed(
      { departureId },
      { emails: [{ address: `refused-${randomUUID()}@example.com` }] },
    );
    const { messageId } = await readWaiting(app, entry);
    expect((await owner.post(`${MESSAGES}/${messageId}/resend`, {})).status).toBe(201);
    await send();
    expect(linksTo(email)).toEqual([path, path]);

    const address = `late-${randomUUID()}@example.com`;
    const { id: customerId } = await newCustomer(app, { emails: [{ address }] });
    const late = await newWaiting(app, { departureId, customerId });
    await offersOf(app).mail(late);
    await owner.post(`${WAITING}/${late.id}/withdrawal`, {});
    await send();
    expect(linksTo(address)).toEqual([]);
    const unsent = await owner.get<One<{ status: string; recipient: string }>>(
      `${MESSAGES}/${(await readWaiting(app, late)).messageId}`,
    );
    expect(unsent.body.data).toMatchObject({ status: 'cancelled' });
  });

  it('unknown tokens are pages with status 404, and other answers are rejected', async () => {
    const { id: departureId } = await newDeparture(app, { capacity: 1 });
    const { entry, path } = await mailed({ departureId });
    const changed = path.slice(0, -1) + (path.endsWith('0') ? '1' : '0');
    for (const unknown of [changed, path.slice(0, -1), `${path}0`]) {
      const { status, headers } = await app.get(unknown);
      expect([unknown, status, headers['content-type']]).toEqual([unknown, 404, 'text/html; charset=utf-8']);
    }
    expect((await form(changed, { accepted: 'yes' })).status).toBe(404);
    const maybe = await form(path, { accepted: 'maybe' });
    expect([maybe.status, maybe.body]).toEqual([400, invalid('accepted', 'exactly_one')]);
    expect((await form(path, { accepted: 'yes', declined: 'yes' })).status).toBe(400);
    const priced = await form(path, { accepted: 'yes', totalCents: '1e3' });
    expect([priced.status, priced.body]).toEqual([400, invalid('totalCents', 'wrong_type')]);
    expect(await readWaiting(app, entry)).toMatchObject({ status: 'offered' });
    await owner.post<One<WaitingEntry>>(`${WAITING}/${entry.id}/withdrawal`, {});
    expect((await app.get(path)).status).toBe(410);
    expect((await owner.get(`${DEPARTURES}/${departureId}`)).status).toBe(200);
  });
});
