import { dataOf, pageOf } from '../../../platform/http/dto.js';
import { Flag, Id, ListOf, Nested, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_UNITS, PRODUCT_ID } from './allotment.dto.js';
import { ALLOTMENT_TYPES, type AllotmentType } from './allotment.entity.js';
import type { AllotmentView } from './allotment-rows.service.js';
import { RELEASE_MODES, type ReleaseMode, UNSOLD_ACTIONS, type UnsoldAction } from './release-rule.js';

export class ReleaseStepResponse {
  @Whole({ min: 0, max: 3650 })
  daysBefore: number;

  @Whole({ min: 0, max: 8760 })
  hoursBefore: number;

  @Whole({ min: 0, max: MAX_UNITS })
  keepQuantity: number;
}

export class ReleaseResponse {
  @OneOf(RELEASE_MODES)
  mode: ReleaseMode;

  @ListOf(() => ReleaseStepResponse, { min: 1, max: 3 })
  steps: ReleaseStepResponse[];

  @OneOf(UNSOLD_ACTIONS)
  unsoldAction: UnsoldAction;
}

export class AllotmentResponse {
  @Id('alot')
  id: string;

  @Id('chan')
  channelId: string;

  @Text({ max: 128, pattern: PRODUCT_ID })
  productId: string;

  @OneOf(ALLOTMENT_TYPES)
  type: AllotmentType;

  @IsoDate()
  validFrom: string;

  @IsoDate()
  validTo: string | null;

  /** Units of each new slot. */
  @Whole({ min: 0, max: MAX_UNITS })
  defaultQuantity: number;

  @Flag()
  active: boolean;

  @Nested(() => ReleaseResponse)
  release: ReleaseResponse | null;

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

export class AllotmentDeleted {
  /** @example true */
  @Flag()
  success: boolean;
}

export class ReleasedUnits {
  @Id('alot')
  allotmentId: string;

  /** What became of them. */
  @OneOf(UNSOLD_ACTIONS)
  unsoldAction: UnsoldAction;

  /** Units that were given back, of all slots together. */
  @Whole({ min: 0, max: Number.MAX_SAFE_INTEGER })
  units: number;

  /** On how many departures. */
  @Whole({ min: 0, max: MAX_UNITS })
  slots: number;
}

export class ReleasedEnvelope extends dataOf(ReleasedUnits) {}
