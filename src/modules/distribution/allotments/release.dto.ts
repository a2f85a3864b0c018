import { dataOf } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Optional, Texts, Whole } from '../../../platform/http/fields.js';
import { MAX_UNITS } from './allotment.dto.js';
import { UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

/** Which departures to release. The body may be omitted. */
export class ReleaseAllotment {
  /** Only this departure (prefix `dep`); all future departures by default. */
  @Optional()
  @Id('dep')
  departureId?: string;
}

/** Which released units to return to the channel. Exactly one of `departureId` and `slotIds` is required. */
export class ReclaimBody {
  /**
   * The slot on this departure (prefix `dep`).
   * @example "dep_01k0dem000e000000000000001"
   */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** These slots (prefix `alsl`). */
  @Optional()
  @Texts({ min: 1, max: 200, maxLength: 31, pattern: /^alsl_[0-7][0-9a-hjkmnp-tv-z]{25}$/, unique: true })
  slotIds?: string[];

  /**
   * Units to reclaim on each slot; all that can be reclaimed by default.
   * @example 2
   */
  @Optional()
  @Whole({ min: 1, max: MAX_UNITS })
  units?: number;

  /**
   * Whether the units come from the supplier: only units that expired, and the capacity rises. False by default: from
   * the pool, without expired units.
   * @example false
   */
  @Optional()
  @Flag()
  fromSupplier?: boolean;
}

/** Result of a release by request. */
export class ReleasedUnits {
  @Id('alot')
  allotmentId: string;

  /** Type of the movement of units. */
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

/** Result of a reclaim. */
export class ReclaimedUnits {
  @Id('alot')
  allotmentId: string;

  /** Number of units reclaimed on all slots together. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  units: number;

  /** Number of departures on which units were reclaimed. */
  @Whole({ min: 0, max: MAX_UNITS })
  slots: number;
}

export class ReclaimedEnvelope extends dataOf(ReclaimedUnits) {}
