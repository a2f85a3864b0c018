import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
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
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CountryCode, EmailAddress, Instant, IsoDate, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import { patternOf } from '../../../platform/validation/word-pattern.js';
import {
  type BookingTraveler,
  DIETARY_NEEDS,
  type DietaryNeed,
  DOCUMENT_TYPES,
  type DocumentType,
  type Gender,
  GENDERS,
  TRAVELER_STATUSES,
  type TravelerStatus,
} from './traveler.entity.js';

export const MAX_TRAVELERS = 200;
const MAX_NOTE = 1000;
const DIETARY_RULE = {
  max: DIETARY_NEEDS.length,
  maxLength: 20,
  pattern: patternOf(DIETARY_NEEDS),
  otherwise: `must be one of ${DIETARY_NEEDS.join(', ')}`,
  unique: true,
};

/** Whom to call in an emergency. */
export class EmergencyContactBody {
  /**
   * Name of the contact.
   * @example "Ion Ionescu"
   */
  @Text({ max: 200 })
  name: string;

  /**
   * International telephone number, or a national one if the traveler has a nationality. It is stored in the form of ITU-T E.164.
   * @example "+40 240 555 011"
   */
  @Text({ max: 50 })
  phone: string;
}

/** A problem of a traveler's data on the days of the services. */
export type TravelerWarning = 'age_out_of_range' | 'document_expired';

/** A travel document; the number is encrypted with the vault. */
export class TravelDocumentBody {
  /**
   * Kind of the document.
   * @example "passport"
   */
  @OneOf(DOCUMENT_TYPES)
  type: DocumentType;

  /**
   * Number of the document. Responses show its last two characters only.
   * @example "054321987"
   */
  @Text({ min: 3, max: 50 })
  number: string;

  /**
   * Country that issued the document, ISO 3166-1 alpha-2.
   * @example "RO"
   */
  @CountryCode()
  issuingCountry: string;

  /**
   * Last day on which the document is valid; null if it does not expire.
   * @example "2031-04-30"
   */
  @Clearable()
  @IsoDate()
  expiresOn?: string | null;
}

/** The evidence that the traveler consents to the use of health data. */
export class HealthDataConsentBody {
  /**
   * How the consent was given: a form, a call, a signature.
   * @example "booking form"
   */
  @Text({ max: 200 })
  source: string;

  /**
   * Version of the text that the traveler saw.
   * @example "2027-01"
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  textVersion?: string | null;

  /** When the consent was given; not in the future. By default the time of the request. */
  @Optional()
  @Instant()
  givenAt?: string;
}

/** A person of a booking. Without a name it is a placeholder. */
export class CreateTraveler {
  @Ignored()
  id?: undefined;

  /** Whether this traveler is the contact of the group. The first traveler of a booking is; a new lead replaces the former one. */
  @Optional()
  @Flag()
  isLead?: boolean;

  /**
   * Customer record of the traveler (prefix `cus`); must be active. Its name, date of birth, language and contacts are copied
   * unless they are given.
   * @example "cus_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('cus')
  customerId?: string | null;

  /**
   * First names as in the travel document.
   * @example "Maria"
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  firstName?: string | null;

  /**
   * Last name as in the travel document.
   * @example "Ionescu"
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  lastName?: string | null;

  /**
   * Day on which the traveler was born; not in the future.
   * @example "1984-03-09"
   */
  @Clearable()
  @IsoDate()
  birthDate?: string | null;

  /**
   * Gender as in the travel document.
   * @example "F"
   */
  @Clearable()
  @OneOf(GENDERS)
  gender?: Gender | null;

  /**
   * Nationality, ISO 3166-1 alpha-2.
   * @example "RO"
   */
  @Clearable()
  @CountryCode()
  nationality?: string | null;

  /**
   * Language in which guides speak to the traveler.
   * @example "ro"
   */
  @Clearable()
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  language?: string | null;

  /**
   * International telephone number, or a national one if the traveler has a nationality. It is stored in the form of ITU-T E.164.
   * @example "+40 240 555 010"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  phone?: string | null;

  /**
   * E-mail address of the traveler.
   * @example "maria.ionescu@example.com"
   */
  @Clearable()
  @EmailAddress()
  email?: string | null;

  /** Whom to call in an emergency. */
  @Clearable()
  @Nested(() => EmergencyContactBody)
  emergencyContact?: EmergencyContactBody | null;

  /** Travel document. A change replaces the whole document. */
  @Clearable()
  @Nested(() => TravelDocumentBody)
  document?: TravelDocumentBody | null;

