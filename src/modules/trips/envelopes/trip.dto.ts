import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Ignored, ListOf, Nested, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { TRIP_STATUSES, type TripStatus } from './trip-status.js';

const SORT_FIELDS = ['createdAt', 'updatedAt'] as const;

/** Who pays: the customer of the booking that the trip becomes. */
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

/** Who pays and who travels. It is complete with a billing name, a billing e-mail address and one named traveler. */
export class TravelerPartyBody {
  /** Who pays; becomes the customer of the booking. */
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

  /** Who pays and who travels; may be completed later, but before the reservation. */
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

export class ListTrips extends PageQuery {
  /** Only trips in this status. */
  @Optional()
  @OneOf(TRIP_STATUSES)
  status?: TripStatus;

  /** Only trips whose title or billing name contains this text, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** True: only trips that staff need to check; false: only the others. */
  @Optional()
  @QueryFlag()
  attention?: boolean;

  /** Only trips created at this instant or later. */
  @Optional()
  @Instant()
  createdFrom?: string;

  /** Only trips created before this instant. */
  @Optional()
  @Instant()
  createdTo?: string;

  /** Sort field; a leading `-` means descending order, `-createdAt` by default. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
