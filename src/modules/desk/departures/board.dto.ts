import { PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { AnyOf, QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { Instant, IsoDate, TimeZone } from '../../../platform/http/trade-fields.js';
import { RESOURCE_WARNINGS, RUN_STATES, type RunState, SALES_STATES, type SalesState } from '../../operations/index.js';

const MAX_UNITS = 1_000_000;
const MAX_CHANNELS = 500;

const BOARD_SORTS = ['startsAt'] as const;

export const BOARD_ATTENTION = extensible('DepartureAttention', [
  'minimum_not_reached',
  'travelers_incomplete',
  'payment_overdue',
  ...RESOURCE_WARNINGS,
]);
export type BoardAttentionCode = (typeof BOARD_ATTENTION)[number];

export class ListBoard extends PageQuery {
  /** First local day; today by default. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Last local day, inclusive, at most 61 days after `from`; six days after it by default. */
  @Optional()
  @IsoDate()
  to?: string;

  /** Only departures of this product. */
  @Optional()
  @Text({ max: 128 })
  productId?: string;

  /** Only departures for which this channel (prefix `chan`) has an allotment. Needs the scope `distribution:read`. */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Only departures in one of these sales states. */
  @Optional()
  @AnyOf(SALES_STATES)
  salesState?: SalesState[];

  /** Only departures whose product name or product ID contains each of these words, in any order, ignoring case and accents. */
  @Optional()
  @Text({ max: 100 })
  search?: string;

  /** If true, only departures that have not ended and lack resources that their product needs; if false, only the others. */
  @Optional()
  @QueryFlag()
  understaffed?: boolean;

  /** Sort field, `startsAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(BOARD_SORTS)
  sort?: string;
}

/** The units of a departure that a channel has. */
export class BoardChannel {
  /** Channel with the allotment (prefix `chan`). */
  @Id('chan')
  channelId: string;

  /** Name of the channel. */
  @Text({ max: 255 })
  name: string;

  /** Units of its allotment. */
  @Whole({ min: 0, max: MAX_UNITS })
  allotted: number;

  /** Units sold from its allotment; sales of the channel from the pool do not count. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  /** Units that the channel can still sell from its allotment. */
  @Whole({ min: 0, max: MAX_UNITS })
  remaining: number;
}

/** Something about a departure that needs the attention of staff. */
export class BoardAttention {
  /**
   * `minimum_not_reached`: the decision whether it runs is due; `travelers_incomplete`: a confirmed booking lacks travelers, or data
   * of travelers that the product requires; `payment_overdue`: a booking has an overdue installment (only with the scope `finance:receivables`);
   * `understaffed`, `vehicle_too_small`, `document_expired`: something is wrong with the resources of the departure.
   */
  @OneOf(BOARD_ATTENTION)
  code: BoardAttentionCode;
}

/** A departure as the desk sees it. */
export class BoardDeparture {
  /** ID of the departure (prefix `dep`). */
  @Id('dep')
  id: string;

  /** Product that is operated. */
  @Text({ max: 128 })
  productId: string;

  /** Name of the product, or of its document in the catalog if there is no record; null without both. */
  @Text({ max: 500 })
  productName: string | null;

  /** Start of the departure. */
  @Instant()
  startsAt: string;

  /** End of the departure. */
  @Instant()
  endsAt: string;

  /** IANA zone of the local times. */
  @TimeZone()
  timeZone: string;

  /**
   * Local start, as `YYYY-MM-DD HH:MM`.
   * @example "2027-05-12 08:00"
   */
  @Text({ max: 16 })
  localStart: string;

  /**
   * Local end, as `YYYY-MM-DD HH:MM`.
   * @example "2027-05-12 17:30"
   */
  @Text({ max: 16 })
  localEnd: string;

  /** Whether the departure is on sale, and if not, why. */
  @OneOf(SALES_STATES)
  salesState: SalesState;

  /** Whether the departure certainly runs. */
  @OneOf(RUN_STATES)
  runState: RunState;

  /** Units in total. */
  @Whole({ min: 0, max: MAX_UNITS })
  capacity: number;

  /** Units sold. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  /** Units held by trips. */
  @Whole({ min: 0, max: MAX_UNITS })
  held: number;

  /** Units of the pool that anybody can still buy; guaranteed units of channels are not among them. */
  @Whole({ min: 0, max: MAX_UNITS })
  free: number;

  /** People on the manifest: those of drafts, which have seats too, and of confirmed bookings. */
  @Whole({ min: 0, max: MAX_UNITS })
  people: number;

  /** People of confirmed bookings; only they count towards the minimum. */
  @Whole({ min: 0, max: MAX_UNITS })
  confirmedPeople: number;

  /** People below which staff decide whether the departure runs; null without a minimum. */
  @Whole({ min: 1, max: MAX_UNITS })
  minParticipants: number | null;

  /** Channels with an allotment, by name; null without the scope `distribution:read`. */
  @ListOf(() => BoardChannel, { max: MAX_CHANNELS })
  channels: BoardChannel[] | null;

  /** What needs the attention of staff; empty if nothing does. */
  @ListOf(() => BoardAttention, { max: BOARD_ATTENTION.length })
  attention: BoardAttention[];
}

export class BoardPage extends pageOf(BoardDeparture) {}
