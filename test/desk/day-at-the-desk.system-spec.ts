import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../launcher/wait.js';
import { BOOKINGS, type One, type Page } from '../bookings/bookings.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { assign, newDraft, newPolicy, publish } from '../legal/policies.js';
import { DEPARTURES } from '../operations/departures.js';
import { PRODUCTS } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';

interface Record_ extends Record<string, unknown> {
  id: string;
}

const FINANCE = '/v1/admin/finance';
const CUSTOMERS = '/v1/admin/customers';
const WAITING = '/v1/admin/operations/waiting-entries';
/** DE-19 of the demo data. */
const TAX_CODE = 'taxc_01k0dem000e000000000000001';
const taxIn = (cents: number) => Math.round((cents * 19) / 119);

let app: TestApp;
let clerk: TestClient;
beforeAll(async () => {
  app = await startApp();
  clerk = app.as('owner');
});

async function post<T = Record_>(path: string, body?: object): Promise<T> {
  const answer = await clerk.post<One<T>>(path, body);
  expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, answer.status, '']);
  return answer.body.data;
}
async function get<T = Record_>(path: string): Promise<T> {
  const answer = await clerk.get<One<T>>(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body.data;
}

/** A product of two units with prices for this season, and its terms: half of the price until the day before. */
async function newTour() {
  const product = await post(PRODUCTS, {
    ...{ name: 'Lagoon by boat', kind: 'day_tour', timeZone: 'Europe/Rome', taxCodeId: TAX_CODE },
    ...{ defaultCapacity: 5, durationMinutes: 240, minParticipants: 2, resourceNeeds: [{ type: 'guide' }] },
    texts: [{ locale: 'de', title: 'Mit dem Boot durch die Lagune' }],
  });
  await post(`${PRODUCTS}/${product.id}/activation`);
  const adult = await post(`${PRODUCTS}/${product.id}/units`, { type: 'adult', name: 'Adult', minAge: 14 });
  const child = await post(`${PRODUCTS}/${product.id}/units`, {
    ...{ type: 'child', name: 'Child', maxAge: 13, accompaniedBy: [adult.id] },
  });
  const list = await post(`${PRODUCTS}/price-lists`, { name: 'Lagoon', currency: 'EUR' });
  const prices = [
    { productId: product.id, unitId: adult.id, amountCents: 6_850 },
    { productId: product.id, unitId: child.id, amountCents: 3_425 },
  ];
  expect((await clerk.put(`${PRODUCTS}/price-lists/${list.id}/prices`, { prices })).status).toBe(200);
  await post(`${PRODUCTS}/price-lists/${list.id}/activation`);
  const policy = await newPolicy(app);
  await publish(app, await newDraft(app, policy.id, { rules: [{ type: 'percentage', refundBasisPoints: 5_000 }] }));
  await assign(app, policy.id, { scope: 'product', targetId: product.id });
  return { productId: product.id, adult: adult.id, child: child.id };
}

const departure = (productId: string, days: number) =>
  post(DEPARTURES, { productId, startsAt: `${app.day(days)}T08:00:00Z`, priceCents: 6_850, currency: 'EUR' });

/** A family books by telephone: two adults and a child, who is vegetarian. */
async function bookFamily(departureId: string, units: { adult: string; child: string }) {
  const customer = await post(CUSTOMERS, {
    ...{ firstName: 'Chiara', lastName: 'Zanetti', language: 'de' },
    emails: [{ address: 'chiara.zanetti@example.com' }],
    phones: [{ number: '041 555 0199', country: 'IT' }],
  });
  const { id } = await post(BOOKINGS, { currency: 'EUR', customerId: customer.id });
  const people = [
    { customerId: customer.id, firstName: 'Chiara', lastName: 'Zanetti', birthDate: '1986-01-30' },
    { firstName: 'Luca', lastName: 'Zanetti', birthDate: '1984-07-12' },
    {
      ...{ firstName: 'Pia', lastName: 'Zanetti', birthDate: `${Number(app.day().slice(0, 4)) - 9}-01-01` },
      ...{ dietary: ['vegetarian'], healthDataConsent: { source: 'telephone', textVersion: '2026-03' } },
    },
  ];
  const travelers: string[] = [];
  for (const person of people) travelers.push((await post(`${BOOKINGS}/${id}/travelers`, person)).id);
  const [chiara, luca, pia] = travelers;
  await post(`${BOOKINGS}/${id}/items`, {
    departureId,
    units: [
      { unitId: units.adult, quantity: 2, travelerIds: [chiara, luca] },
      { unitId: units.child, quantity: 1, travelerIds: [pia] },
    ],
  });
  return { bookingId: id, customerId: customer.id, travelers };
}

async function pdfAt(path: string): Promise<string> {
  const url = new URL(path, app.url).href;
  const { status, bytes } = await fetchFile(url, { authorization: `Bearer ${tokenOf(app.credentials, 'owner')}` });
  expect([path, status]).toEqual([path, 200]);
  return (await pagesOf(bytes)).join(' ');
}

it('a day at the desk: a product is sold, billed, paid and served, another booking is cancelled and refunded', async () => {
  const tour = await newTour();
  const [{ id: departureId }, { id: later }] = [
    await departure(tour.productId, 20),
    await departure(tour.productId, 27),
  ];
  const guide = await post('/v1/admin/operations/resources', { type: 'guide', name: 'Marco Polo', languages: ['it'] });
  await post(`${DEPARTURES}/${departureId}/assignments`, { resourceId: guide.id });

  // The family's booking, from the quote to the payment.
  const quote = await post<{ totalCents: number }>(`${PRODUCTS}/${tour.productId}/quotes`, {
    ...{ departureId, currency: 'EUR' },
    units: [
      { unitId: tour.adult, quantity: 2 },
      { unitId: tour.child, quantity: 1 },
    ],
  });
  const TOTAL = 2 * 6_850 + 3_425;
  expect(quote.totalCents).toBe(TOTAL);
  const family = await bookFamily(departureId, tour);
  const confirmed = await post<Record_ & { number: string }>(`${BOOKINGS}/${family.bookingId}/confirmation`);
  expect(confirmed).toMatchObject({ status: 'confirmed', totalCents: TOTAL, customerName: 'Chiara Zanetti' });
  const draft = await post(`${FINANCE}/invoices`, { bookingId: family.bookingId });
  const invoice = await post<Record_ & { number: string }>(`${FINANCE}/invoices/${draft.id}/issuance`, {});
  expect(invoice).toMatchObject({ totalCents: TOTAL, taxCents: taxIn(2 * 6_850) + taxIn(3_425) });
  const rendition = await post(`${FINANCE}/invoices/${draft.id}/renditions`, { format: 'pdf', language: 'de' });
  const location = await eventually(async () => {
    const { status, headers } = await clerk.get(`${FINANCE}/invoice-renditions/${rendition.id}/download`);
    return status === 302 ? (headers['location'] ?? null) : null;
  });
  const printed = await pdfAt(location);
  expect(printed).toContain(invoice.number);
  expect(printed).toContain('171,25');
  const money = { method: 'card', currency: 'EUR', paidOn: app.day() };
  await post(`${FINANCE}/payments`, { ...money, bookingId: family.bookingId, amountCents: TOTAL });

  // The last two seats go to another customer, and somebody waits for one of them.
  const other = await post(BOOKINGS, { currency: 'EUR', customerName: 'Ben Archer', customerEmail: 'ben@example.com' });
  const seats = { departureId, units: [{ unitId: tour.adult, quantity: 2 }] };
  await post(`${BOOKINGS}/${other.id}/items`, seats);
  await post(`${BOOKINGS}/${other.id}/confirmation`);
  const received = await post(`${FINANCE}/payments`, { ...money, bookingId: other.id, amountCents: 2 * 6_850 });
  const late = await post(BOOKINGS, { currency: 'EUR', customerName: 'Too Late' });
  const refused = await clerk.post(`${BOOKINGS}/${late.id}/items`, seats);
  expect([refused.status, refused.body]).toEqual([409, expect.objectContaining({ code: 'capacity_exceeded' })]);
  const hopeful = await post(CUSTOMERS, { lastName: 'Costa', emails: [{ address: 'costa@example.com' }] });
  const waiting = { departureId, customerId: hopeful.id, units: [{ unitId: tour.adult, quantity: 1 }] };
  const entry = await post(WAITING, waiting);

  // The other customer cancels: half of the price is the fee, the rest is refunded, and the seat is offered.
  await post(`${BOOKINGS}/${other.id}/cancellation`, { reason: 'Broken leg' });
  const open = await get<{ computedFeeCents: number; preview: object }>(
    `${FINANCE}/bookings/${other.id}/cancellation-settlement`,
  );
  expect(open).toMatchObject({ computedFeeCents: 6_850, preview: { receivedCents: 13_700, restCents: 6_850 } });
  const withoutReceipt = await clerk.post(`${FINANCE}/bookings/${other.id}/cancellation-settlement`, {
    outcome: 'refund',
    refund: { method: 'card', reason: 'By the terms' },
  });
  expect(withoutReceipt.body).toMatchObject({ details: { issues: [{ path: 'refund.paymentId', code: 'required' }] } });
  const settled = await post<{ refundId: string }>(`${FINANCE}/bookings/${other.id}/cancellation-settlement`, {
    outcome: 'refund',
    refund: { method: 'card', paymentId: received.id, reason: 'By the terms' },
  });
  expect(await get(`${FINANCE}/refunds/${settled.refundId}`)).toMatchObject({
    amountCents: 6_850,
    status: 'requested',
  });
  await post(`${FINANCE}/refunds/${settled.refundId}/completion`, { paidOn: app.day() });
  expect(await get(`${WAITING}/${entry.id}`)).toMatchObject({ status: 'offered', offeredDepartureId: departureId });
  const accepted = await post<{ bookingId: string }>(`${WAITING}/${entry.id}/acceptance`);
  await post(`${BOOKINGS}/${accepted.bookingId}/confirmation`);

  // The manifest on paper, and the guests on the pier.
  const manifest = await get<{ people: { name: string; age: number | null; isBalanceDue: boolean }[] }>(
    `${DEPARTURES}/${departureId}/manifest`,
  );
  expect(manifest).toMatchObject({ sold: 4, held: 0, dietary: [{ need: 'vegetarian', people: 1 }] });
  expect(manifest.people.map(({ name, isBalanceDue }) => [name, isBalanceDue])).toEqual(
    expect.arrayContaining([
      ['Chiara Zanetti', false],
      ['Luca Zanetti', false],
      ['Pia Zanetti', false],
    ]),
  );
  const csv = await clerk.get(`${DEPARTURES}/${departureId}/manifest?format=csv`);
  expect(csv.text.split('\r\n').filter((line) => line.includes('Zanetti'))).toHaveLength(3);
  expect(await pdfAt(`${DEPARTURES}/${departureId}/manifest?format=pdf`)).toContain('Pia Zanetti');
  const arrivals = { state: 'arrived', travelerIds: family.travelers };
  const checkIns = await clerk.post<One<object>>(`${DEPARTURES}/${departureId}/check-ins`, arrivals);
  expect(checkIns.body.data).toEqual({ arrived: 3, noShow: 0, open: 1 });

  // The guide falls ill: the departure is called off, the family moves to the next one, the other booking ends.
  const callOff = await post(`${DEPARTURES}/${departureId}/call-offs`, {
    ...{ reasonCode: 'operational', reason: 'The guide is ill', default: { action: 'cancel', settle: 'refund' } },
    overrides: [{ bookingId: family.bookingId, action: 'move', targetDepartureId: later }],
    message: { note: 'We are sorry.' },
  });
  const report = await eventually(async () => {
    const found = await get<Record_ & { status: string }>(`${DEPARTURES}/${departureId}/call-offs/${callOff.id}`);
    return found.status === 'running' ? null : found;
  });
  expect(report).toMatchObject({ status: 'completed', total: 2, done: 2, failed: 0 });
  expect(await get(`${DEPARTURES}/${departureId}`)).toMatchObject({ status: 'cancelled', sold: 0, held: 0 });
  expect(await get(`${DEPARTURES}/${later}/manifest`)).toMatchObject({ sold: 3, people: [{}, {}, {}] });

  // The evening: who owes what, and whether everything adds up.
  expect(await get(`${BOOKINGS}/${family.bookingId}`)).toMatchObject({
    status: 'confirmed',
    departureDate: app.day(27),
  });
  const page = await get<{ statement: { balanceCents: number }[] }>(`/v1/admin/desk/bookings/${other.id}`);
  expect(page.statement.at(-1)).toMatchObject({ balanceCents: 0 });
  const timeline = await clerk.get<Page<{ kind: string }>>(`${CUSTOMERS}/${family.customerId}/timeline`);
  expect(timeline.body.data.map(({ kind }) => kind)).toEqual(['message', 'invoice', 'booking']);
  expect(await get(`${FINANCE}/integrity`)).toMatchObject({ conserved: true });
}, 180_000);
