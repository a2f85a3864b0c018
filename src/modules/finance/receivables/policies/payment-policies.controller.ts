import { Body, Controller, Get, Put } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { tagged } from '../../../../platform/http/response-headers.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../../platform/http/route-errors.js';
import { PaymentPolicyBody } from '../../../bookings/index.js';
import { PaymentPoliciesService } from './payment-policies.service.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { OrganizationPolicyEnvelope, toOrganizationPolicy } from './payment-policy.dto.js';

@ApiGroup('Payment schedules')
@Controller('/v1/admin/finance/payment-policy')
export class PaymentPoliciesController {
  constructor(private readonly policies: PaymentPoliciesService) {}

  /**
   * Get the payment policy of the organization
   *
   * @remarks Returns the policy for bookings without their own. It is not found until one has been configured.
   */
  @Get()
  @RequireScope('finance:read')
  async get(): Promise<OrganizationPolicyEnvelope> {
    const policy = await this.policies.get();
    return tagged(policy, { data: toOrganizationPolicy(policy) });
  }

  /**
   * Replace the payment policy of the organization
   *
   * @remarks Stores the whole policy; omitted optional members get their defaults. It applies to plans computed from now on;
   * existing plans do not change. Without If-Match the first call creates the policy; with If-Match it must exist. The
   * percentages must not exceed 10000 basis points in total and exactly one step must take the remainder.
   */
  @Put()
  @RequireScope('finance:write')
  @Mutates('finance.payment_policy.replace')
  @BodyExample({
    steps: [
      { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 },
      { label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30 },
    ],
    minimumDays: 45,
    floorDays: 3,
  })
  @Refuses({ 422: ['invalid_payment_policy'] })
  async replace(
    @Body() body: PaymentPolicyBody,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<OrganizationPolicyEnvelope> {
    const policy = await this.policies.replace(body, expected);
    return tagged(policy, { data: toOrganizationPolicy(policy) });
  }
}
