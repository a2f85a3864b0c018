import { dataOf } from '../../../../platform/http/dto.js';
import { Version } from '../../../../platform/http/fields.js';
import { respond } from '../../../../platform/http/respond.js';
import { Instant } from '../../../../platform/http/trade-fields.js';
import { type PaymentPolicy, PaymentPolicyResponse } from '../../../bookings/index.js';
import type { OrganizationPolicy } from './payment-policy.entity.js';

/** Payment policy of the organization, which applies to bookings without their own. */
export class OrganizationPolicyResponse extends PaymentPolicyResponse {
  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** Returns only the terms, as stored with a plan. */
export function toPolicyTerms(policy: PaymentPolicy): PaymentPolicy {
  return {
    steps: policy.steps.map((step) => ({
      label: step.label,
      type: step.type,
      percentBasisPoints: step.percentBasisPoints,
      fixedCents: step.fixedCents,
      remainder: step.remainder,
      anchor: step.anchor,
      offsetDays: step.offsetDays,
    })),
    minimumDays: policy.minimumDays,
    floorDays: policy.floorDays,
    noDateDays: policy.noDateDays,
    roundToCents: policy.roundToCents,
  };
}

export function toPolicyResponse(policy: PaymentPolicy): PaymentPolicyResponse {
  const { steps, ...terms } = toPolicyTerms(policy);
  return { steps: [...steps], ...terms };
}

export function toOrganizationPolicy(policy: OrganizationPolicy): OrganizationPolicyResponse {
  return respond(OrganizationPolicyResponse, policy, { ...toPolicyResponse(policy) });
}

export class OrganizationPolicyEnvelope extends dataOf(OrganizationPolicyResponse) {}
