import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Id,
  Ignored,
  ListOf,
  OneOf,
  Optional,
  Text,
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import {
  WAITING_END_REASONS,
  WAITING_STATUSES,
  type WaitingEndReason,
  type WaitingEntry,
  type WaitingStatus,
} from './waiting-entry.entity.js';

const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const MAX_UNITS = 100_000;
const MAX_SEATS = 1_000_000;
const MAX_LINES = 50;
const MAX_PRIORITY = 100;
const MAX_OFFERS = 2_147_483_647;

/** A unit of the product, and how many of it. */
export class WaitingUnitBody {
  /** Unit of the product (prefix `punt`); named at most once. */
  @Id('punt')
  unitId: string;

  /**
   * Number of units.
   * @example 2
   */
  @Whole({ min: 1, max: MAX_UNITS })
  quantity: number;
}

/** A customer who waits for units of a departure, or of the first departure of a product with enough units in a range of days. */
export class CreateWaitingEntry {
  @Ignored()
  id?: undefined;

  /** Departure to wait for (prefix `dep`); otherwise `productId`, `from` and `to` are required. */
  @Optional()
  @Id('dep')
  departureId?: string;

  /**
   * Product to wait for, on any departure from `from` to `to`.
   * @example "tour-city-walk"
   */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** First local day on which the departure may start; requires `productId`. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Last local day on which the departure may start; at most 92 days after `from`. Requires `productId`. */
  @Optional()
  @IsoDate()
  to?: string;

  /** Option of the product (prefix `popt`), with `units`; by default its default option. */
  @Clearable()
  @Id('popt')
  optionId?: string | null;

  /** Units that the customer needs together; at least one of them takes a seat. Required if the product is sold by units. */
  @Optional()
  @ListOf(() => WaitingUnitBody, { min: 1, max: MAX_LINES })
  units?: WaitingUnitBody[];

  /**
   * Number of seats that the customer needs together. Required if the product is not sold by units.
   * @example 2
   */
  @Optional()
  @Whole({ min: 1, max: MAX_UNITS })
  quantity?: number;

  /** Active customer who waits (prefix `cus`). */
  @Id('cus')
  customerId: string;

  /**
   * Entries with a higher priority come first, and of the same priority the earlier ones; 0 by default.
   * @example 10
   */
  @Optional()
  @Whole({ min: 0, max: MAX_PRIORITY })
  priority?: number;

  /**
   * Note for staff.
   * @example "Can also come alone"
   */
  @Clearable()
  @Text({ max: 2000, multiline: true })
  note?: string | null;
}

/** The fields of an entry to change. Its departure, product and customer are fixed. */
export class UpdateWaitingEntry extends patchOf(
  OmitType(CreateWaitingEntry, ['id', 'departureId', 'productId', 'from', 'to', 'customerId'] as const),
) {}

/** Why the customer no longer waits. */
export class WithdrawWaitingEntry {
  /**
   * Reason for the ledger.
   * @example "The customer has found another day"
   */
  @Optional()
  @Text({ max: 2000 })
  reason?: string;
}

export class ListWaitingEntries extends PageQuery {
  /** Only entries for this departure, or with an offer of it (prefix `dep`). */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** Only entries for this product. */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Only entries of this customer (prefix `cus`). */
  @Optional()
  @Id('cus')
  customerId?: string;

  /** Only entries in one of these statuses. */
  @Optional()
  @AnyOf(WAITING_STATUSES)
  status?: WaitingStatus[];

  /** Sort field, `-priority` by default, which is the order in which units are offered; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt', 'priority'])
  sort?: string;
}

/** A unit for which the customer waits. */
export class WaitingUnitResponse {
  /** Unit of the product (prefix `punt`). */
  @Id('punt')
  unitId: string;

  /** Number of units. */
  @Whole({ min: 1, max: MAX_UNITS })
  quantity: number;
}

/** A customer on the waiting list. */
export class WaitingEntryResponse {
  @Id('wait')
  id: string;

  /** Departure for which the customer waits (prefix `dep`); null if any departure from `from` to `to` will do. */
  @Id('dep')
  departureId: string | null;

  /** Product for which the customer waits. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** First local day on which the departure may start; null with `departureId`. */
  @IsoDate()
  from: string | null;

  /** Last local day on which the departure may start; null with `departureId`. */
  @IsoDate()
  to: string | null;

  /** Option of the product (prefix `popt`); null if it has none. */
  @Id('popt')
  optionId: string | null;

  /** Units that the customer needs together; empty if the product is not sold by units. */
  @ListOf(() => WaitingUnitResponse, { max: MAX_LINES })
  units: WaitingUnitResponse[];

  /** Number of seats of a product that is not sold by units; null otherwise. */
  @Whole({ min: 1, max: MAX_UNITS })
  quantity: number | null;

  /** Units of the departure that an offer holds. */
  @Whole({ min: 1, max: MAX_SEATS })
  seats: number;

  /** Customer who waits (prefix `cus`); null once its data was erased. */
  @Id('cus')
  customerId: string | null;

  /** Name of the customer; null once its data was erased. */
  @Text({ max: 600 })
  customerName: string | null;

  /** Entries with a higher priority come first, and of the same priority the earlier ones. */
  @Whole({ min: 0, max: MAX_PRIORITY })
  priority: number;

  /** Note for staff; null if there is none. */
  @Text({ max: 2000, multiline: true })
  note: string | null;

  /**
   * `waiting` until units that suffice are free; `offered` while units are held for the customer; `accepted` once they are booked.
   * `expired`: the offer was not accepted in time, or the departure has started or was cancelled. `withdrawn`: the customer waits no
   * longer.
   */
  @OneOf(WAITING_STATUSES)
  status: WaitingStatus;

  /** Number of offers so far. */
  @Whole({ min: 0, max: MAX_OFFERS })
  offers: number;

  /** Departure with the offered units (prefix `dep`); null unless `offered` or `accepted`. */
  @Id('dep')
  offeredDepartureId: string | null;

  /** When the present or accepted offer was made; null otherwise. */
  @Instant()
  offeredAt: string | null;

  /** End of the present offer: 24 hours after it was made, at most the end of sales; null otherwise. */
  @Instant()
  offerExpiresAt: string | null;

  /** Mail about the last offer (prefix `nmsg`); null until it is written, and if the customer has no address. */
  @Id('nmsg')
  messageId: string | null;

  /** Draft that an accepted offer has become (prefix `book`); null otherwise. */
  @Id('book')
  bookingId: string | null;

  /** Why the entry has ended without a booking; null otherwise. */
  @OneOf(WAITING_END_REASONS)
  endReason: WaitingEndReason | null;

  /** When the entry was accepted, expired or was withdrawn; null otherwise. */
  @Instant()
  endedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** An entry with the name of its customer. */
export interface WaitingEntryView {
  entry: WaitingEntry;
  customerName: string | null;
}

export function toWaitingEntry({ entry, customerName }: WaitingEntryView): WaitingEntryResponse {
  return respond(WaitingEntryResponse, entry, { customerName });
}

export class WaitingEntryEnvelope extends dataOf(WaitingEntryResponse) {}
/** A waiting entry in a list, with names beside its IDs. */
class WaitingEntryRow extends withNames(WaitingEntryResponse, 'productId', 'bookingId') {}

export class WaitingEntryPage extends pageOf(WaitingEntryRow) {}
