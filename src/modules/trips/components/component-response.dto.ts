import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, OneOf, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import {
  COMPONENT_KINDS,
  COMPONENT_STATUSES,
  type ComponentKind,
  type ComponentStatus,
  type TripComponent,
} from './component.entity.js';

export class TripComponentResponse {
  @Id('tcmp')
  componentId: string;

  /** Its place among the trip's components; a removed one's stays empty. */
  @Whole({ min: 0, max: 2_147_483_647 })
  position: number;

  @OneOf(COMPONENT_KINDS)
  kind: ComponentKind;

  @Text({ max: 255 })
  title: string;

  @Whole({ min: 1, max: 1_000_000 })
  quantity: number;

  @OneOf(COMPONENT_STATUSES)
  status: ComponentStatus;

  @Id('dep')
  departureId: string | null;

  @Text({ max: 200 })
  providerRef: string | null;

  @Cents()
  unitPriceCents: number | null;

  @Cents()
  unitTaxIncludedCents: number | null;

  @Flag()
  confirmedByStaff: boolean;

  @IsoDate()
  serviceDate: string | null;

  @CurrencyCode()
  currency: string;

  /** For the whole quantity, without tax; null until it was priced. */
  @Cents()
  subtotalCents: number | null;

  @Cents()
  taxCents: number | null;

  /** subtotalCents and taxCents. */
  @Cents()
  totalCents: number | null;

  @Instant()
  priceExpiresAt: string | null;

  @Instant()
  holdExpiresAt: string | null;

  /** The item of the trip's booking that it became. */
  @Id('bkit')
  bookingItemId: string | null;

  /** Why it is unavailable. */
  @Texts({ max: 10, maxLength: 500 })
  warnings: string[];

  /** Also the ETag of its own routes. */
  @Version()
  version: number;
}

export function toComponent(component: TripComponent): TripComponentResponse {
  return {
    componentId: component.id,
    position: component.position,
    kind: component.kind,
    title: component.title,
    quantity: component.quantity,
    status: component.status,
    departureId: component.departureId,
    providerRef: component.providerRef,
    unitPriceCents: component.unitPriceCents,
    unitTaxIncludedCents: component.unitTaxIncludedCents,
    confirmedByStaff: component.confirmedByStaff,
    serviceDate: component.serviceDate,
    currency: component.currency,
    subtotalCents: component.subtotalCents,
    taxCents: component.taxCents,
    totalCents: component.totalCents,
    priceExpiresAt: component.priceExpiresAt?.toISOString() ?? null,
    holdExpiresAt: component.holdExpiresAt?.toISOString() ?? null,
    bookingItemId: component.bookingItemId,
    warnings: component.warnings,
    version: component.version,
  };
}

export class TripComponentEnvelope extends dataOf(TripComponentResponse) {}
