import { PickType } from '@nestjs/swagger';
import { dataOf } from '../../../platform/http/dto.js';
import { Clearable, Id, ListOf, OneOf, Optional, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { named } from '../../../platform/http/named-values.js';
import { Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import { MANIFEST_FORMATS, ManifestPerson, MAX_PEOPLE } from '../manifests/manifest.dto.js';

export const ROOM_TYPES = named('RoomType', ['single', 'double', 'twin', 'triple', 'quad', 'family', 'dorm']);
export type RoomType = (typeof ROOM_TYPES)[number];

const MAX_ROOMS = 500;
const MAX_CAPACITY = 100;
/** From the first to the last night of all rooms of a departure. */
export const MAX_NIGHTS = 90;

class RoomFields {
  /** First night in the room. */
  @IsoDate()
  from: string;

  /** Day of leaving the room: the night before it is the last one. */
  @IsoDate()
  to: string;

  /** Kind of the room, which also gives its capacity unless `family` or `dorm`. */
  @OneOf(ROOM_TYPES)
  type: RoomType;
}

/** A room of a departure with its people. */
export class RoomBody extends RoomFields {
  /** Facility that has the room; it must not be archived. */
  @Clearable()
  @Id('fac')
  facilityId?: string | null;

  /** People who can sleep in the room; by default those of the type. Required for `family` and `dorm`. */
  @Optional()
  @Whole({ min: 1, max: MAX_CAPACITY })
  capacity?: number;

  /** Name or number of the room. */
  @Clearable()
  @Text({ max: 100 })
  label?: string | null;

  /** Note for the facility, such as `Baby cot`. */
  @Clearable()
  @Text({ max: 500, multiline: true })
  note?: string | null;

  /** Travelers with a seat on the departure (prefix `trav`) who sleep in the room on all its nights. */
  @Optional()
  @Texts({ max: MAX_CAPACITY, maxLength: 100, unique: true })
  travelerIds?: string[];
}

/** All rooms of a departure; those that are missing are deleted. */
export class ReplaceRooming {
  /** The whole list; rooms that it does not contain are deleted. */
  @ListOf(() => RoomBody, { max: MAX_ROOMS })
  rooms: RoomBody[];
}

/** A room as it is stored. */
export class RoomResponse extends RoomFields {
  /** Facility that has the room (prefix `fac`); null if it is not known. */
  @Id('fac')
  facilityId: string | null;

  /** People who can sleep in the room. */
  @Whole({ min: 1, max: MAX_CAPACITY })
  capacity: number;

  /** Name or number of the room; null until it is known. */
  @Text({ max: 100 })
  label: string | null;

  /** Note for the facility; null if there is none. */
  @Text({ max: 500, multiline: true })
  note: string | null;

  /** Travelers in the room (prefix `trav`). Those who lose their seat on the departure leave it. */
  @Texts({ max: MAX_CAPACITY, maxLength: 100, unique: true })
  travelerIds: string[];
}

/** The rooms of a departure. */
export class RoomingResponse {
  @Id('dep')
  departureId: string;

  /** The rooms in the order in which they were written. */
  @ListOf(() => RoomResponse, { max: MAX_ROOMS })
  rooms: RoomResponse[];

  @Version()
  version: number;

  /** When the rooms last changed; null if none were ever written. */
  @Instant()
  updatedAt: string | null;
}

export class RoomingEnvelope extends dataOf(RoomingResponse) {}

export class RoomingListQuery {
  /** `json` (default); `csv`: one row per person, and one per empty room; `pdf`: a list to print. */
  @Optional()
  @OneOf(MANIFEST_FORMATS)
  format?: (typeof MANIFEST_FORMATS)[number];

  /** Language of the list to print; by default the language of the organization's profile. */
  @Optional()
  @OneOf(DOCUMENT_LANGUAGES)
  language?: DocumentLanguage;
}

/** A person of a rooming list. */
export class RoomingPerson extends PickType(ManifestPerson, [
  'bookingId',
  'bookingNumber',
  'isProvisional',
  'travelerId',
  'name',
  'customerName',
  'unit',
  'age',
]) {}

/** A room of a rooming list, with its people instead of their IDs. */
export class RoomingListRoom extends PickType(RoomResponse, [
  'facilityId',
  'from',
  'to',
  'type',
  'capacity',
  'label',
  'note',
]) {
  /** Name of the facility; null if the facility is not known. */
  @Text({ max: 255 })
  facilityName: string | null;

  /** People in the room; empty for a room without people. */
  @ListOf(() => RoomingPerson, { max: MAX_CAPACITY })
  people: RoomingPerson[];
}

/** The rooms of one type that are taken for one night. */
export class RoomingTotal {
  /** Night that begins on this day. */
  @IsoDate()
  night: string;

  /** Type of the rooms that are counted. */
  @OneOf(ROOM_TYPES)
  type: RoomType;

  /** Number of rooms of the type. */
  @Whole({ min: 1, max: MAX_ROOMS })
  rooms: number;

  /** People who can sleep in these rooms. */
  @Whole({ min: 1, max: MAX_ROOMS * MAX_CAPACITY })
  capacity: number;

  /** People who sleep in these rooms. */
  @Whole({ min: 0, max: MAX_PEOPLE })
  people: number;
}

/** The people of a departure by room. */
export class RoomingListResponse {
  @Id('dep')
  departureId: string;

  /** Product that the departure sells. */
  @Text({ max: 128 })
  productId: string;

  /** Name of the product; null without a record of it. */
  @Text({ max: 255 })
  productName: string | null;

  /** Start of the departure. */
  @Instant()
  startsAt: string;

  /** Time zone of the departure. */
  @TimeZone()
  timeZone: string;

  /** Start in the time zone of the departure, as `YYYY-MM-DD HH:MM`. */
  @Text({ max: 16 })
  localStart: string;

  /** When the list was read. */
  @Instant()
  generatedAt: string;

  /** People without a room, including guests whose names are not known, in the order of the manifest. */
  @ListOf(() => RoomingPerson, { max: MAX_PEOPLE })
  withoutRoom: RoomingPerson[];

  /** The rooms in the order in which they were written. */
  @ListOf(() => RoomingListRoom, { max: MAX_ROOMS })
  rooms: RoomingListRoom[];

  /** Totals per night and type of room, sorted by both. */
  @ListOf(() => RoomingTotal, { max: MAX_NIGHTS * ROOM_TYPES.length })
  totals: RoomingTotal[];
}

export class RoomingListEnvelope extends dataOf(RoomingListResponse) {}
