import { randomUUID } from 'node:crypto';
import { challengeOf, CONTINUATION, hireProtected, nextCode, REAUTHENTICATION } from '../identity/second-factor.js';
import type { TestApp } from '../setup/app.js';
import { catalogRecipes } from './catalog-recipes.js';
import { commissionRecipes } from './commission-recipes.js';
import { connectRecipes } from './connect-recipes.js';
import { customersRecipes } from './customers-recipes.js';
import { travelersRecipes } from './travelers-recipes.js';
import { deskRecipes } from './desk-recipes.js';
import { financeRecipes } from './finance-recipes.js';
import { identityRecipes } from './identity-recipes.js';
import { legalRecipes } from './legal-recipes.js';
import { moneyRecipes } from './money-recipes.js';
import { notificationsRecipes } from './notifications-recipes.js';
import { octoRecipes } from './octo-recipes.js';
import { operationsRecipes } from './operations-recipes.js';
import { organizationRecipes } from './organization-recipes.js';
import { productsRecipes } from './products-recipes.js';
import { reversalRecipes } from './reversal-recipes.js';
import { tripsRecipes } from './trips-recipes.js';
import { webhooksRecipes } from './webhooks-recipes.js';
import { inside, made, on, post, type Recipe, type Row, staff, type Subject } from './recipe.js';

const BOOKINGS = '/v1/admin/bookings';
const ALLOTMENTS = '/v1/admin/distribution/inventory-allotments';
const CHANNELS = '/v1/admin/distribution/channels';
const CONTRACTS = '/v1/admin/legal/contracts';
const TOKENS = '/v1/admin/identity/api-tokens';
const SESSIONS = '/v1/admin/identity/sessions';

