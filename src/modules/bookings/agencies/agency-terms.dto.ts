import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Clearable, Id, Nested, Version } from '../../../platform/http/fields.js';
import { CurrencyCode, Instant } from '../../../platform/http/trade-fields.js';
import { PaymentPolicyBody, PaymentPolicyResponse, toPolicy } from '../payment-policies/payment-policy.dto.js';
import type { AgencyTerms } from './agency-terms.entity.js';

/**
 * Replaces all terms. A member that is omitted or null is cleared: without `creditLimitCents`, the credit of the customer is not
 * limited.
 */
export class ReplaceAgencyTerms {
  /**
   * Channel (prefix `chan`) of new bookings of the customer; must not be archived. The contract of the channel sets the
   * commission.
   * @example "chan_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('chan')
  channelId?: string | null;

  /** Payment policy of new bookings of the customer, such as everything 30 days after the booking or before the departure. */
  @Clearable()
  @Nested(() => PaymentPolicyBody)
  paymentPolicy?: PaymentPolicyBody | null;

  /**
   * What the customer may owe for confirmed bookings, in minor units of `creditCurrency`. Send both or neither.
   * @example 500000
   */
  @Clearable()
  @Cents()
  creditLimitCents?: number | null;

  /**
   * ISO 4217 code for the credit limit. In another currency the customer has no credit.
   * @example "EUR"
   */
  @Clearable()
  @CurrencyCode()
  creditCurrency?: string | null;
}

/** The terms on which a company books for others. */
export class AgencyTermsResponse {
  /** Customer (prefix `cus`) with these terms. */
  @Id('cus')
  customerId: string;

  /** Channel of new bookings (prefix `chan`); null if they are direct sales unless they name one. */
  @Id('chan')
  channelId: string | null;

  /** Payment policy of new bookings; null if the organization's policy applies. */
  @Nested(() => PaymentPolicyResponse)
  paymentPolicy: PaymentPolicyResponse | null;

  /** What the customer may owe for confirmed bookings, in minor units of `creditCurrency`; null if there is no limit. */
  @Cents()
  creditLimitCents: number | null;

  /** ISO 4217 code for the credit limit; null without one. */
  @CurrencyCode()
  creditCurrency: string | null;

  /** Version of the terms, 1 before the first ones. It is also the ETag; If-Match is compared with it. */
  @Version()
  version: number;

  /** When the terms were replaced; null before the first ones. */
  @Instant()
  updatedAt: string | null;
}

export class AgencyTermsEnvelope extends dataOf(AgencyTermsResponse) {}

export function toAgencyTerms(customerId: string, terms: AgencyTerms | null): AgencyTermsResponse {
  const { channelId = null, creditLimitCents = null, creditCurrency = null, version = 1 } = terms ?? {};
  return {
    ...{ customerId, channelId, creditLimitCents, creditCurrency, version },
    paymentPolicy: terms?.paymentPolicy ? toPolicy(terms.paymentPolicy) : null,
    updatedAt: terms?.updatedAt.toISOString() ?? null,
  };
}
