import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, OneOf, Optional, Version, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { SortBy, FormerName } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { MAX_UNITS } from './allotment.dto.js';
import type { SlotView } from './allotment-slot.entity.js';
import { remainingOf, UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

export class ListSlots extends PageQuery {
  /** Only the slot of this departure. */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** Only slots of departures that start on this local day or later. */
  @FormerName('from')
  @Optional()
  @IsoDate()
  startFrom?: string;

  /** Only slots of departures that start on this local day or earlier. */
  @FormerName('to')
  @Optional()
  @IsoDate()
  startTo?: string;

  /** Sort field, `startsAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['startsAt', 'createdAt'])
  sort?: string;
}

/** New number of units of one departure. */
export class UpdateSlot {
  /**
   * Units allotted to the channel; not below sold, held and released units together.
   * @example 5
   */
  @Whole({ min: 0, max: MAX_UNITS })
  allotted: number;
}

/** One step of the release rule, computed for this slot. */
export class SlotRelease {
  /** When the step is due, computed in the time zone of the departure. */
  @Instant()
  dueAt: string;

  /** Number of unsold units that the step leaves to the channel. */
  @Whole({ min: 0, max: MAX_UNITS })
  keepQuantity: number;

  /** When the step was executed; null while pending, and always for a manual rule. */
  @Instant()
  takenAt: string | null;

  /** Number of units that the step released; null while pending. */
  @Whole({ min: 0, max: MAX_UNITS })
  units: number | null;
}

/** One departure's share of an allotment. */
export class SlotResponse {
  @Id('alsl')
  id: string;

  @Id('alot')
  allotmentId: string;

  @Id('dep')
  departureId: string;

  /** When the departure starts (RFC 3339, UTC). */
  @Instant()
  startsAt: string;

  /** Local day on which the departure starts. */
  @IsoDate()
  startDate: string;

  /** Units allotted to the channel, including sold, held, released and suspended ones. */
  @Whole({ min: 0, max: MAX_UNITS })
  allotted: number;

  /** Units sold through the allotment. */
  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  /** Units held by reserved trips. */
  @Whole({ min: 0, max: MAX_UNITS })
  held: number;

  /** Units released from the channel without being sold. */
  @Whole({ min: 0, max: MAX_UNITS })
  released: number;

  /** Released units that went back to the supplier. */
  @Whole({ min: 0, max: MAX_UNITS })
  expired: number;

  /** Units that cannot be sold because the slot is closed; they return when it is opened again. */
  @Whole({ min: 0, max: MAX_UNITS })
  suspended: number;

  /** `allotted` - `sold` - `held` - `released` - `suspended`: units that the channel can still sell. */
  @Whole({ min: 0, max: MAX_UNITS })
  remaining: number;

  /** True if the departure is cancelled or not within the validity. */
  @Flag()
  closed: boolean;

  /** Increases with every change made by staff, not with sales. It is also the ETag; If-Match is compared with it. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;

  /** Steps of the release rule by time; steps that a closed slot no longer reaches are omitted. */
  @ListOf(() => SlotRelease, { max: 3 })
  releases: SlotRelease[];
}

export function toSlot({ slot, releases }: SlotView): SlotResponse {
  return respond(SlotResponse, slot, { remaining: remainingOf(slot), closed: slot.closedAt !== null, releases });
}

export class SlotEnvelope extends dataOf(SlotResponse) {}
export class SlotPage extends pageOf(SlotResponse) {}

/** Units released on one slot. */
export class ReleasedSlot {
  /** Slot that the units were released from (prefix `alsl`). */
  @Id('alsl')
  slotId: string;

  /** Departure of the slot (prefix `dep`). */
  @Id('dep')
  departureId: string;

  /** Number of units released. */
  @Whole({ min: 0, max: MAX_UNITS })
  units: number;
}

/** Units released by a release or a deletion, as stored in the action ledger. */
export class RecordedRelease {
  /** Released units per slot. */
  @ListOf(() => ReleasedSlot, { max: MAX_UNITS })
  slots: ReleasedSlot[];

  /** Outcome for the units; absent for a deletion, which returns them to the general pool. */
  @Optional()
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction?: UnsoldAction;
}

/** Units reclaimed on slots, as stored in the action ledger. */
export class RecordedReclaim {
  /** Reclaimed units per slot. */
  @ListOf(() => ReleasedSlot, { max: MAX_UNITS })
  slots: ReleasedSlot[];

  /** Whether the units came from the supplier, which raised the capacity. */
  @Flag()
  fromSupplier: boolean;
}
