import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import {
  ATTENTION_CODES,
  type AttentionCode,
  type Resolution,
  RESOLUTIONS,
  STAFF_RESOLUTIONS,
  type StaffResolution,
  type TripAttention,
} from './trip-attention.entity.js';

/** The action of staff that resolves an attention of a trip. */
export class ResolveAttention {
  /**
   * `confirmed_outside`: the provider has confirmed the order; `cancelled_outside`: the provider no longer has an order;
   * `replaced`: another service replaces it; `written_off`: staff do nothing more.
   * @example "cancelled_outside"
   */
  @OneOf(STAFF_RESOLUTIONS)
  resolution: StaffResolution;

  /**
   * Stored with the attention and the action ledger entry.
   * @example "Cancelled on the phone, confirmation number 4711"
   */
  @Optional()
  @Text({ max: 2000, multiline: true })
  note?: string;
}

export class ListTripAttentions extends PageQuery {
  /** Sort field, `-raisedAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['raisedAt'])
  sort?: string;
}

/** An issue with an order at an external provider that staff must check. */
export class TripAttentionResponse {
  /** ID of the attention, a TypeID with the prefix `tatt`. */
  @Id('tatt')
  attentionId: string;

  /**
   * `provider_outcome_unknown`: a hold that the provider never reported; `provider_order_live`: a confirmed order of an
   * ended reservation; `release_failed`, `cancellation_failed`: the provider has not released the hold or not cancelled
   * the order; `confirmation_refused`, `confirmation_unknown`: the provider has rejected the confirmation or never
   * answered; `order_not_reinstated`: the booking item was reinstated, but the order at the provider has ended.
   */
  @OneOf(ATTENTION_CODES)
  code: AttentionCode;

  /** The component concerned (prefix `tcmp`). */
  @Id('tcmp')
  componentId: string;

  /** The step of the reservation concerned (prefix `tstp`). */
  @Id('tstp')
  stepId: string;

  @Instant()
  raisedAt: string;

  /** When the attention was resolved; null while it is open. */
  @Instant()
  resolvedAt: string | null;

  /** Resolution of the attention; `settled` means by the provider's response. Null while it is open. */
  @OneOf(RESOLUTIONS)
  resolution: Resolution | null;

  /** Note of staff; null if there is none. */
  @Text({ max: 2000 })
  note: string | null;
}

export class TripAttentionEnvelope extends dataOf(TripAttentionResponse) {}
export class TripAttentionPage extends pageOf(TripAttentionResponse) {}

export function toAttention(attention: TripAttention): TripAttentionResponse {
  return respond(TripAttentionResponse, attention, { attentionId: attention.id });
}
