import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, Optional, Version, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_UNITS } from './allotment.dto.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';
import type { SlotView } from './slot-releases.service.js';

export class ListSlots extends PageQuery {
  /** First local day on which they start. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Last local day on which they start. */
  @Optional()
  @IsoDate()
  to?: string;
}

export class UpdateSlot {
  /** Units set aside; not below what is sold and released.
   * @example 5 */
  @Whole({ min: 0, max: MAX_UNITS })
  allotted: number;
}

/** A slot as the ledger keeps it. */
export class SlotFacts {
  @Id('alsl')
  id: string;

  @Id('alot')
  allotmentId: string;

  @Id('dep')
  departureId: string;

  @Instant()
  startsAt: string;

  /** Local day on which the departure starts. */
  @IsoDate()
  startDate: string;

  @Whole({ min: 0, max: MAX_UNITS })
  allotted: number;

  @Whole({ min: 0, max: MAX_UNITS })
  sold: number;

  @Whole({ min: 0, max: MAX_UNITS })
  released: number;

  /** allotted - sold - released: what the channel may still sell. */
  @Whole({ min: 0, max: MAX_UNITS })
  remaining: number;

  /** The departure is cancelled or out of the range. */
  @Flag()
  closed: boolean;

  /** Raised by every change that staff make; also the ETag. */
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A step of the allotment's release on one slot. */
export class SlotRelease {
  /** When it is due: by the clocks of the departure's time zone. */
  @Instant()
  dueAt: string;

  /** Units that it leaves to the channel. */
  @Whole({ min: 0, max: MAX_UNITS })
  keepQuantity: number;

  /** When it was taken; null while it is to come, and of a manual release, whose steps staff follow. */
  @Instant()
  takenAt: string | null;

  /** Units that it gave back; null while it is to come. */
  @Whole({ min: 0, max: MAX_UNITS })
  units: number | null;
}

export class SlotResponse extends SlotFacts {
  /** The steps of the allotment's release, by time; those that a closed slot no longer meets are left out. */
  @ListOf(() => SlotRelease, { max: 3 })
  releases: SlotRelease[];
}

export function toSlotFacts(slot: AllotmentSlot): SlotFacts {
  return {
    id: slot.id,
    allotmentId: slot.allotmentId,
    departureId: slot.departureId,
    startsAt: slot.startsAt.toISOString(),
    startDate: slot.startDate,
    allotted: slot.allotted,
    sold: slot.sold,
    released: slot.released,
    remaining: slot.remaining,
    closed: slot.closedAt !== null,
    version: slot.version,
    createdAt: slot.createdAt.toISOString(),
    updatedAt: slot.updatedAt.toISOString(),
  };
}

export function toSlot({ slot, releases }: SlotView): SlotResponse {
  return { ...toSlotFacts(slot), releases };
}

export class SlotEnvelope extends dataOf(SlotResponse) {}
export class SlotPage extends pageOf(SlotResponse) {}
