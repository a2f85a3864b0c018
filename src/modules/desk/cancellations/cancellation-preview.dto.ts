import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Id, ListOf, Nested, OneOf, Optional, Texts, Whole } from '../../../platform/http/fields.js';
import { AnyIds } from '../../../platform/http/query-fields.js';
import { CurrencyCode, IsoDate } from '../../../platform/http/trade-fields.js';
import { CANCELLATION_INITIATORS, CANCELLATION_OUTCOMES, type CancellationForecast } from '../../bookings/index.js';
import { CancellationFeeLine, SettlementPreview } from '../../finance/index.js';

const MAX_ITEMS = 50;

export class CancellationPreviewQuery {
  /** Items to cancel (prefix `bkit`), separated by commas; the whole booking by default. Each is cancelled today, by the customer. */
  @Optional()
  @AnyIds('bkit', MAX_ITEMS)
  itemIds?: string[];

  /** Day on which the cancellation is declared, which decides the fee; between the confirmation and today (default). */
  @Optional()
  @IsoDate()
  cancelledOn?: string;

  /** Party that ends the sale, `customer` by default. */
  @Optional()
  @OneOf(CANCELLATION_INITIATORS)
  initiator?: CancellationForecast['initiator'];
}

/** Units of a departure that become free. */
export class FreedUnitsResponse {
  @Id('dep')
  departureId: string;

  /** Number of units. */
  @Whole({ min: 0, max: 2_147_483_647 })
  units: number;
}

/** What a cancellation would do now. Amounts are in minor units of `currency`. */
class CancellationPreviewResponse {
  @Id('book')
  bookingId: string;

  /** Currency of the booking, ISO 4217. */
  @CurrencyCode()
  currency: string;

  /** Day of the cancellation. */
  @IsoDate()
  cancelledOn: string;

  /** Party that ends the sale. */
  @OneOf(CANCELLATION_INITIATORS)
  initiator: CancellationForecast['initiator'];

  /** Items that would be cancelled (prefix `bkit`). */
  @Texts({ max: 1000, maxLength: 100 })
  itemIds: string[];

  /** Price of these items. */
  @Cents()
  totalCents: number;

  /** Fee by the terms of the confirmation; null if staff must decide it. */
  @Cents()
  feeCents: number | null;

  /** Computation of the fee. */
  @ListOf(() => CancellationFeeLine, { max: 4000 })
  lines: CancellationFeeLine[];

  /** `no_cancellation_terms`: no cancellation policy applies to some of the items, or the booking is a draft. */
  @Texts({ max: 10, maxLength: 50 })
  warnings: string[];

  /** Whether the terms refund money beyond the fee or keep it as a credit. */
  @OneOf(CANCELLATION_OUTCOMES)
  outcome: CancellationForecast['outcome'];

  /** What settling would do; null with `itemIds`, and without the scope `finance:receivables`. */
  @Nested(() => SettlementPreview)
  settlement: SettlementPreview | null;

  /** Units that become free, by departure. */
  @ListOf(() => FreedUnitsResponse, { max: 1000 })
  freed: FreedUnitsResponse[];
}

export class CancellationPreviewEnvelope extends dataOf(CancellationPreviewResponse) {}
