import { PickType } from '@nestjs/swagger';
import { PageQuery, patchOf } from '../../../platform/http/dto.js';
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
  Whole,
} from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { ALLOTMENT_TYPES, type AllotmentType } from './allotment.entity.js';
import { RELEASE_MODES, type ReleaseMode, UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

export const PRODUCT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const MAX_UNITS = 1_000_000;

export class ReleaseStepBody {
  /** Calendar days before the departure's local start.
   * @example 14 */
  @Whole({ min: 0, max: 3650 })
  daysBefore: number;

  /** Elapsed hours before that; days and hours add. 0 unless given.
   * @example 12 */
  @Optional()
  @Whole({ min: 0, max: 8760 })
  hoursBefore?: number;

  /** Units that the channel keeps; 0 unless given.
   * @example 2 */
  @Optional()
  @Whole({ min: 0, max: MAX_UNITS })
  keepQuantity?: number;
}

export class ReleaseBody {
  /** The job follows the steps of an automatic one; those of a manual one say what
   * staff's releases leave to the channel.
   * @example "automatic" */
  @OneOf(RELEASE_MODES)
  mode: ReleaseMode;

  @ListOf(() => ReleaseStepBody, { min: 1, max: 3 })
  steps: ReleaseStepBody[];

  /** `release_to_general_pool` unless given; `expire` gives units back to the supplier, `retain` moves none.
   * @example "release_to_general_pool" */
  @Optional()
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction?: UnsoldAction;
}

/** What an allotment is made of. */
class AllotmentFields {
  /** The channel that may sell the units; not an archived one.
   * @example "chan_01k0dem000e000000000000002" */
  @Id('chan')
  channelId: string;

  /** The catalog's document id.
   * @example "tour-danube-delta" */
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  /** `guaranteed` unless given: taken out of the pool. Of a `cap` the units stay there, and it is only a ceiling.
   * @example "guaranteed" */
  @Optional()
  @OneOf(ALLOTMENT_TYPES)
  type?: AllotmentType;

  /** First local day on which departures start.
   * @example "2031-05-01" */
  @IsoDate()
  validFrom: string;

  /** Last local day on which departures start, not before validFrom; null: all to come.
   * @example "2031-09-30" */
  @Clearable()
  @IsoDate()
  validTo?: string | null;

  /** Units of each new slot.
   * @example 6 */
  @Whole({ min: 0, max: MAX_UNITS })
  defaultQuantity: number;

  /** Sells, and gets slots of new departures; true unless given. One that is not active keeps its units.
   * @example true */
  @Optional()
  @Flag()
  active?: boolean;

  /** When unsold units are given back; null: when staff do. */
  @Clearable()
  @Nested(() => ReleaseBody)
  release?: ReleaseBody | null;

  /** @example "Agreed with Petra in March" */
  @Clearable()
  @Text({ max: 2000, multiline: true, emptyIsNull: true })
  notes?: string | null;
}

export class CreateAllotment extends AllotmentFields {
  @Ignored()
  id?: string;
}

/** Whose units these are, of what and from when on is fixed. */
export class UpdateAllotment extends patchOf(
  PickType(AllotmentFields, ['validTo', 'defaultQuantity', 'active', 'release', 'notes'] as const),
) {}

export class ListAllotments extends PageQuery {
  @Optional()
  @Id('chan')
  channelId?: string;

  @Optional()
  @Text({ max: 128, pattern: PRODUCT_ID })
  productId?: string;

  /** Valid on this day or later. */
  @Optional()
  @IsoDate()
  from?: string;

  /** Valid on this day or earlier. */
  @Optional()
  @IsoDate()
  to?: string;

  @Optional()
  @QueryFlag()
  active?: boolean;

  /** `-createdAt`, newest first, unless given. */
  @Optional()
  @SortBy(['createdAt', 'validFrom'])
  sort?: string;
}

/** May be left out as a whole. */
export class ReleaseAllotment {
  /** Of this departure alone; of all to come unless given. */
  @Optional()
  @Id('dep')
  departureId?: string;
}
