import { departure, DEPARTURES, newDeparture } from '../operations/departures.js';
import { FACILITIES, facility, groundOperator, newFacility, newOperator, OPERATORS } from '../operations/facilities.js';
import { newAssignment, newResource, RESOURCES } from '../operations/resources.js';
import type { TestApp } from '../setup/app.js';
import { inside, made, on, type Recipe, staff } from './recipe.js';

const SCHEDULES = '/v1/admin/operations/departure-schedules';
/** It makes no departures. */
const schedule = () => ({
  ...{ productId: 'tour-of-a-schedule', timeZone: 'Europe/Bucharest', dtstart: '2027-05-01', startTimes: ['09:00'] },
  ...{ durationMinutes: 120, capacity: 8, rrule: 'FREQ=WEEKLY', priceCents: 5_900, currency: 'EUR', active: false },
});

const assigned = async (app: TestApp) => {
  const { id: assignmentId, departureId } = await newAssignment(app);
  return { ...staff(app), ...inside('resource_assignment', assignmentId, { id: departureId, assignmentId }) };
};

export const operationsRecipes: Record<string, Recipe> = {
  [`POST ${DEPARTURES}`]: async (app) => ({ ...staff(app), body: departure(), subject: made('departure') }),
  [`PATCH ${DEPARTURES}/{id}`]: async (app) => {
    const { id } = await newDeparture(app);
    return { ...staff(app), ...on('departure', id), body: { capacity: 21 } };
  },
  [`POST ${DEPARTURES}/{id}/cancellation`]: async (app) => {
    const { id } = await newDeparture(app);
    return { ...staff(app), ...on('departure', id), body: { reason: 'The boat is in repair' } };
  },
  [`POST ${DEPARTURES}/{id}/reinstatement`]: async (app) => {
    const { id } = await newDeparture(app);
    await app.as('owner').post(`${DEPARTURES}/${id}/cancellation`);
    return { ...staff(app), ...on('departure', id), body: { reason: 'The boat was repaired' } };
  },
  [`POST ${DEPARTURES}/{id}/sales-closing`]: async (app) => {
    const { id } = await newDeparture(app);
    return { ...staff(app), ...on('departure', id), body: { reason: 'Two guides are ill' } };
  },
  [`POST ${DEPARTURES}/{id}/sales-opening`]: async (app) => {
    const { id } = await newDeparture(app);
    await app.as('owner').post(`${DEPARTURES}/${id}/sales-closing`);
    return { ...staff(app), ...on('departure', id) };
  },
  [`POST ${DEPARTURES}/{id}/guarantee`]: async (app) => {
    const { id } = await newDeparture(app, { minParticipants: 6 });
    return { ...staff(app), ...on('departure', id) };
  },

  [`POST ${RESOURCES}`]: async (app) => ({
    ...staff(app),
    body: { type: 'boat', name: 'Ferry' },
    subject: made('resource'),
  }),
  [`PATCH ${RESOURCES}/{resourceId}`]: async (app) => {
    const { id } = await newResource(app);
    return { ...staff(app), ...inside('resource', id, { resourceId: id }), body: { seats: 4 } };
  },
  [`POST ${RESOURCES}/{resourceId}/archival`]: async (app) => {
    const { id } = await newResource(app);
    return { ...staff(app), ...inside('resource', id, { resourceId: id }) };
  },
  [`POST ${DEPARTURES}/{id}/assignments`]: async (app) => {
    const { id } = await newDeparture(app);
    const body = { resourceId: (await newResource(app)).id };
    return { ...staff(app), parameters: { id }, body, subject: made('resource_assignment') };
  },
  [`PATCH ${DEPARTURES}/{id}/assignments/{assignmentId}`]: async (app) => ({
    ...(await assigned(app)),
    body: { role: 'Host' },
  }),
  [`DELETE ${DEPARTURES}/{id}/assignments/{assignmentId}`]: async (app) => assigned(app),
  [`POST ${SCHEDULES}`]: async (app) => ({ ...staff(app), body: schedule(), subject: made('departure_schedule') }),
  [`POST ${SCHEDULES}/preview`]: async (app) => ({ ...staff(app), body: schedule(), subject: null }),
  [`PATCH ${SCHEDULES}/{id}`]: async (app) => {
    const { body } = await app.as('owner').post<{ data: { id: string } }>(SCHEDULES, schedule());
    return { ...staff(app), ...on('departure_schedule', body.data.id), body: { capacity: 9 } };
  },

  [`POST ${FACILITIES}`]: async (app) => ({ ...staff(app), body: facility(), subject: made('facility') }),
  [`PATCH ${FACILITIES}/{id}`]: async (app) => {
    const { id } = await newFacility(app);
    return { ...staff(app), ...on('facility', id), body: { status: 'inactive' } };
  },
  [`DELETE ${FACILITIES}/{id}`]: async (app) => {
    const { id } = await newFacility(app);
    return { ...staff(app), ...on('facility', id) };
  },

  [`POST ${OPERATORS}`]: async (app) => ({
    ...staff(app),
    body: groundOperator(),
    subject: made('ground_operator'),
  }),
  [`PATCH ${OPERATORS}/{id}`]: async (app) => {
    const { id } = await newOperator(app);
    return { ...staff(app), ...on('ground_operator', id), body: { active: false } };
  },
};
