import { Body, Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { respond } from '../../../platform/http/respond.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { RedeemVoucher, RedemptionEnvelope, RedemptionResponse } from './voucher.dto.js';
import { type Redemption, VouchersService } from './vouchers.service.js';

@ApiGroup('Departures')
@Controller('/v1/admin/operations/redemptions')
export class RedemptionsController {
  constructor(
    private readonly vouchers: VouchersService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Redeem a voucher
   *
   * @remarks Admits the people of a voucher and checks them in on the departure of its item, once: of several requests at once, one
   * is accepted, and every later one is rejected with the time of the redemption. With `departureId` a voucher for another departure
   * is rejected. After 60 unknown codes, a caller can try 30 per minute.
   */
  @Post()
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.voucher.redeem')
  @BodyExample({ code: '0000-0000-0004-R' })
  @Refuses({
    404: ['not_found'],
    409: ['already_redeemed', 'voucher_other_departure', 'voucher_void'],
    422: ['manifest_too_large'],
  })
  async redeem(@Body() { code, departureId }: RedeemVoucher): Promise<RedemptionEnvelope> {
    const redemption = await this.limits.takeIfFailed('unknown-vouchers', currentActor().principal, {
      work: () => this.vouchers.redeem(code, departureId ?? null),
      isFailure: isNotFound,
    });
    return tagged(redemption.voucher, { data: toRedemption(redemption) });
  }

  /**
   * Delete a redemption
   *
   * @remarks Reverses a mistaken redemption, and returns it with `redeemedAt` null. The voucher can be redeemed again, and its people are
   * no longer checked in. `If-Match` takes the version of the voucher.
   */
  @Delete(':voucherId')
  @RequireScope('operations:delete')
  @Mutates('operations.voucher.reopen', { irreversible: 'The people may not be there: redeem the voucher again' })
  @Refuses({ 404: ['not_found'], 409: ['invalid_transition'] })
  async delete(
    @PathId('vchr', 'voucherId', 5) voucherId: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<RedemptionEnvelope> {
    const redemption = await this.vouchers.reopen(voucherId, expected);
    return tagged(redemption.voucher, { data: toRedemption(redemption) });
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.status === 404;
}

function toRedemption({ voucher, admission: { departureId, people } }: Redemption): RedemptionResponse {
  return respond(RedemptionResponse, voucher, { voucherId: voucher.id, departureId, people });
}