  /**
   * Dietary needs. They need a consent to the use of health data.
   * @example ["vegetarian"]
   */
  @Optional()
  @Texts(DIETARY_RULE)
  dietary?: DietaryNeed[];

  /** Health note for the guide, encrypted with the vault. It needs a consent to the use of health data. */
  @Clearable()
  @Text({ max: MAX_NOTE, multiline: true, emptyIsNull: true })
  healthNote?: string | null;

  /** Mobility note for the guide, encrypted with the vault. It needs a consent to the use of health data. */
  @Clearable()
  @Text({ max: MAX_NOTE, multiline: true, emptyIsNull: true })
  mobilityNote?: string | null;

  /** Consent of the traveler; not needed if the traveler's customer consents to `health_data`. */
  @Clearable()
  @Nested(() => HealthDataConsentBody)
  healthDataConsent?: HealthDataConsentBody | null;
}

/** The fields of a traveler to change; null clears a field. */
export class UpdateTraveler extends patchOf(OmitType(CreateTraveler, ['id'] as const)) {
  /** A cancelled traveler has no seats; an active one can get seats again. */
  @Optional()
  @OneOf(TRAVELER_STATUSES)
  status?: TravelerStatus;
}

/** A traveler of the whole list: an existing one with its ID, or a new one without. */
export class ListedTraveler extends OmitType(CreateTraveler, ['id'] as const) {
  /** Traveler to keep (prefix `trav`), whose members that are not sent stay as they are. */
  @Optional()
  @Id('trav')
  id?: string;
}

/** All travelers of a booking, in their order. */
export class ReplaceTravelers {
  /** The whole list; travelers of the booking that are not in it are deleted. */
  @ListOf(() => ListedTraveler, { max: MAX_TRAVELERS })
  travelers: ListedTraveler[];
}

export class ListTravelers extends PageQuery {
  /** Only travelers in one of these statuses. */
  @Optional()
  @AnyOf(TRAVELER_STATUSES)
  status?: TravelerStatus[];

  /** Sort field, `position` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['position', 'createdAt'])
  sort?: string;
}

/** Whom to call in an emergency. */
export class EmergencyContactResponse {
  /** Name of the contact. */
  @Text({ max: 200 })
  name: string;

  /** Telephone number in the form of ITU-T E.164. */
  @Text({ max: 50 })
  phone: string;
}

/** A travel document without its number. */
export class TravelDocumentResponse {
  /** Kind of the document. */
  @OneOf(DOCUMENT_TYPES)
  type: DocumentType;

  /** Last two characters of the number. */
  @Text({ max: 2 })
  ending: string;

  /** Country that issued the document. */
  @CountryCode()
  issuingCountry: string;

  /** Last day on which the document is valid; null if it does not expire. */
  @IsoDate()
  expiresOn: string | null;
}

/** The evidence of a consent to the use of health data. */
export class HealthDataConsentResponse {
  /** How the consent was given. */
  @Text({ max: 200 })
  source: string;

  /** Version of the text that the traveler saw; null if unknown. */
  @Text({ max: 100 })
  textVersion: string | null;

  /** When the consent was given. */
  @Instant()
  givenAt: string;
}

/** A person of a booking. */
export class BookingTravelerResponse {
  @Id('trav')
  id: string;

  /** Booking of the traveler (prefix `book`). */
  @Id('book')
  bookingId: string;

  /** Place in the booking's list, from 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  position: number;

  /** Whether this traveler is the contact of the group. */
  @Flag()
  isLead: boolean;

  /** A cancelled traveler has no seats. */
  @OneOf(TRAVELER_STATUSES)
  status: TravelerStatus;

  /** Customer record of the traveler (prefix `cus`); null if there is none. */
  @Id('cus')
  customerId: string | null;

  /** First names; null if unknown. */
  @Text({ max: 100 })
  firstName: string | null;

  /** Last name; null for a placeholder. */
  @Text({ max: 100 })
  lastName: string | null;

  /** Date of birth; null if unknown. */
  @IsoDate()
  birthDate: string | null;

  /** Gender as in the travel document; null if unknown. */
  @OneOf(GENDERS)
  gender: Gender | null;

  /** Nationality; null if unknown. */
  @CountryCode()
  nationality: string | null;

  /** Language of the traveler; null if unknown. */
  @Text({ max: 6 })
  language: string | null;

  /** Telephone number in the form of ITU-T E.164; null if unknown. */
  @Text({ max: 50 })
  phone: string | null;

  /** E-mail address; null if unknown. */
  @EmailAddress()
  email: string | null;

  /** Whom to call in an emergency; null if unknown. */
  @Nested(() => EmergencyContactResponse)
  emergencyContact: EmergencyContactResponse | null;

