import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import { type Recipe, type Row, staff, type Subject } from './recipe.js';
import {
  makeTrip,
  MANUAL,
  PARTY,
  price,
  reserve,
  reservingTrip,
  type Trip,
  TRIPS,
  unconfirmedTrip,
} from '../trips/trips.js';

/** The further actions when a trip of a new customer is booked. */
const BOOKED = [
  'customers.customer.create',
  'bookings.booking.create',
  'bookings.booking_item.create',
  'bookings.traveler.create',
  'bookings.booking.confirm',
  'finance.payment_plan.materialize',
];

/** The further actions when a component is replaced by a cheaper one. */
const REPLACED = [
  'bookings.booking_item.create',
  'bookings.booking_item.update',
  'finance.payment_schedule.rebalance',
  'trips.attention.resolve',
];

/** Successful calls of all mutating routes of trips. */
export const tripsRecipes: Record<string, Recipe> = {
  [`POST ${TRIPS}`]: async (app) => ({ ...staff(app), body: { currency: 'EUR' }, subject: byEnvelopeId }),
  [`PATCH ${TRIPS}/{envelopeId}`]: async (app) => ({ ...(await onTrip(app, 'draft')), body: { title: 'Changed' } }),
  [`POST ${TRIPS}/{envelopeId}/components`]: async (app) => ({
    ...(await onTrip(app, 'draft')),
    body: MANUAL,
    subject: (answer) => ({ type: 'trip_component', id: String(answer['componentId']) }),
  }),
  [`PATCH ${TRIPS}/{envelopeId}/components/{componentId}`]: async (app) => ({
    ...(await onComponent(app)),
    body: { quantity: 2 },
  }),
  [`DELETE ${TRIPS}/{envelopeId}/components/{componentId}`]: async (app) => onComponent(app),
  [`POST ${TRIPS}/{envelopeId}/pricing`]: async (app) => onTrip(app, 'draft'),
  [`POST ${TRIPS}/{envelopeId}/reserve`]: async (app) => onTrip(app, 'priced'),
  [`POST ${TRIPS}/{envelopeId}/booking`]: async (app) => ({ ...(await onTrip(app, 'reserved')), follows: BOOKED }),
  [`POST ${TRIPS}/{envelopeId}/cancellation`]: async (app) => onTrip(app, 'reserved'),
  [`POST ${TRIPS}/{envelopeId}/abandonment`]: async (app) => {
    const envelopeId = await reservingTrip(app);
    return { ...staff(app), parameters: { envelopeId }, body: { reason: 'No answer' }, subject: byEnvelopeId };
  },
  [`POST ${TRIPS}/{envelopeId}/attentions/{attentionId}/resolution`]: async (app) => {
    const { envelopeId, attentionId } = await unconfirmedTrip(app);
    const subject = () => ({ type: 'trip_attention', id: attentionId });
    const body = { resolution: 'written_off' };
    return { ...staff(app), parameters: { envelopeId, attentionId }, body, subject };
  },
  [`POST ${TRIPS}/{envelopeId}/components/{componentId}/confirmation-retries`]: async (app) => ({
    ...(await onUnconfirmed(app)),
    follows: ['bookings.booking_item.update'],
  }),
  [`POST ${TRIPS}/{envelopeId}/components/{componentId}/replacements`]: async (app) => ({
    ...(await onUnconfirmed(app)),
    body: MANUAL,
    follows: REPLACED,
  }),
};

async function onTrip(app: TestApp, status: 'draft' | 'priced' | 'reserved') {
  const { envelopeId } = await tripIn(app, status);
  return { ...staff(app), parameters: { envelopeId }, subject: byEnvelopeId };
}

async function onUnconfirmed(app: TestApp) {
  const { envelopeId, componentId } = await unconfirmedTrip(app);
  const subject = () => ({ type: 'trip_component', id: componentId });
  return { ...staff(app), parameters: { envelopeId, componentId }, subject };
}

async function onComponent(app: TestApp) {
  const { envelopeId, components } = await tripIn(app, 'draft');
  const componentId = components[0]?.componentId ?? '';
  const subject = () => ({ type: 'trip_component', id: componentId });
  return { ...staff(app), parameters: { envelopeId, componentId }, subject };
}

async function tripIn(app: TestApp, status: 'draft' | 'priced' | 'reserved'): Promise<Trip> {
  const owner = app.as('owner');
  const billing = { ...PARTY.billing, name: `Ada ${randomUUID()}` };
  const trip = await makeTrip(owner, [MANUAL], { travelerParty: { ...PARTY, billing } });
  if (status !== 'draft') await price(owner, trip.envelopeId);
  if (status === 'reserved') await reserve(owner, trip.envelopeId);
  return trip;
}

function byEnvelopeId(answer: Row): Subject {
  return { type: 'trip', id: String(answer['envelopeId']) };
}