/** Successful calls of all mutating routes of the staff and connect surfaces. */
export const recipes: Record<string, Recipe> = {
  [`POST ${BOOKINGS}`]: async (app) => ({ ...staff(app), body: booking(), subject: made('booking') }),
  [`PATCH ${BOOKINGS}/{bookingId}`]: async (app) => {
    const { id: bookingId } = await post(app, BOOKINGS, booking());
    return { ...staff(app), ...inside('booking', bookingId, { bookingId }), body: { notes: 'Changed' } };
  },
  [`POST ${BOOKINGS}/{bookingId}/confirmation`]: async (app) => {
    const { bookingId } = await bookingWithItem(app);
    const follows = ['finance.payment_plan.materialize'];
    return { ...staff(app), ...inside('booking', bookingId, { bookingId }), follows };
  },
  [`POST ${BOOKINGS}/{bookingId}/tax-recalculation`]: async (app) => {
    const { bookingId } = await bookingWithItem(app);
    return { ...staff(app), ...inside('booking', bookingId, { bookingId }) };
  },
  [`POST ${BOOKINGS}/{bookingId}/cancellation`]: async (app) => {
    const { id: bookingId } = await post(app, BOOKINGS, booking());
    const follows = ['finance.cancellation_settlement.open'];
    return { ...staff(app), ...inside('booking', bookingId, { bookingId }), body: { reason: 'Called off' }, follows };
  },
  [`POST ${BOOKINGS}/{bookingId}/reinstatement`]: async (app) => {
    const { bookingId } = await bookingWithItem(app);
    await post(app, `${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Called off' });
    const follows = ['finance.cancellation_settlement.update'];
    return { ...staff(app), ...inside('booking', bookingId, { bookingId }), body: { reason: 'By mistake' }, follows };
  },
  [`POST ${BOOKINGS}/{bookingId}/items`]: async (app) => {
    const { id: bookingId } = await post(app, BOOKINGS, booking());
    return { ...staff(app), parameters: { bookingId }, body: bookingItem(), subject: made('booking_item') };
  },
  [`PATCH ${BOOKINGS}/{bookingId}/items/{itemId}`]: async (app) => {
    const place = await bookingWithItem(app);
    return { ...staff(app), ...inside('booking_item', place.itemId, place), body: { title: 'Changed' } };
  },
  [`POST ${BOOKINGS}/{bookingId}/items/{itemId}/cancellation`]: async (app) => {
    const place = await bookingWithItem(app);
    return { ...staff(app), ...inside('booking_item', place.itemId, place) };
  },
  [`POST ${BOOKINGS}/{bookingId}/items/{itemId}/reinstatement`]: async (app) => {
    const place = await bookingWithItem(app);
    await post(app, `${BOOKINGS}/${place.bookingId}/items/${place.itemId}/cancellation`);
    return { ...staff(app), ...inside('booking_item', place.itemId, place), body: { reason: 'By mistake' } };
  },

  [`POST ${CHANNELS}`]: async (app) => ({ ...staff(app), body: channel(), subject: made('channel') }),
  [`PATCH ${CHANNELS}/{id}`]: async (app) => {
    const { id } = await post(app, CHANNELS, channel());
    return { ...staff(app), ...on('channel', id), body: { description: 'Changed' } };
  },

  ...notificationsRecipes,
  ...customersRecipes,
  ...travelersRecipes,
  ...deskRecipes,
  ...octoRecipes,
  ...webhooksRecipes,
  ...operationsRecipes,
  ...tripsRecipes,
  ...organizationRecipes,
  ...productsRecipes,
  ...reversalRecipes,

  [`POST ${ALLOTMENTS}`]: async (app) => ({ ...staff(app), body: await allotment(app), subject: made('allotment') }),
  [`PATCH ${ALLOTMENTS}/{id}`]: async (app) => {
    const { id } = await post(app, ALLOTMENTS, await allotment(app));
    return { ...staff(app), ...on('allotment', id), body: { notes: 'Changed' } };
  },
  [`DELETE ${ALLOTMENTS}/{id}`]: async (app) => {
    const { id } = await post(app, ALLOTMENTS, await allotment(app));
    return { ...staff(app), ...on('allotment', id) };
  },
  [`POST ${ALLOTMENTS}/{id}/releases`]: async (app) => {
    const { id } = await post(app, ALLOTMENTS, await allotment(app));
    return { ...staff(app), ...on('allotment', id) };
  },
  [`POST ${ALLOTMENTS}/{id}/reclaims`]: async (app) => {
    const { id } = await post(app, ALLOTMENTS, await allotment(app));
    await app.as('owner').post(`${ALLOTMENTS}/${id}/releases`);
    const slots = await app.as('owner').get<{ data: Row[] }>(`${ALLOTMENTS}/${id}/slots`);
    return { ...staff(app), ...on('allotment', id), body: { slotIds: [slots.body.data[0]?.id] } };
  },
  [`PATCH ${ALLOTMENTS}/{id}/slots/{slotId}`]: async (app) => {
    const { id } = await post(app, ALLOTMENTS, await allotment(app));
    const slots = await app.as('owner').get<{ data: Row[] }>(`${ALLOTMENTS}/${id}/slots`);
    const slotId = slots.body.data[0]?.id ?? '';
    return { ...staff(app), ...inside('allotment_slot', slotId, { id, slotId }), body: { allotted: 3 } };
  },

  [`POST ${CONTRACTS}`]: async (app) => ({
    ...staff(app),
    body: contract(),
    subject: ({ reference }) => ({ type: 'contract', id: String(reference) }),
  }),
  [`PATCH ${CONTRACTS}/{id}`]: async (app) => {
    const id = await newContract(app);
    return { ...staff(app), ...on('contract', id), body: { title: 'Changed' } };
  },
  [`POST ${CONTRACTS}/{id}/issuance`]: async (app) => {
    const id = await newContract(app);
    return { ...staff(app), ...on('contract', id) };
  },
  [`POST ${CONTRACTS}/{id}/dispatch`]: async (app) => {
    const id = await newContract(app);
    await post(app, `${CONTRACTS}/${id}/issuance`);
    return { ...staff(app), ...on('contract', id), body: { recipientEmail: 'clara@example.com' } };
  },
  [`POST ${CONTRACTS}/{id}/withdrawal`]: async (app) => {
    const id = await newContract(app);
    await post(app, `${CONTRACTS}/${id}/issuance`);
    return { ...staff(app), ...on('contract', id), body: { reason: 'Published by mistake' } };
  },
  [`POST ${CONTRACTS}/{id}/voiding`]: async (app) => {
    const id = await newContract(app);
    return { ...staff(app), ...on('contract', id), body: { reason: 'Called off' } };
  },

  ...catalogRecipes,
  ...legalRecipes,

  ...commissionRecipes,
  ...financeRecipes,
  ...moneyRecipes,

  ...identityRecipes,
  [`POST ${TOKENS}`]: async (app) => ({ ...staff(app), body: apiToken(), subject: made('api_token') }),
  [`DELETE ${TOKENS}/{id}`]: async (app) => {
    const { id } = await post(app, TOKENS, apiToken());
    return { ...staff(app), ...on('api_token', id) };
  },
  [`POST ${SESSIONS}`]: async (app) => {
    const { email, password } = app.credentials.staff;
    return { body: { email, password }, subject: (opened) => sessionOf(app, String(opened['token'])) };
  },
  [`POST ${CONTINUATION}`]: async (app) => {
    const member = await hireProtected(app, ['viewer']);
    const body = { challengeId: await challengeOf(app, member), code: nextCode(app, member.secret) };
    return { body, subject: (opened) => sessionOf(app, String(opened['token'])) };
  },
  [`POST ${REAUTHENTICATION}`]: async (app) => {
    const { session, secret } = await hireProtected(app, ['viewer']);
    return { token: session, body: { code: nextCode(app, secret) }, subject: () => sessionOf(app, session) };
  },
  [`DELETE ${SESSIONS}/others`]: async (app) => {
    const token = await login(app);
    return { token, subject: () => sessionOf(app, token) };
  },
  [`DELETE ${SESSIONS}/current`]: async (app) => {
    const token = await login(app);
    return { token, subject: () => sessionOf(app, token) };
  },
  [`DELETE ${SESSIONS}/{id}`]: async (app) => {
    const [ended, token] = [await sessionOf(app, await login(app)), await login(app)];
    return { token, ...on(ended.type, ended.id) };
  },

  ...connectRecipes,
};

const channel = () => ({ name: `Channel ${randomUUID()}` });
/** Uses a new product with one departure. */
async function allotment(app: TestApp): Promise<object> {
  const { id: channelId } = await post(app, CHANNELS, channel());
  const productId = `product-${randomUUID()}`;
  await post(app, '/v1/admin/operations/departures', {
    productId,
    startsAt: '2027-05-12T06:00:00Z',
    endsAt: '2027-05-12T15:00:00Z',
    timeZone: 'Europe/Bucharest',
    capacity: 20,
    priceCents: 5_900,
    currency: 'EUR',
  });
  return { channelId, productId, validFrom: '2027-01-01', defaultQuantity: 2 };
}
const contract = () => ({ title: 'Travel contract', body: '<p>Seven days.</p>' });
const apiToken = () => ({ name: 'Of a test', scopes: ['finance:read'] });
const booking = () => ({ currency: 'EUR', customerName: 'Ada' });
const bookingItem = () => ({ type: 'unit', title: 'Seat', unitSellCents: 10_000 });

/** A new contract, by its reference. */
async function newContract(app: TestApp): Promise<string> {
  return String((await post(app, CONTRACTS, contract()))['reference']);
}

async function bookingWithItem(app: TestApp): Promise<{ bookingId: string; itemId: string }> {
  const { id: bookingId } = await post(app, BOOKINGS, booking());
  const { id: itemId } = await post(app, `${BOOKINGS}/${bookingId}/items`, bookingItem());
  return { bookingId, itemId };
}

async function login(app: TestApp): Promise<string> {
  const { email, password } = app.credentials.staff;
  return String((await post(app, SESSIONS, { email, password }))['token']);
}

/** The session of a token `vss_<public id>_<secret>`. */
async function sessionOf(app: TestApp, token: string): Promise<Subject> {
  const [row] = await app.sql<{ id: string }>('select id from staff_sessions where public_id = $1', [
    token.split('_')[1],
  ]);
  return { type: 'staff_session', id: row?.id ?? 'unknown' };
}
