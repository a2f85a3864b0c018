import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, Nested, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_UNITS, PRODUCT_ID } from './allotment.dto.js';
import { ALLOTMENT_TYPES, type AllotmentType } from './allotment.entity.js';
import type { AllotmentView } from './allotment-rows.service.js';
import { RELEASE_MODES, type ReleaseMode, UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

/** One step at which unsold units are released. */
export class ReleaseStepResponse {
  /** Calendar days before the departure starts, in the time zone of the departure. */
  @Whole({ min: 0, max: 3650 })
  daysBefore: number;

  /** Additional hours before that; days and hours are added. */
  @Whole({ min: 0, max: 8760 })
  hoursBefore: number;

  /** Number of unsold units that the channel keeps. */
  @Whole({ min: 0, max: MAX_UNITS })
  keepQuantity: number;
}

/** When and how unsold units are released. */
export class ReleaseResponse {
  /**
   * `automatic`: a server job executes the steps; `manual`: staff release, and the steps determine how many units the
   * channel keeps.
   */
  @OneOf(RELEASE_MODES)
  mode: ReleaseMode;

  /** One to three steps as they were sent. */
  @ListOf(() => ReleaseStepResponse, { min: 1, max: 3 })
  steps: ReleaseStepResponse[];

  /**
   * `release_to_general_pool` returns units to the pool, `expire` reduces the departure's capacity, `retain` releases
   * nothing.
   */
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction: UnsoldAction;
}

/** Units of a product's departures reserved for a channel; each departure has a slot of its own. */
export class AllotmentResponse {
  @Id('alot')
  id: string;

  /** Channel that may sell the units (prefix `chan`). */
  @Id('chan')
  channelId: string;

  /** Product whose departures are covered: its document ID in the catalog. */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /**
   * `guaranteed`: units are taken out of the pool; `cap`: units stay in the pool and the allotment is only an upper
   * limit.
   */
  @OneOf(ALLOTMENT_TYPES)
  type: AllotmentType;

  /** First local start date of departures covered. */
  @IsoDate()
  validFrom: string;

  /** Last local start date of departures covered; null: no end. */
  @IsoDate()
  validTo: string | null;

  /** Units of each new slot. */
  @Whole({ min: 0, max: MAX_UNITS })
  defaultQuantity: number;

  /** Whether it sells and gets slots on new departures. */
  @Flag()
  active: boolean;

  /** When unsold units are released; null: only by request. */
  @Nested(() => ReleaseResponse)
  release: ReleaseResponse | null;

  /** Internal notes of staff; null if there are none. */
  @Text({ max: 2000 })
  notes: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toAllotment({ allotment, release }: AllotmentView): AllotmentResponse {
  return {
    id: allotment.id,
    channelId: allotment.channelId,
    productId: allotment.productId,
    type: allotment.type,
    validFrom: allotment.validFrom,
    validTo: allotment.validTo,
    defaultQuantity: allotment.defaultQuantity,
    active: allotment.active,
    release,
    notes: allotment.notes,
    version: allotment.version,
    createdAt: allotment.createdAt.toISOString(),
    updatedAt: allotment.updatedAt.toISOString(),
  };
}

export class AllotmentEnvelope extends dataOf(AllotmentResponse) {}
export class AllotmentPage extends pageOf(AllotmentResponse) {}

/** Result of a release by request. */
export class ReleasedUnits {
  @Id('alot')
  allotmentId: string;

  /** What happened to the units. */
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction: UnsoldAction;

  /** Number of units released on all slots together. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  units: number;

  /** Number of departures on which units were released. */
  @Whole({ min: 0, max: MAX_UNITS })
  slots: number;
}

export class ReleasedEnvelope extends dataOf(ReleasedUnits) {}
