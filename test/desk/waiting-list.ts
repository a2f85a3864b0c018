import { WaitingOffersService } from '../../src/modules/desk/waiting-list/waiting-offers.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { One, Page } from '../bookings/bookings.js';
import { newCustomer } from '../customers/customers.js';
import { newDeparture } from '../operations/departures.js';
import type { TestApp } from '../setup/app.js';

export const WAITING = '/v1/admin/operations/waiting-entries';

export interface WaitingEntry extends Record<string, unknown> {
  id: string;
  customerId: string | null;
  status: string;
  offers: number;
  offeredDepartureId: string | null;
  offerExpiresAt: string | null;
  messageId: string | null;
  bookingId: string | null;
  endReason: string | null;
  version: number;
}

/** An entry of a new customer, unless `terms` name one. */
export async function newWaiting(app: TestApp, terms: object): Promise<WaitingEntry> {
  const { id: customerId } = await newCustomer(app);
  const answer = await app.as('owner').post<One<WaitingEntry>>(WAITING, { customerId, quantity: 1, ...terms });
  if (answer.status !== 201) throw new Error(`The entry was rejected: ${answer.text}`);
  return answer.body.data;
}

/** An entry for a new departure without free units, and the departure. */
export async function waitingForFull(app: TestApp, terms: object = {}) {
  const { id: departureId } = await newDeparture(app, { capacity: 0 });
  return { departureId, entry: await newWaiting(app, { departureId, ...terms }) };
}

export async function readWaiting(app: TestApp, { id }: { id: string }): Promise<WaitingEntry> {
  return (await app.as('owner').get<One<WaitingEntry>>(`${WAITING}/${id}`)).body.data;
}

export async function listWaiting(app: TestApp, query: string): Promise<WaitingEntry[]> {
  return (await app.as('owner').get<Page<WaitingEntry>>(`${WAITING}?${query}`)).body.data;
}

/** Runs the jobs of the waiting list now, of which applications of tests without jobs have none. */
export const offersOf = (app: TestApp) => {
  const offers = app.nest.get(WaitingOffersService);
  return {
    mail: ({ id }: { id: string }) => asSystem(() => offers.mail({ waitingEntryId: id })),
    expire: ({ id }: { id: string }) => asSystem(() => offers.expireOffer({ waitingEntryId: id })),
    sweep: () => asSystem(() => offers.sweep()),
  };
};
