import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, Optional, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_UNITS } from './allotment.dto.js';
import type { AllotmentSlot } from './allotment-slot.entity.js';

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

export class SlotResponse {
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
  @Whole({ min: 1, max: 2_147_483_647 })
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toSlot(slot: AllotmentSlot): SlotResponse {
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

export class SlotEnvelope extends dataOf(SlotResponse) {}
export class SlotPage extends pageOf(SlotResponse) {}
