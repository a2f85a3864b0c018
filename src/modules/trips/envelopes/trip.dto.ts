import { OmitType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Ignored, ListOf, Nested, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { CurrencyCode, EmailAddress, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { TRIP_STATUSES, type TripStatus } from './trip-status.js';

const SORT_FIELDS = ['createdAt', 'updatedAt'] as const;

/** Who pays: the customer of the booking that comes of the trip. */
export class BillingBody {
  /** @example "Ada Lovelace" */
  @Clearable()
  @Text({ max: 255 })
  name?: string | null;

  /** @example "ada@example.com" */
  @Clearable()
  @EmailAddress()
  email?: string | null;

  /** @example "+44 20 7946 0000" */
  @Clearable()
  @Text({ max: 50 })
  phone?: string | null;

  /** @example "12 St James's Square, London" */
  @Clearable()
  @Text({ max: 500, multiline: true })
  address?: string | null;
}

export class TravelerBody {
  /** @example "Ada Lovelace" */
  @Clearable()
  @Text({ max: 255 })
  name?: string | null;

  /** @example "1985-12-10" */
  @Clearable()
  @IsoDate()
  birthDate?: string | null;

  /** @example "ada@example.com" */
  @Clearable()
  @EmailAddress()
  email?: string | null;

  /** @example "+44 20 7946 0000" */
  @Clearable()
  @Text({ max: 50 })
  phone?: string | null;
}

/** Complete, and so ready to be reserved, with a billing name, a real billing e-mail and one traveler who has a name. */
export class TravelerPartyBody {
  @Clearable()
  @Nested(() => BillingBody)
  billing?: BillingBody | null;

  @Optional()
  @ListOf(() => TravelerBody, { max: 200 })
  travelers?: TravelerBody[];
}

export class CreateTrip {
  @Ignored()
  id?: undefined;

  @Ignored()
  envelopeId?: undefined;

  /** @example "Two weeks in Romania" */
  @Clearable()
  @Text({ max: 255 })
  title?: string | null;

  /** Of every amount of the trip; it cannot change.
   * @example "EUR" */
  @CurrencyCode()
  currency: string;

  @Clearable()
  @Nested(() => TravelerPartyBody)
  travelerParty?: TravelerPartyBody | null;
}

/** Without the status, which moves by calls of its own. The travelers are given as a whole, and void the prices. */
export class UpdateTrip extends patchOf(OmitType(CreateTrip, ['id', 'envelopeId', 'currency'] as const)) {}

/** May be left out as a whole. */
export class CancelTrip {
  /** Kept with the trip and in the action ledger.
   * @example "The customer chose the train" */
  @Optional()
  @Text({ max: 2000, multiline: true })
  reason?: string;
}

export class ListTrips extends PageQuery {
  @Optional()
  @OneOf(TRIP_STATUSES)
  status?: TripStatus;

  /** Part of the title or of the billing name, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Those that somebody has to look at, or the others. */
  @Optional()
  @QueryFlag()
  attention?: boolean;

  /** Made at this instant or later. */
  @Optional()
  @Instant()
  createdFrom?: string;

  /** Made before this instant. */
  @Optional()
  @Instant()
  createdTo?: string;

  /** `-createdAt` unless given; a minus means descending. */
  @Optional()
  @SortBy(SORT_FIELDS)
  sort?: string;
}
