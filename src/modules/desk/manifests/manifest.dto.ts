import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Optional, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { AnyOf, QueryFlag } from '../../../platform/http/query-fields.js';
import { CountryCode, Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import { MAX_RESOURCE_WARNINGS, ResourceWarning } from '../../operations/index.js';
import { RESOURCE_TYPES, type ResourceType } from '../../products/index.js';

export const MANIFEST_FORMATS = named('ManifestFormat', ['json', 'csv', 'pdf']);
export const SENSITIVE_COLUMNS = ['document', 'healthNote', 'mobilityNote'] as const;
export const MANIFEST_GROUPINGS = named('ManifestGrouping', ['booking', 'option', 'pickup']);
export type ManifestGrouping = (typeof MANIFEST_GROUPINGS)[number];
const COLUMNS = named('ManifestColumn', [...SENSITIVE_COLUMNS, 'answers']);
export type ManifestColumn = (typeof COLUMNS)[number];

export const CHECK_IN_STATES = named('CheckInState', ['arrived', 'no_show', 'none']);
export type CheckInState = (typeof CHECK_IN_STATES)[number];

export const MAX_PEOPLE = 2000;
export const MAX_RESOURCES = 1_000;
const MAX_CHECK_INS = 500;

export class ManifestQuery {
  /** `json` (default); `csv`: the people as a table; `pdf`: a list to print. */
  @Optional()
  @OneOf(MANIFEST_FORMATS)
  format?: (typeof MANIFEST_FORMATS)[number];

  /** Language of the list to print; by default the language of the organization's profile. */
  @Optional()
  @OneOf(DOCUMENT_LANGUAGES)
  language?: DocumentLanguage;

  /**
   * Columns to show as well: `answers` has the answers to questions of products that are not sensitive. The others are sensitive: they
   * need the scope `customers:sensitive`, and the action ledger records who read them.
   */
  @Optional()
  @AnyOf(COLUMNS)
  columns?: ManifestColumn[];

  /**
   * What the people are listed by: `booking` (default), the `option` of the product, or the `pickup`. In each group they are sorted by
   * the time of their pickup, the last name of the booking's lead, and their position in the booking.
   */
  @Optional()
  @OneOf(MANIFEST_GROUPINGS)
  groupBy?: ManifestGrouping;

  /** Whether cancelled items are listed too; they do not count. */
  @Optional()
  @QueryFlag()
  includeCancelled?: boolean;
}

/** How many people have a dietary need. */
export class DietaryCount {
  /** Dietary need. */
  @Text({ max: 20 })
  need: string;

  /** Number of people with it. */
  @Whole({ min: 1, max: MAX_PEOPLE })
  people: number;
}

/** How many people have bought the same. */
export class UnitCount {
  /** What was sold: the title of the item. */
  @Text({ max: 255 })
  unit: string;

  /** Number of people; those of cancelled items do not count. */
  @Whole({ min: 1, max: MAX_PEOPLE })
  people: number;
}

/** A guide, a vehicle or another resource of the departure. */
export class ManifestResource {
  /** Resource (prefix `rsrc`). */
  @Id('rsrc')
  resourceId: string;

  /** Kind of the resource. */
  @OneOf(RESOURCE_TYPES)
  type: ResourceType;

  /** Name by which staff know it. */
  @Text({ max: 255 })
  name: string;

  /** What it does on the departure; null if not stated. */
  @Text({ max: 100 })
  role: string | null;
}

/** A travel document with its number. */
export class ManifestDocument {
  /** Kind of the document. */
  @Text({ max: 20 })
  type: string;

  /** Number of the document. */
  @Text({ max: 50 })
  number: string;

  /** Country that issued the document. */
  @CountryCode()
  issuingCountry: string;

  /** Last day on which the document is valid; null if it does not expire. */
  @IsoDate()
  expiresOn: string | null;
}

/** Whom to call in an emergency. */
export class ManifestContact {
  /** Name of the contact. */
  @Text({ max: 200 })
  name: string;

  /** Telephone number. */
  @Text({ max: 50 })
  phone: string;
}

/** Whether a person has arrived. */
export class CheckInResponse {
  /** `none` until the person is checked in. */
  @OneOf(CHECK_IN_STATES)
  state: CheckInState;

  /** ID of the user, or of the API token, who set the state; null for `none`. */
  @Text({ max: 200 })
  changedBy: string | null;

  /** When the state was set; null for `none`. */
  @Instant()
  changedAt: string | null;
}

/** An answer to a question of a product. */
export class ManifestAnswer {
  /** The question as it was asked. */
  @Text({ max: 255 })
  label: string;

  /** The answer as text. */
  @Texts({ min: 1, max: 50, maxLength: 2000 })
  values: string[];
}

/** Where and when a person is picked up. */
export class ManifestPickup {
  /** Facility of the pickup (prefix `fac`); null if only the note says where it is. */
  @Id('fac')
  facilityId: string | null;

  /** Name of the facility; null without one. */
  @Text({ max: 255 })
  facilityName: string | null;

  /** Time in the time zone of the departure, as `YYYY-MM-DD HH:MM`; null if the departure has none for the facility. */
  @Text({ max: 16 })
  localTime: string | null;

  /** What the driver needs to know; null if there is nothing. */
  @Text({ max: 500 })
  note: string | null;
}

/** People who follow each other in the list. */
export class ManifestGroup {
  /** Number of the booking, name of the option, or time and name of the pickup; null for people without one. */
  @Text({ max: 300 })
  label: string | null;

  /** Number of people in the list. */
  @Whole({ min: 1, max: MAX_PEOPLE })
  people: number;
}

/** One person of a departure. */
export class ManifestPerson {
  /** Booking of the person (prefix `book`). */
  @Id('book')
  bookingId: string;

  /** Number under which the customer knows the booking. */
  @Text({ max: 40 })
  bookingNumber: string;

  /** Whether the booking is a draft, which takes seats too. */
  @Flag()
  isProvisional: boolean;

  /** Whether the item is cancelled; such people do not count. */
  @Flag()
  isCancelled: boolean;

  /** Item that takes the seat (prefix `bkit`). */
  @Id('bkit')
  itemId: string;

  /** Number of the seat on the item, from 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  seat: number;

  /** Traveler on the seat (prefix `trav`); null for a guest whose name is not known. */
  @Id('trav')
  travelerId: string | null;

  /** Name of the traveler, or `Guest 2 of 4` with the number of people that the booking has on the departure. */
  @Text({ max: 201 })
  name: string;

  /** Name of the customer who booked. */
  @Text({ max: 255 })
  customerName: string;

  /** What was sold: the title of the item. */
  @Text({ max: 255 })
  unit: string;

  /** Name of the option that was sold; null without one. */
  @Text({ max: 255 })
  option: string | null;

  /** Where and when the person is picked up; null if the booking does not say. */
  @Nested(() => ManifestPickup)
  pickup: ManifestPickup | null;

  /** Age in years on the day of the departure; null if the date of birth is not known. */
  @Whole({ min: 0, max: 400 })
  age: number | null;

  /** Telephone number of the traveler, otherwise of the customer; null if neither is known. */
  @Text({ max: 50 })
  phone: string | null;

  /** Language of the traveler, otherwise of the customer; null if neither is known. */
  @Text({ max: 6 })
  language: string | null;

  /** Dietary needs; empty if none are known. */
  @Texts({ max: 8, maxLength: 20 })
  dietary: string[];

  /** Whom to call in an emergency; null if unknown. */
  @Nested(() => ManifestContact)
  emergencyContact: ManifestContact | null;

  /** Titles of the other services that the booking has, such as rented equipment; other seats on the departure are not among them. */
  @Texts({ max: 500, maxLength: 255 })
  otherServices: string[];

  /** Whether the customer still has to pay something for the booking. */
  @Flag()
  isBalanceDue: boolean;

  /** Open amount of the booking's installments; absent without the scope `finance:receivables`. */
  @Optional()
  @Cents()
  balanceDueCents?: number;

  /** Whether the person has arrived. */
  @Nested(() => CheckInResponse)
  checkIn: CheckInResponse;

  /** Travel document; only if `columns` asks for it. */
  @Optional()
  @Nested(() => ManifestDocument)
  document?: ManifestDocument | null;

  /** Health note; only if `columns` asks for it. */
  @Optional()
  @Text({ max: 1000 })
  healthNote?: string | null;

  /** Mobility note; only if `columns` asks for it. */
  @Optional()
  @Text({ max: 1000 })
  mobilityNote?: string | null;

  /** Answers for the person, its booking and its item that are not sensitive; only if `columns` asks for it. */
  @Optional()
  @ListOf(() => ManifestAnswer, { max: 1_000 })
  answers?: ManifestAnswer[];
}

/** The people of a departure. */
export class ManifestResponse {
  @Id('dep')
  departureId: string;

  /** Product of the departure. */
  @Text({ max: 128 })
  productId: string;

  /** Name of the product; null without a record of it. */
  @Text({ max: 255 })
  productName: string | null;

  /** Start of the departure. */
  @Instant()
  startsAt: string;

  /** End of the departure. */
  @Instant()
  endsAt: string;

  /** Time zone of the departure. */
  @TimeZone()
  timeZone: string;

  /** Start in the time zone of the departure, as `YYYY-MM-DD HH:MM`. */
  @Text({ max: 16 })
  localStart: string;

  /** Name of the meeting point; null if there is none. */
  @Text({ max: 255 })
  meetingPoint: string | null;

  /** Units that can be sold. */
  @Whole({ min: 0, max: 2_147_483_647 })
  capacity: number;

  /** Units that bookings have. A person may take several, or none. */
  @Whole({ min: 0, max: 2_147_483_647 })
  sold: number;

  /** Units that trips hold. */
  @Whole({ min: 0, max: 2_147_483_647 })
  held: number;

  /** People who have arrived. */
  @Whole({ min: 0, max: MAX_PEOPLE })
  arrived: number;

  /** People who did not come. */
  @Whole({ min: 0, max: MAX_PEOPLE })
  noShow: number;

  /** Dietary needs with the number of people, sorted by need. */
  @ListOf(() => DietaryCount, { max: 8 })
  dietary: DietaryCount[];

  /** People by what they have bought, sorted by its title. */
  @ListOf(() => UnitCount, { max: MAX_PEOPLE })
  units: UnitCount[];

  /** Guides, vehicles and other resources of the departure, by their start. */
  @ListOf(() => ManifestResource, { max: MAX_RESOURCES })
  resources: ManifestResource[];

  /** Unmet needs, vehicles that are too small, and expired documents; empty if the resources are in order. */
  @ListOf(() => ResourceWarning, { max: MAX_RESOURCE_WARNINGS })
  resourceWarnings: ResourceWarning[];

  /** When the manifest was read. */
  @Instant()
  generatedAt: string;

  /** What the people are listed by. */
  @OneOf(MANIFEST_GROUPINGS)
  groupBy: ManifestGrouping;

  /** The groups in the order of `people`. */
  @ListOf(() => ManifestGroup, { max: MAX_PEOPLE })
  groups: ManifestGroup[];

  /** One entry per person, by group; in each sorted by the time of the pickup and the last name of the booking's lead. */
  @ListOf(() => ManifestPerson, { max: MAX_PEOPLE })
  people: ManifestPerson[];
}

export class ManifestEnvelope extends dataOf(ManifestResponse) {}

/** A seat of a guest whose name is not known. */
export class SeatReference {
  /** Item that takes the seat (prefix `bkit`). */
  @Id('bkit')
  itemId: string;

  /** Number of the seat on the item, from 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  seat: number;
}

/** People whose arrival is recorded. */
export class CheckIn {
  /** `arrived`, `no_show`, or `none` to remove the state. */
  @OneOf(CHECK_IN_STATES)
  state: CheckInState;

  /**
   * Travelers of the departure (prefix `trav`), on all their seats.
   * @example ["trav_01k0dem000e000000000000001"]
   */
  @Optional()
  @Texts({ max: MAX_CHECK_INS, maxLength: 100, unique: true })
  travelerIds?: string[];

  /** Seats of the departure, also those of guests whose names are not known. */
  @Optional()
  @ListOf(() => SeatReference, { max: MAX_CHECK_INS })
  seats?: SeatReference[];
}

/** The arrivals of a departure after a check-in. */
export class CheckInSummary {
  /** People who have arrived. */
  @Whole({ min: 0, max: MAX_PEOPLE })
  arrived: number;

  /** People who did not come. */
  @Whole({ min: 0, max: MAX_PEOPLE })
  noShow: number;

  /** People without a check-in. */
  @Whole({ min: 0, max: MAX_PEOPLE })
  open: number;
}

export class CheckInEnvelope extends dataOf(CheckInSummary) {}
