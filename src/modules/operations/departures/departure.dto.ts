import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Cents,
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, FormerName, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import { CutoffBody, CutoffResponse, type DepartureUnitPrice, toCutoff } from '../../products/index.js';
import { SlotWarning } from './departure-followers.dto.js';
import {
  RESOURCE_CONFLICT_RULES,
  type ResourceConflictRule,
  SHORTAGE_RULES,
  type ShortageRule,
} from './departure-listener.js';
import {
  DEPARTURE_STATUSES,
  type DeparturePickup,
  type DepartureStatus,
  type DepartureView,
} from './departure.entity.js';
import { MAX_RESOURCE_WARNINGS, ResourceWarning } from './resource-warning.dto.js';
import {
  CALL_OFF_REASONS,
  type CallOffReason,
  RUN_STATES,
  type RunState,
  SALES_STATES,
  type SalesState,
} from './sales-state.js';

/** The product may lack a record. */
export const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const MAX_UNITS = 1_000_000;
export const MAX_UNIT_PRICES = 50;
const MAX_PICKUPS = 100;
const MINUTE_MS = 60_000;

/** The price of a unit on this departure. */
export class DepartureUnitPriceBody {
  /**
   * Unit of the product (prefix `punt`).
   * @example "punt_01k0dem000e000000000000001"
   */
  @Id('punt')
  unitId: string;

  /** Option of the product (prefix `popt`) that has the price; null or omitted for all options. */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /**
   * Price of one unit with tax, in minor units of the departure's currency.
   * @example 4500
   */
  @Cents()
  amountCents: number;
}

export function unitPricesOf(prices: readonly DepartureUnitPriceBody[]): DepartureUnitPrice[] {
  return prices.map(({ unitId, optionId = null, amountCents }) => ({ unitId, optionId, amountCents }));
}

/** A place at which people are picked up. */
export class DeparturePickupBody {
  /**
   * Facility (prefix `fac`), such as a hotel; must not be archived.
   * @example "fac_01k0dem000e000000000000001"
   */
  @Id('fac')
  facilityId: string;

  /**
   * Minutes from the pickup to the start of the departure; the pickup moves with the start.
   * @example 45
   */
  @Whole({ min: 0, max: 2_880 })
  minutesBefore: number;
}

export function pickupsOf(pickups: readonly DeparturePickupBody[]): DeparturePickup[] {
  return pickups.map(({ facilityId, minutesBefore }) => ({ facilityId, minutesBefore }));
}

/** A new departure: one dated run of a product. */
export class CreateDeparture {
  @Ignored()
  id?: undefined;

  /**
   * ID of the product, which needs no record; an archived product is rejected.
   * @example "prod_01k0dem000e000000000000001"
   */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /**
   * Option of the product (prefix `popt`) that is sold on the departure, without being named; other options are rejected. Null if
   * all of them are sold.
   */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /**
   * When the departure starts (RFC 3339 with offset).
   * @example "2027-05-12T09:00:00+03:00"
   */
  @Instant()
  startsAt: string;

  /**
   * When the departure ends (RFC 3339 with offset); after `startsAt`.
   * @example "2027-05-12T18:00:00+03:00"
   */
  @Optional()
  @Instant()
  endsAt?: string;

  /**
   * IANA time zone of the departure; it determines the local start date.
   * @example "Europe/Bucharest"
   */
  @Optional()
  @TimeZone()
  timeZone?: string;

  /**
   * Total number of units, such as seats; not below sold, held and guaranteed units.
   * @example 20
   */
  @Optional()
  @Whole({ min: 0, max: MAX_UNITS })
  capacity?: number;

  /**
   * Price of one unit with tax, in minor units of `currency`.
   * @example 5900
   */
  @Cents()
  priceCents: number;

  /**
   * Prices of units of the product on this departure. They precede price lists, and `priceCents`. A unit has at most one
   * price for each option, and one for all of them.
   */
  @Optional()
  @ListOf(() => DepartureUnitPriceBody, { max: MAX_UNIT_PRICES })
  unitPrices?: DepartureUnitPriceBody[];

  /**
   * Tax included in `priceCents`, in minor units; 0 by default, not above the price.
   * @example 942
   */
  @Optional()
  @Cents()
  taxIncludedCents?: number;

  /**
   * Tax code (prefix `taxc`) of items that are sold without another tax code or tax; must be active. Null if there is
   * none.
   */
  @Clearable()
  @Id('taxc')
  taxCodeId?: string | null;

  /**
   * ISO 4217 code for the price.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Meeting point (prefix `fac`); must not be archived. Null if there is none.
   * @example "fac_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;

  /** Places at which people are picked up, each with its time; none by default. Bookings name the place of their people. */
  @Optional()
  @ListOf(() => DeparturePickupBody, { max: MAX_PICKUPS })
  pickups?: DeparturePickupBody[];

  /** The end of sales before the start; with null they end at the start. */
  @Clearable()
  @Nested(() => CutoffBody)
  cutoff?: CutoffBody | null;

