import { Cents, Clearable, Flag, Id, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { patchOf } from '../../../platform/http/dto.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { COMPONENT_KINDS, type ComponentKind } from './component.entity.js';
import { OmitType } from '@nestjs/swagger';

/** The longest reference that any provider gives its products. */
const MAX_REF = 200;

/** A new component of a trip. Which members are required or rejected depends on `kind`. */
export class CreateComponent {
  /**
   * `catalog_booking`: units of a departure; `external_order`: a service of an external provider;
   * `manual_placeholder`: arranged by staff.
   * @example "catalog_booking"
   */
  @OneOf(COMPONENT_KINDS)
  kind: ComponentKind;

  /**
   * What the customer reads; the title of the booking item.
   * @example "Danube delta by boat"
   */
  @Text({ max: 255 })
  title: string;

  /**
   * Number of units; 1 by default.
   * @example 2
   */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /**
   * Departure to sell (prefix `dep`). Required for `catalog_booking`, rejected for other kinds.
   * @example "dep_01k0dem000e000000000000001"
   */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** Identifier of the service at its provider. Required for `external_order`, rejected for other kinds. */
  @Optional()
  @Text({ max: MAX_REF })
  providerRef?: string;

  /**
   * Price of one unit with tax, in minor units of the trip currency. Only for `manual_placeholder`, which cannot be
   * priced without it.
   */
  @Optional()
  @Cents()
  unitPriceCents?: number;

  /** Tax included in `unitPriceCents`, in minor units; 0 by default. Only for a `manual_placeholder` with a price. */
  @Optional()
  @Cents()
  unitTaxIncludedCents?: number;

  /**
   * Whether staff have arranged the service; false by default. Only for `manual_placeholder`, which cannot be
   * reserved without it.
   */
  @Optional()
  @Flag()
  confirmedByStaff?: boolean;

  /** Local date of delivery. Only for `manual_placeholder`; for other kinds the provider determines it. */
  @Optional()
  @IsoDate()
  serviceDate?: string;
}

/** The fields of a component to change. `kind` is fixed: add another component for another kind. */
export class UpdateComponent extends patchOf(OmitType(CreateComponent, ['kind', 'serviceDate'] as const)) {
  /** Local date of delivery of a `manual_placeholder`; null clears it. */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;
}