  /** Travel document without its number; null if there is none. */
  @Nested(() => TravelDocumentResponse)
  document: TravelDocumentResponse | null;

  /** Dietary needs; empty if there are none. */
  @Texts(DIETARY_RULE)
  dietary: DietaryNeed[];

  /** Whether there is a health note. */
  @Flag()
  hasHealthNote: boolean;

  /** Whether there is a mobility note. */
  @Flag()
  hasMobilityNote: boolean;

  /** Consent that was sent for the traveler; null if there is none. */
  @Nested(() => HealthDataConsentResponse)
  healthDataConsent: HealthDataConsentResponse | null;

  /** Items of the booking on which the traveler has a seat (prefix `bkit`). */
  @Texts({ max: 500, maxLength: 100 })
  itemIds: string[];

  /**
   * What is required and missing: members, of which `lastName` always is and others by the products of the items, and the IDs of
   * required questions (prefix `pqst`) that are due.
   */
  @Texts({ max: 1_000, maxLength: 100 })
  missing: string[];

  /**
   * Problems on the days of the services: `age_out_of_range` (the unit is for another age) and `document_expired` (the travel document
   * expires before the last day).
   */
  @Texts({ max: 10, maxLength: 50 })
  warnings: TravelerWarning[];

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A traveler, the seats, and the members that the products require. */
export interface TravelerView {
  traveler: BookingTraveler;
  itemIds: readonly string[];
  /** Members and questions that the questions of the products require. */
  openQuestions: readonly string[];
  required: readonly string[];
  warnings: readonly TravelerWarning[];
}

export function toTraveler({
  traveler,
  itemIds,
  required,
  openQuestions,
  warnings,
}: TravelerView): BookingTravelerResponse {
  const { document } = traveler;
  return respond(BookingTravelerResponse, traveler, {
    document: document && respond(TravelDocumentResponse, document),
    hasHealthNote: traveler.healthNote !== null,
    hasMobilityNote: traveler.mobilityNote !== null,
    itemIds: [...itemIds],
    warnings: [...warnings],
    missing: traveler.status === 'cancelled' ? [] : [...new Set([...traveler.missing(required), ...openQuestions])],
  });
}

export class BookingTravelerEnvelope extends dataOf(BookingTravelerResponse) {}
export class BookingTravelerPage extends pageOf(BookingTravelerResponse) {}

/** Why staff need to see sealed data. */
export class RevealDocument {
  /**
   * Purpose, which the action ledger records.
   * @example "Check-in with the airline"
   */
  @Text({ max: 200 })
  purpose: string;
}

/** The sealed data of a traveler in plain text. A response that is repeated for an Idempotency-Key contains none of it. */
export class RevealedDocument {
  /** Number of the travel document; null if there is none, absent in a repeated response. */
  @Optional()
  @Text({ max: 50 })
  number?: string | null;

  /** Health note; null if there is none, absent in a repeated response. */
  @Optional()
  @Text({ max: MAX_NOTE })
  healthNote?: string | null;

  /** Mobility note; null if there is none, absent in a repeated response. */
  @Optional()
  @Text({ max: MAX_NOTE })
  mobilityNote?: string | null;
}

export class RevealedEnvelope extends dataOf(RevealedDocument) {}

/** Who takes the seats of an item. */
export class AssignTravelers {
  /**
   * Active travelers of the booking (prefix `trav`), at most as many as the item has seats. Seats without a traveler are guests.
   * @example ["trav_01k0dem000e000000000000001"]
   */
  @Texts({ max: MAX_TRAVELERS, maxLength: 100, unique: true })
  travelerIds: string[];
}

/** A seat of an item. */
export class SeatResponse {
  /** Number of the seat, from 1. It stays while the traveler keeps the seat. */
  @Whole({ min: 1, max: 2_147_483_647 })
  seat: number;

  /** Traveler on the seat (prefix `trav`). */
  @Id('trav')
  travelerId: string;
}

/** Who takes the seats of an item. The other seats are guests whose names are not known. */
export class ItemSeatsResponse {
  /** Item of the booking (prefix `bkit`). */
  @Id('bkit')
  itemId: string;

  /** Number of people on the item. */
  @Whole({ min: 0, max: 2_147_483_647 })
  people: number;

  /** Seats with a traveler, in the order of their numbers; the others are guests whose names are not known. */
  @ListOf(() => SeatResponse, { max: MAX_TRAVELERS })
  seats: SeatResponse[];
}

export class ItemSeatsEnvelope extends dataOf(ItemSeatsResponse) {}
