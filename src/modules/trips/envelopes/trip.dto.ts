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
  Version,
} from '../../../platform/http/fields.js';
import { AnyOf, FormerName, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import { ReservationResponse, toReservation } from './reservation.dto.js';
import type { TravelerParty } from './traveler-party.js';
import { toComponent, TripComponentResponse } from './trip-component.dto.js';
import { TRIP_STATUSES, type TripStatus, type TripView } from './trip.entity.js';

const SORT_FIELDS = ['createdAt', 'updatedAt'] as const;

/** The payer, who becomes the customer of the booking. */
export class BillingBody {
  /**
   * Full name or company; required before the trip can be reserved.
   * @example "Ada Lovelace"
   */
  @Clearable()
  @Text({ max: 255 })
  name?: string | null;

  /**
   * E-mail address; required before the trip can be reserved. The reserved domains `.invalid`, `.test` and
   * `.localhost` do not count.
   * @example "ada@example.com"
   */
  @Clearable()
  @EmailAddress()
  email?: string | null;

  /**
   * Phone number, free text.
   * @example "+44 20 7946 0000"
   */
  @Clearable()
  @Text({ max: 50 })
  phone?: string | null;

  /**
   * Postal address, with line breaks.
   * @example "12 St James's Square, London"
   */
  @Clearable()
  @Text({ max: 500, multiline: true })
  address?: string | null;
}

/** One traveler. */
export class TravelerBody {
  /**
   * Full name; at least one traveler needs one before the trip can be reserved.
   * @example "Ada Lovelace"
   */
  @Clearable()
  @Text({ max: 255 })
  name?: string | null;

  /**
   * Date of birth, `YYYY-MM-DD`.
   * @example "1985-12-10"
   */
  @Clearable()
  @IsoDate()
  birthDate?: string | null;

  /**
   * E-mail address of the traveler. An empty string means null.
   * @example "ada@example.com"
   */
  @Clearable()
  @EmailAddress()
  email?: string | null;

  /**
   * Phone number, free text.
   * @example "+44 20 7946 0000"
   */
  @Clearable()
  @Text({ max: 50 })
  phone?: string | null;
}

/** The payer and the travelers. It is complete with a billing name, a billing e-mail address and one named traveler. */
export class TravelerPartyBody {
  /** Payer, who becomes the customer of the booking. */
  @Clearable()
  @Nested(() => BillingBody)
  billing?: BillingBody | null;

  /** The travelers, at most 200. */
  @Optional()
  @ListOf(() => TravelerBody, { max: 200 })
  travelers?: TravelerBody[];
}

/** A new trip: components of several kinds that are priced, reserved and booked together. */
export class CreateTrip {
  @Ignored()
  id?: undefined;

  @Ignored()
  envelopeId?: undefined;

  /**
   * Name of the trip for staff; null if it has none.
   * @example "Two weeks in Romania"
   */
  @Clearable()
  @Text({ max: 255 })
  title?: string | null;

  /**
   * ISO 4217 code for all prices of the trip; immutable.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Customer (prefix `cus`) who books the trip; the booking belongs to this customer. Null means that the booking takes the customer with
   * the name and the primary e-mail address of the billing contact, or creates one.
   * @example "cus_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('cus')
  customerId?: string | null;

  /** Payer and travelers; may be completed later, but before the reservation. */
  @Clearable()
  @Nested(() => TravelerPartyBody)
  travelerParty?: TravelerPartyBody | null;
}

/** The fields of a trip to change. `travelerParty` replaces the whole party and clears all prices. */
export class UpdateTrip extends patchOf(OmitType(CreateTrip, ['id', 'envelopeId', 'currency'] as const)) {}

/** Optional reason for the cancellation of a trip. The body may be omitted. */
export class CancelTrip {
  /**
   * Stored with the trip and the action ledger entry.
   * @example "The customer chose the train"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

/** The reason why staff end a reservation that does not end. */
export class AbandonTrip {
  /**
   * Stored with the action ledger entry.
   * @example "The hotel system is down"
   */
  @Text({ max: 2000, multiline: true })
  reason: string;
}

export class ListTrips extends PageQuery {
  /** Only trips in one of these statuses. */
  @Optional()
  @AnyOf(TRIP_STATUSES)
  status?: TripStatus[];

  /**
   * Only trips whose title, billing contact or travelers contain each of these words (up to eight), in any order, ignoring
   * case, accents, apostrophes and hyphens.
   */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only the trip that became this booking (prefix `book`). */
  @Optional()
  @Id('book')
  bookingId?: string;

  /** Only trips of this customer (prefix `cus`). */
  @Optional()
  @Id('cus')
  customerId?: string;

  /** If true, only trips that staff must check; if false, only the others. */
  @Optional()
  @QueryFlag()
  attention?: boolean;

  /** Only trips created at this instant or later. */
  @FormerName('createdFrom')
  @Optional()
  @Instant()
  createdAfter?: string;

  /** Only trips created before this instant. */
  @FormerName('createdTo')
  @Optional()
  @Instant()
  createdBefore?: string;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}

/** The payer, who becomes the customer of the booking. */
export class BillingResponse {
  /** Full name or company; null until known. */
  @Text({ max: 255 })
  name: string | null;

  /** E-mail address of the payer; null until known. */
  @EmailAddress()
  email: string | null;

  /** Phone number, free text; null if unknown. */
  @Text({ max: 50 })
  phone: string | null;

  /** Postal address, with line breaks; null if unknown. */
  @Text({ max: 500 })
  address: string | null;
}

/** One traveler. */
export class TravelerResponse {
  /** Full name; null until known. */
  @Text({ max: 255 })
  name: string | null;

  /** Date of birth, `YYYY-MM-DD`; null if unknown. */
  @IsoDate()
  birthDate: string | null;

  /** E-mail address of the traveler; null if unknown. */
  @EmailAddress()
  email: string | null;

  /** Phone number, free text; null if unknown. */
  @Text({ max: 50 })
  phone: string | null;
}

/** Payer and travelers. */
export class TravelerPartyResponse {
  /** Payer; null until known. */
  @Nested(() => BillingResponse)
  billing: BillingResponse | null;

  /** The travelers in the order in which they were sent. */
  @ListOf(() => TravelerResponse, { max: 200 })
  travelers: TravelerResponse[];
}

/** A trip with its components and its last attempt to reserve it. Amounts are in minor units of `currency`. */
export class TripResponse {
  /** ID of the trip, a TypeID with the prefix `trip`. */
  @Id('trip')
  envelopeId: string;

  /** Name of the trip for staff; null if it has none. */
  @Text({ max: 255 })
  title: string | null;

  /** State of the trip. `reserve_in_progress` is ended by the server; `checkout_started` is not used yet. */
  @OneOf(TRIP_STATUSES)
  status: TripStatus;

  /** ISO 4217 code for all prices of the trip; immutable. */
  @CurrencyCode()
  currency: string;

  /** Payer and travelers; null until given. */
  @Nested(() => TravelerPartyResponse)
  travelerParty: TravelerPartyResponse | null;

  /** Components by position, without removed ones. */
  @ListOf(() => TripComponentResponse, { max: 50 })
  components: TripComponentResponse[];

  /** Sum of the components without tax; null while a component has no price. */
  @Cents()
  subtotalCents: number | null;

  /** Sum of the components' tax; null while a component has no price. */
  @Cents()
  taxCents: number | null;

  /** `subtotalCents` + `taxCents`; null while a component has no price. */
  @Cents()
  totalCents: number | null;

  /** When the first component price expires; null while the trip has no price. */
  @Instant()
  priceExpiresAt: string | null;

  /** When the first hold expires; null unless the trip is `reserved`. */
  @Instant()
  holdExpiresAt: string | null;

  /** True if staff need to check an order at a provider: one of the trip's attentions is open. */
  @Flag()
  attention: boolean;

  /** Booking that the trip became (prefix `book`); null until it is booked. */
  @Id('book')
  bookingId: string | null;

  /** Customer who books the trip (prefix `cus`); null until chosen by staff or by the booking. */
  @Id('cus')
  customerId: string | null;

  /** Last attempt to reserve the trip; null if there was none. */
  @Nested(() => ReservationResponse)
  reservation: ReservationResponse | null;

  /** When the trip was cancelled; null unless its status is `cancelled`. */
  @Instant()
  cancelledAt: string | null;

  /** Reason given with the cancellation; null if none was given. */
  @Text({ max: 2000 })
  cancelReason: string | null;

  /** Increases with every change of the trip or its components. It is also the ETag; If-Match is compared with it. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toTrip({ trip, components, plan }: TripView): TripResponse {
  return respond(TripResponse, trip, {
    envelopeId: trip.id,
    travelerParty: trip.travelerParty && toParty(trip.travelerParty),
    components: components.map(toComponent),
    reservation: plan && toReservation(plan),
  });
}

function toParty({ billing, travelers = [] }: TravelerParty): TravelerPartyResponse {
  return {
    billing: billing
      ? {
          name: billing.name ?? null,
          email: billing.email ?? null,
          phone: billing.phone ?? null,
          address: billing.address ?? null,
        }
      : null,
    travelers: travelers.map(({ name = null, birthDate = null, email = null, phone = null }) => {
      return { name, birthDate, email, phone };
    }),
  };
}

export class TripEnvelope extends dataOf(TripResponse) {}
/** A trip in a list, with names beside its IDs. */
class TripRow extends withNames(TripResponse, 'bookingId', 'customerId') {}

export class TripPage extends pageOf(TripRow) {}
