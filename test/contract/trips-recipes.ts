import type { TestApp } from '../setup/app.js';
import { type Recipe, type Row, staff, type Subject } from './recipe.js';
import { makeTrip, MANUAL, price, reserve, type Trip, TRIPS } from '../trips/trips.js';

/** The further actions when a trip is booked. */
const BOOKED = [
  'bookings.booking.create',
  'bookings.booking_item.create',
  'bookings.booking.confirm',
  'finance.payment_plan.materialize',
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
};

async function onTrip(app: TestApp, status: 'draft' | 'priced' | 'reserved') {
  const { envelopeId } = await tripIn(app, status);
  return { ...staff(app), parameters: { envelopeId }, subject: byEnvelopeId };
}

async function onComponent(app: TestApp) {
  const { envelopeId, components } = await tripIn(app, 'draft');
  const componentId = components[0]?.componentId ?? '';
  const subject = () => ({ type: 'trip_component', id: componentId });
  return { ...staff(app), parameters: { envelopeId, componentId }, subject };
}

async function tripIn(app: TestApp, status: 'draft' | 'priced' | 'reserved'): Promise<Trip> {
  const owner = app.as('owner');
  const trip = await makeTrip(owner, [MANUAL]);
  if (status !== 'draft') await price(owner, trip.envelopeId);
  if (status === 'reserved') await reserve(owner, trip.envelopeId);
  return trip;
}

function byEnvelopeId(answer: Row): Subject {
  return { type: 'trip', id: String(answer['envelopeId']) };
}
