import { Cents, Clearable, Flag, Id, OneOf, Optional, Text, Whole } from '../../../platform/http/fields.js';
import { patchOf } from '../../../platform/http/dto.js';
import { IsoDate } from '../../../platform/http/trade-fields.js';
import { COMPONENT_KINDS, type ComponentKind } from './component.entity.js';
import { OmitType } from '@nestjs/swagger';

/** The longest reference that any provider gives its products. */
const MAX_REF = 200;

export class CreateComponent {
  /** `catalog_booking` is a departure of ours, `external_order` a provider's service, `manual_placeholder` what staff arrange.
   * @example "catalog_booking" */
  @OneOf(COMPONENT_KINDS)
  kind: ComponentKind;

  /** @example "Danube delta by boat" */
  @Text({ max: 255 })
  title: string;

  /** 1 unless given.
   * @example 2 */
  @Optional()
  @Whole({ min: 1, max: 1_000_000 })
  quantity?: number;

  /** Of a `catalog_booking`, and of no other.
   * @example "dep_01k0dem000e000000000000001" */
  @Optional()
  @Id('dep')
  departureId?: string;

  /** Of an `external_order`, and of no other: the service's name with its provider. */
  @Optional()
  @Text({ max: MAX_REF })
  providerRef?: string;

  /** Of a `manual_placeholder`, and of no other: the price of one, tax included. Without it, it cannot be priced. */
  @Optional()
  @Cents()
  unitPriceCents?: number;

  /** Of a `manual_placeholder` with a price: the tax that the price of one includes; 0 unless given. */
  @Optional()
  @Cents()
  unitTaxIncludedCents?: number;

  /** Of a `manual_placeholder`: staff have arranged it. Nothing is reserved before that. */
  @Optional()
  @Flag()
  confirmedByStaff?: boolean;

  /** Of a `manual_placeholder`: the local date on which it is delivered. That of others comes from their provider. */
  @Optional()
  @IsoDate()
  serviceDate?: string;
}

/** Without `kind`: another kind is another component. */
export class UpdateComponent extends patchOf(OmitType(CreateComponent, ['kind', 'serviceDate'] as const)) {
  /** Of a `manual_placeholder`; null clears it. */
  @Clearable()
  @IsoDate()
  serviceDate?: string | null;
}
