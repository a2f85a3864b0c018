import type { One } from '../bookings/bookings.js';
import type { TestApp } from '../setup/app.js';
import { DEPARTURES, newDeparture } from './departures.js';

export const RESOURCES = '/v1/admin/operations/resources';

export interface Resource extends Record<string, unknown> {
  id: string;
  status: string;
  version: number;
}

export interface Assignment extends Record<string, unknown> {
  id: string;
  departureId: string;
  resourceId: string;
  startsAt: string;
  endsAt: string;
  version: number;
}

export const assignmentsOf = (departureId: string) => `${DEPARTURES}/${departureId}/assignments`;

export async function newResource(app: TestApp, terms: object = {}): Promise<Resource> {
  const answer = await app.as('owner').post<One<Resource>>(RESOURCES, { type: 'guide', name: 'Ioana', ...terms });
  if (answer.status !== 201) throw new Error(`The resource was rejected: ${answer.text}`);
  return answer.body.data;
}

/** An assignment of a new guide to a new departure, unless `terms` name them. */
export async function newAssignment(
  app: TestApp,
  { departureId, ...terms }: { departureId?: string; resourceId?: string; role?: string } = {},
): Promise<Assignment> {
  const id = departureId ?? (await newDeparture(app)).id;
  const resourceId = terms.resourceId ?? (await newResource(app)).id;
  const answer = await app.as('owner').post<One<Assignment>>(assignmentsOf(id), { ...terms, resourceId });
  if (answer.status !== 201) throw new Error(`The assignment was rejected: ${answer.text}`);
  return answer.body.data;
}
