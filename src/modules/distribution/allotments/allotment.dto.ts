import { PickType } from '@nestjs/swagger';
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
  Version,
  Whole,
} from '../../../platform/http/fields.js';
import { QueryFlag, SortBy, FormerName } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { withNames } from '../../../platform/http/row-names.js';
import { SHORTAGE_RULES, type ShortageRule, SlotWarning } from '../../operations/index.js';
import { ALLOTMENT_TYPES, type AllotmentType, type AllotmentView } from './allotment.entity.js';
import { RELEASE_MODES, type ReleaseMode, UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const MAX_UNITS = 1_000_000;

/** One step at which unsold units are released. */
export class ReleaseStepBody {
  /**
   * Calendar days before the departure starts, in the time zone of the departure.
   * @example 14
   */
  @Whole({ min: 0, max: 3650 })
  daysBefore: number;

  /**
   * Additional hours before the departure, 0 by default; days and hours are added.
   * @example 12
   */
  @Optional()
  @Whole({ min: 0, max: 8760 })
  hoursBefore?: number;

  /**
   * Number of unsold units that the channel keeps; 0 by default.
   * @example 2
   */
  @Optional()
  @Whole({ min: 0, max: MAX_UNITS })
  keepQuantity?: number;
}

/** When and how unsold units are released. */
export class ReleaseBody {
  /**
   * `automatic`: a server job executes the steps; `manual`: staff release, and the steps determine how many units the
   * channel keeps.
   * @example "automatic"
   */
  @OneOf(RELEASE_MODES)
  mode: ReleaseMode;

  /** One to three steps. */
  @ListOf(() => ReleaseStepBody, { min: 1, max: 3 })
  steps: ReleaseStepBody[];

  /**
   * `release_to_general_pool` (default) returns units to the pool, `expire` reduces the departure's capacity,
   * `retain` releases nothing.
   * @example "release_to_general_pool"
   */
  @Optional()
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction?: UnsoldAction;

  /**
   * Whether an executed step is repeated if its departure moves and the step is due in the future again. Its units then return
   * to the channel as far as the pool has them. True by default.
   * @example true
   */
  @Optional()
  @Flag()
  reclaimOnMove?: boolean;
}

/** The fields of an allotment that staff set. */
class AllotmentFields {
  /**
   * Channel that may sell the units (prefix `chan`); must not be archived.
   * @example "chan_01k0dem000e000000000000002"
   */
  @Id('chan')
  channelId: string;

  /**
   * Product whose departures are covered: its document ID in the catalog.
   * @example "prod_01k0dem000e000000000000001"
   */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /**
   * `guaranteed` (default): units are taken out of the pool; `cap`: units stay in the pool and the allotment is only
   * an upper limit.
   * @example "guaranteed"
   */
  @Optional()
  @OneOf(ALLOTMENT_TYPES)
  type?: AllotmentType;

  /**
   * First local start date of departures covered.
   * @example "2031-05-01"
   */
  @IsoDate()
  validFrom: string;

  /**
   * Last local start date of departures covered, not before `validFrom`; null: no end.
   * @example "2031-09-30"
   */
  @Clearable()
  @IsoDate()
  validTo?: string | null;

  /**
   * Units of each new slot; existing slots are changed individually.
   * @example 6
   */
  @Whole({ min: 0, max: MAX_UNITS })
  defaultQuantity: number;

  /**
   * Whether it sells and gets slots on new departures; true by default. An inactive allotment keeps its units.
   * @example true
   */
  @Optional()
  @Flag()
  active?: boolean;

  /** When unsold units are released; null means only on request. */
  @Clearable()
  @Nested(() => ReleaseBody)
  release?: ReleaseBody | null;

  /**
   * Internal notes of staff. An empty string means null.
   * @example "Agreed with Petra in March"
   */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  notes?: string | null;
}

/** Units of a product's departures reserved for a channel. */
export class CreateAllotment extends AllotmentFields {
  @Ignored()
  id?: string;
}

/** The fields to change. Channel, product, type and start of validity are fixed. */
export class UpdateAllotment extends patchOf(
  PickType(AllotmentFields, ['validTo', 'defaultQuantity', 'active', 'release', 'notes'] as const),
) {}

export class UpdateAllotmentQuery {
  /**
   * If an opened slot needs more units than the pool has, `reject` (default) rejects the change, and `reduce` reduces the slot
   * and records the missing units as released.
   */
  @Optional()
  @OneOf(SHORTAGE_RULES)
  onShortage?: ShortageRule;
}

export class ListAllotments extends PageQuery {
  /** Only allotments of this channel (prefix `chan`). */
  @Optional()
  @Id('chan')
  channelId?: string;

  /** Only allotments of this product. */
  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Only allotments valid on this day or later. */
  @FormerName('from')
  @Optional()
  @IsoDate()
  validFrom?: string;

  /** Only allotments valid on this day or earlier. */
  @FormerName('to')
  @Optional()
  @IsoDate()
  validTo?: string;

  /** Only active (true) or only inactive (false) allotments. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'validFrom'])
  sort?: string;
}

/** One step at which unsold units are released. */
export class ReleaseStepResponse {
  /** Calendar days before the departure starts, in the time zone of the departure. */
  @Whole({ min: 0, max: 3650 })
  daysBefore: number;

  /** Additional hours before the departure; days and hours are added. */
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

  /**
   * Whether an executed step is repeated, and its units return, if its departure moves and the step is due in the future again.
   */
  @Flag()
  reclaimOnMove: boolean;
}

/** Units of a product's departures reserved for a channel; each departure has its own slot. */
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

  /** When unsold units are released; null means only on request. */
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
  return respond(AllotmentResponse, allotment, { release });
}

export class AllotmentEnvelope extends dataOf(AllotmentResponse) {}
/** An allotment in a list, with names beside its IDs. */
class AllotmentRow extends withNames(AllotmentResponse, 'productId', 'channelId') {}

export class AllotmentPage extends pageOf(AllotmentRow) {}

/** A changed allotment, with warnings about side effects of the change. */
export class AllotmentChangeEnvelope extends dataOf(AllotmentResponse) {
  /** One entry for each slot that was opened with fewer units than it had; usually empty. */
  @ListOf(() => SlotWarning, { max: MAX_UNITS })
  warnings: SlotWarning[];
}
