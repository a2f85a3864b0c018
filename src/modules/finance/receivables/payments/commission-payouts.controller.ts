import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../../platform/auth/access.js';
import { ChangeTarget } from '../../../../platform/http/if-match.js';
import { tagged } from '../../../../platform/http/response-headers.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { CommissionEnvelope, type CommissionTarget, toCommission } from '../../commissions/index.js';
import { PayCommission } from './commission-payout.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { CommissionPayoutsService } from './commission-payouts.service.js';

@ApiGroup('Commissions')
@Controller('/v1/admin/finance/booking-items/:bookingItemId/commissions')
export class CommissionPayoutsController {
  constructor(private readonly payouts: CommissionPayoutsService) {}

  /**
   * Record the payout of a commission
   *
   * @remarks Moves a `payable` commission to `paid` and records a payment of the kind `commission_payout`: sent, or received
   * for a negative line, which the recipient pays back. This call transfers no money. If the commission changes later, a
   * separate line adjusts this one. Reverse the payment if the money came back. Any other state is rejected, as is a day after
   * today or too far back.
   */
  @ApiOperation({ operationId: 'commissions_payOut' })
  @Post(':id/payout')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.commission.pay')
  @Refuses({ 409: ['invalid_transition'], 422: ['paid_on_out_of_bounds'] })
  async payOut(
    @ChangeTarget({ bookingItemId: ['bkit', 106], id: ['comm', 4] }) target: CommissionTarget,
    @Body() payout: PayCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.payouts.payOut(target, payout);
    return tagged(line, { data: toCommission(line) });
  }
}