  /**
   * Minimum number of people in confirmed bookings for the departure to be guaranteed; null if it always runs.
   * @example 6
   */
  @Clearable()
  @Whole({ min: 1, max: MAX_UNITS })
  minParticipants?: number | null;

  /**
   * Decision date for a departure with fewer people than the minimum (RFC 3339 with offset); not after `startsAt`. Needs
   * `minParticipants`. A move of the departure does not change it.
   * @example "2027-05-02T18:00:00+03:00"
   */
  @Clearable()
  @Instant()
  decideBy?: string | null;

  /** Whether it is a package in the sense of Directive (EU) 2015/2302. False by default. */
  @Optional()
  @Flag()
  euPackage?: boolean;
}

/** The fields of a departure to change. The product is fixed, because its allotments have slots on the departure. */
export class UpdateDeparture extends patchOf(OmitType(CreateDeparture, ['id', 'productId'] as const)) {}

export class ChangeDepartureQuery {
  /**
   * If a slot that returns with the departure needs more units than the pool has, `reject` (default) rejects the change, and
   * `reduce` reduces the slot and records the missing units as released.
   */
  @Optional()
  @OneOf(SHORTAGE_RULES)
  onShortage?: ShortageRule;

  /**
   * If a resource of the departure is not free at its new time, `reject` (default) rejects the change, and `unassign` takes the
   * resource from the departure.
   */
  @Optional()
  @OneOf(RESOURCE_CONFLICT_RULES)
  onResourceConflict?: ResourceConflictRule;
}

export class ListDepartures extends PageQuery {
  /** Only departures of this product. */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Only departures that this schedule made (prefix `dsch`). */
  @Optional()
  @Id('dsch')
  scheduleId?: string;

  /** Only departures that start on this local day or later. */
  @FormerName('from')
  @Optional()
  @IsoDate()
  startFrom?: string;

  /** Only departures that start on this local day or earlier. */
  @FormerName('to')
  @Optional()
  @IsoDate()
  startTo?: string;

  /** Only departures in one of these statuses. */
  @Optional()
  @AnyOf(DEPARTURE_STATUSES)
  status?: DepartureStatus[];

  /** Only departures that are in one of these sales states now. */
  @Optional()
  @AnyOf(SALES_STATES)
  salesState?: SalesState[];

  /** If true, only departures with `attention`; if false, only the others. */
  @Optional()
  @QueryFlag()
  attention?: boolean;

  /** If true, only departures that have not ended and lack resources that their product needs; if false, only the others. */
  @Optional()
  @QueryFlag()
  understaffed?: boolean;

  /** Sort field, `startsAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['startsAt', 'createdAt'])
  sort?: string;
}

/** The price of a unit on a departure. */
export class DepartureUnitPriceResponse {
  /** Unit of the product. */
  @Id('punt')
  unitId: string;

  /** Option of the product that has the price; null for all options. */
  @Id('popt')
  optionId: string | null;

  /** Price of one unit with tax, in minor units of the departure's currency. */
  @Cents()
  amountCents: number;
}

/** A place at which people are picked up. */
class DeparturePickupResponse {
  /** Facility, such as a hotel. */
  @Id('fac')
  facilityId: string;

  /** Minutes from the pickup to the start of the departure. */
  @Whole({ min: 0, max: 2_880 })
  minutesBefore: number;

  /** When people are picked up (RFC 3339, UTC). */
  @Instant()
  pickupAt: string;
}

/** One dated run of a product, with its capacity and price. Counts are in units, such as seats. */
export class DepartureResponse {
  @Id('dep')
  id: string;

  /** Product that runs on this date; it need not have a record. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** Option of the product (prefix `popt`) that is sold on it; null if all of them are. */
  @Id('popt')
  optionId: string | null;

  /** When the departure starts (RFC 3339, UTC). */
  @Instant()
  startsAt: string;

  /** When the departure ends (RFC 3339, UTC). */
  @Instant()
  endsAt: string;

  /** IANA time zone of the departure; it determines `startDate`. */
  @TimeZone()
  timeZone: string;

  /** Local day on which it starts. */
  @IsoDate()
  startDate: string;

  /** Total number of units. */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  /** Price of one unit with tax, in minor units of `currency`. */
  @Cents()
  priceCents: number;

  /** Prices of units of the product on this departure, which precede price lists and `priceCents`; usually empty. */
  @ListOf(() => DepartureUnitPriceResponse, { max: MAX_UNIT_PRICES })
  unitPrices: DepartureUnitPriceResponse[];

  /** Tax included in `priceCents`, in minor units. */
  @Cents()
  taxIncludedCents: number;

  /** Tax code (prefix `taxc`) of items that are sold without another tax code or tax; null if there is none. */
  @Id('taxc')
  taxCodeId: string | null;

  /** ISO 4217 code for the price. */
  @CurrencyCode()
  currency: string;

  /** Meeting point (prefix `fac`); null if there is none. */
  @Id('fac')
  facilityId: string | null;

  /** Places at which people are picked up; usually empty. */
  @ListOf(() => DeparturePickupResponse, { max: MAX_PICKUPS })
  pickups: DeparturePickupResponse[];

