import type { DepartureUnitPrice } from '../../products/index.js';
import type { DepartureStatus, DepartureView } from './departure.entity.js';
import { bookableUntil, type RunState, type SalesState } from './sales-state.js';

/** A departure for other modules, as of the time of reading. */
export interface DepartureSummary {
  id: string;
  productId: string;
  /** The only option that is sold on it; null for all options of the product. */
  optionId: string | null;
  startsAt: Date;
  endsAt: Date;
  /** IANA name. */
  timeZone: string;
  /** Local day on which it starts, `YYYY-MM-DD`. */
  startDate: string;
  /** Meeting point. */
  facilityId: string | null;
  status: DepartureStatus;
  salesState: SalesState;
  runState: RunState;
  /** The presently decided end of sales; null if it was called off or cancelled, or staff have closed its sales. */
  bookableUntil: Date | null;
  /** Price of one unit. */
  priceCents: number;
  /** Prices of units of the product, which precede price lists. */
  unitPrices: readonly DepartureUnitPrice[];
  taxIncludedCents: number;
  /** Tax code of items sold without another tax code. */
  taxCodeId: string | null;
  currency: string;
  /** All counts are in units. */
  capacity: number;
  sold: number;
  held: number;
  guaranteedOpen: number;
  available: number;
  /** A package in the sense of Directive (EU) 2015/2302. */
  euPackage: boolean;
  version: number;
}

export function toDepartureSummary(view: DepartureView): DepartureSummary {
  return {
    id: view.id,
    productId: view.productId,
    optionId: view.optionId,
    startsAt: view.startsAt,
    endsAt: view.endsAt,
    timeZone: view.timeZone,
    startDate: view.startDate,
    facilityId: view.facilityId,
    status: view.status,
    salesState: view.salesState,
    runState: view.runState(),
    bookableUntil: bookableUntil(view),
    priceCents: view.priceCents,
    unitPrices: view.unitPrices,
    taxIncludedCents: view.taxIncludedCents,
    taxCodeId: view.taxCodeId,
    currency: view.currency,
    capacity: view.capacity,
    sold: view.sold,
    held: view.held,
    guaranteedOpen: view.guaranteedOpen,
    available: view.availableUnits(),
    euPackage: view.euPackage,
    version: view.version,
  };
}
