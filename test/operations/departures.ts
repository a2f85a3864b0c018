import { randomUUID } from 'node:crypto';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { DeparturesService } from '../../src/modules/operations/departures/departures.service.js';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';

export const DEPARTURES = '/v1/admin/operations/departures';

export interface Departure {
  id: string;
  productId: string;
  startsAt: string;
  endsAt: string;
  timeZone: string;
  startDate: string;
  capacity: number;
  priceCents: number;
  unitPrices: object[];
  taxIncludedCents: number;
  currency: string;
  facilityId: string | null;
  status: string;
  sold: number;
  held: number;
  guaranteedOpen: number;
  available: number;
  cancelledAt: string | null;
  salesState: string;
  cutoff: object | null;
  cutoffAt: string | null;
  salesClosedAt: string | null;
  minParticipants: number | null;
  decideBy: string | null;
  runState: string;
  minimumNotReachedAt: string | null;
  attention: boolean;
  euPackage: boolean;
  latestNoticeAt: string | null;
  version: number;
  createdAt: string;
  updatedAt: string;
}

export type DepartureAnswer = Answer<{ data: Departure }>;

/** Creates a departure of a new product; `terms` contain the members that matter to the test. */
export const departure = (terms: object = {}) => ({
  productId: `product-${randomUUID()}`,
  startsAt: '2127-05-12T06:00:00.000Z',
  endsAt: '2127-05-12T15:00:00.000Z',
  timeZone: 'Europe/Bucharest',
  capacity: 20,
  priceCents: 5_900,
  currency: 'EUR',
  ...terms,
});

export async function newDeparture(app: TestApp, terms: object = {}): Promise<Departure> {
  const answer: DepartureAnswer = await app.as('owner').post(DEPARTURES, departure(terms));
  if (answer.status !== 201) throw new Error(`The departure was rejected: ${answer.text}`);
  return answer.body.data;
}

export async function read(app: TestApp, id: string): Promise<Departure> {
  return (await app.as('owner').get<{ data: Departure }>(`${DEPARTURES}/${id}`)).body.data;
}

/** Makes calls of another module that use units, in one transaction. */
export function withUnits(app: TestApp, work: (departures: DeparturesService) => Promise<void>): Promise<void> {
  return asSystem(() => app.nest.get(Database).transaction(() => work(app.nest.get(DeparturesService))));
}

/** The error of the call, or null. */
export async function outcome(work: Promise<void>): Promise<{ code: unknown; details: unknown } | null> {
  try {
    await work;
    return null;
  } catch (error) {
    const { code, details } = error as { code: unknown; details: unknown };
    if (code === undefined) throw error;
    return { code, details };
  }
}
