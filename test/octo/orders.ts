import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import type { Answer } from '../setup/http.js';
import type { Shop } from './shop.js';

export const BOOKINGS = '/octo/bookings';

export interface OctoBooking extends Record<string, unknown> {
  id: string;
  uuid: string;
  status: string;
  testMode: boolean;
  supplierReference: string | null;
  utcExpiresAt: string | null;
  cancellable: boolean;
  availabilityId: string;
  unitItems: ({ uuid: string; unitId: string; status: string } & Record<string, unknown>)[];
  voucher: { deliveryOptions: { deliveryValue: string }[] } | null;
}

/** The body of a reservation of these units. */
export function order({ productId, optionId, departureId }: Shop, unitIds: readonly string[], terms: object = {}) {
  const unitItems = unitIds.map((unitId) => ({ unitId }));
  return { uuid: randomUUID(), productId, optionId, availabilityId: departureId, unitItems, ...terms };
}

export async function reserve(shop: Shop, unitIds: readonly string[], terms: object = {}, options = {}) {
  const answer = await shop.reseller.post<OctoBooking>(BOOKINGS, order(shop, unitIds, terms), options);
  return must(answer);
}

export function must(answer: Answer<OctoBooking>): OctoBooking {
  if (answer.status !== 200) throw new Error(`The call was rejected: ${answer.text}`);
  return answer.body;
}

/** The counters of a departure and of the slots on it. */
export async function countersOf(app: TestApp, departureId: string) {
  const [departure] = await app.sql<{ sold: number; held: number; open: number }>(
    'select sold, held, guaranteed_open as open from departures where id = $1',
    [departureId],
  );
  return departure;
}
