import { availableOf, type DepartureStatus, type DepartureView } from './departure.entity.js';

/** What other modules learn of a departure; of the moment it was read. */
export interface DepartureSummary {
  id: string;
  productId: string;
  startsAt: Date;
  endsAt: Date;
  /** IANA name. */
  timeZone: string;
  /** Local day on which it starts, `YYYY-MM-DD`. */
  startDate: string;
  status: DepartureStatus;
  /** Of one unit. */
  priceCents: number;
  taxIncludedCents: number;
  currency: string;
  /** All counts are in units. */
  capacity: number;
  sold: number;
  held: number;
  guaranteedOpen: number;
  available: number;
  version: number;
}

export function toDepartureSummary(view: DepartureView): DepartureSummary {
  return {
    id: view.id,
    productId: view.productId,
    startsAt: view.startsAt,
    endsAt: view.endsAt,
    timeZone: view.timeZone,
    startDate: view.startDate,
    status: view.status,
    priceCents: view.priceCents,
    taxIncludedCents: view.taxIncludedCents,
    currency: view.currency,
    capacity: view.capacity,
    sold: view.sold,
    held: view.held,
    guaranteedOpen: view.guaranteedOpen,
    available: availableOf(view),
    version: view.version,
  };
}
