import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const FACILITIES = '/v1/admin/operations/facilities';
export const OPERATORS = '/v1/admin/operations/operators';

export interface Facility {
  id: string;
  name: string;
  code: string | null;
  kind: string;
  status: string;
  parentFacilityId: string | null;
  description: string | null;
  timeZone: string | null;
  address: Record<string, string | null> | null;
  latitude: number | null;
  longitude: number | null;
  tags: string[];
  deletedAt: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface GroundOperator {
  id: string;
  name: string;
  facilityId: string | null;
  version: number;
  updatedAt: string;
  [member: string]: unknown;
}

export type FacilityAnswer = Answer<{ data: Facility }>;

/** Creates a facility with a unique name; `terms` contain the members that matter to the test. */
export const facility = (terms: object = {}) => ({ name: `Facility ${randomUUID()}`, ...terms });
export const groundOperator = (terms: object = {}) => ({ name: `Operator ${randomUUID()}`, ...terms });

export async function newFacility(app: TestApp, terms: object = {}): Promise<Facility> {
  const answer: FacilityAnswer = await app.as('owner').post(FACILITIES, facility(terms));
  if (answer.status !== 201) throw new Error(`The facility was rejected: ${answer.text}`);
  return answer.body.data;
}

export async function newOperator(app: TestApp, terms: object = {}): Promise<GroundOperator> {
  const answer = await app.as('owner').post<{ data: GroundOperator }>(OPERATORS, groundOperator(terms));
  if (answer.status !== 201) throw new Error(`The operator was rejected: ${answer.text}`);
  return answer.body.data;
}

export async function archived(app: TestApp, terms: object = {}): Promise<Facility> {
  const made = await newFacility(app, terms);
  await app.as('owner').delete(`${FACILITIES}/${made.id}`);
  return readFacility(app, made.id);
}

export async function readFacility(app: TestApp, id: string): Promise<Facility> {
  return (await app.as('owner').get<{ data: Facility }>(`${FACILITIES}/${id}`)).body.data;
}