  /**
   * A `called_off` departure sells nothing more and is `cancelled` once its sales are moved or cancelled. A `cancelled` departure
   * can be reinstated before its start.
   */
  @OneOf(DEPARTURE_STATUSES)
  status: DepartureStatus;

  /** Units sold to bookings. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  /** Units held by reserved trips and by offers to waiting customers. */
  @Whole({ min: 0, max: MAX_UNITS })
  held: number;

  /** Units guaranteed to channels and not sold yet. */
  @Whole({ min: 0, max: MAX_UNITS })
  guaranteedOpen: number;

  /** `capacity` - `sold` - `held` - `guaranteedOpen`: units that can still be sold from the pool. */
  @Whole({ min: 0, max: MAX_UNITS })
  available: number;

  /** When the departure was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /** Why the departure was called off; null if it was not. */
  @OneOf(CALL_OFF_REASONS)
  reasonCode: CallOffReason | null;

  /** What staff wrote about the reason; null if the departure was not called off. */
  @Text({ max: 2000, multiline: true })
  cancelReason: string | null;

  /**
   * Whether units are sold now; the first that applies: `called_off`, `cancelled`, `completed` (ended), `departed` (started), `closed`
   * (by staff), `cut_off`, `sold_out` (nothing left in the pool), `open`.
   */
  @OneOf(SALES_STATES)
  salesState: SalesState;

  /** The end of sales before the start; with null they end at the start. */
  @Nested(() => CutoffResponse)
  cutoff: CutoffResponse | null;

  /** The instant at which `cutoff` ends the sales of this departure; null without a cut-off. */
  @Instant()
  cutoffAt: string | null;

  /** When staff closed the sales; null while they are open. */
  @Instant()
  salesClosedAt: string | null;

  /** Minimum number of people in confirmed bookings for the departure to be guaranteed; null if it always runs. */
  @Whole({ min: 1, max: MAX_UNITS })
  minParticipants: number | null;

  /** Decision date for a departure with fewer people than the minimum; null if open. */
  @Instant()
  decideBy: string | null;

  /**
   * `tentative` until the people of confirmed bookings reach `minParticipants` or staff guarantee the departure; then
   * `guaranteed`, even with fewer people later. Always `guaranteed` without `minParticipants`.
   */
  @OneOf(RUN_STATES)
  runState: RunState;

  /** When the minimum was found to be missed after `decideBy`; null otherwise, and once the departure is guaranteed. */
  @Instant()
  minimumNotReachedAt: string | null;

  /** True if staff must decide whether the scheduled departure runs, because `minimumNotReachedAt` is set. */
  @Flag()
  attention: boolean;

  /** Whether it is a package in the sense of Directive (EU) 2015/2302. */
  @Flag()
  euPackage: boolean;

  /**
   * Deadline to inform customers of a package, without compensation, that it is cancelled for lack of participants: 20 days
   * before trips of more than 6 days, 7 days before trips of 2 to 6 days, 48 hours before shorter ones (Article 12 of the
   * directive). Null unless `euPackage`.
   */
  @Instant()
  latestNoticeAt: string | null;

  /** Increases with every change made by staff, not with sales. It is also the ETag; If-Match is compared with it. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toDeparture(departure: DepartureView): DepartureResponse {
  return respond(DepartureResponse, departure, {
    available: departure.availableUnits(),
    unitPrices: departure.unitPrices.map((price) => respond(DepartureUnitPriceResponse, price)),
    pickups: departure.pickups.map(({ facilityId, minutesBefore }) => {
      const pickupAt = new Date(departure.startsAt.getTime() - minutesBefore * MINUTE_MS).toISOString();
      return { facilityId, minutesBefore, pickupAt };
    }),
    cutoff: departure.cutoff && toCutoff(departure.cutoff),
    runState: departure.runState(),
    attention: departure.needsDecision(),
    latestNoticeAt: departure.latestNoticeAt()?.toISOString() ?? null,
  });
}

/** A changed departure, with warnings about side effects of the change. */
export class DepartureChangeEnvelope extends dataOf(DepartureResponse) {
  /** Number of bookings that follow the departure to its new day, in the background; 0 if the day is the same. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  followers: number;

  /** One entry for each slot that was opened with fewer units than it had; usually empty. */
  @ListOf(() => SlotWarning, { max: MAX_UNITS })
  warnings: SlotWarning[];

  /** Resources (prefix `rsrc`) that were taken from the departure, because they are not free at its new time; usually empty. */
  @Texts({ max: 1_000, maxLength: 100 })
  unassigned: string[];
}

/** A departure, and what is wrong with its resources. */
export class DepartureDetailEnvelope extends dataOf(DepartureResponse) {
  /** Unmet needs, vehicles that are too small, and expired documents; empty if the resources are in order. */
  @ListOf(() => ResourceWarning, { max: MAX_RESOURCE_WARNINGS })
  resourceWarnings: ResourceWarning[];
}

export class DepartureEnvelope extends dataOf(DepartureResponse) {}
/** A departure in a list, with names beside its IDs. */
class DepartureRow extends withNames(DepartureResponse, 'productId') {}

export class DeparturePage extends pageOf(DepartureRow) {}
