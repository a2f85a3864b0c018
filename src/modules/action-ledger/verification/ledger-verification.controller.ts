import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ExpensiveRead, LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { Env } from '../../../platform/config/env.js';
import { toVerification, VerificationEnvelope, VerifyLedger } from './ledger-verification.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { LedgerVerificationService } from './ledger-verification.service.js';

@ApiGroup('Action ledger')
@Controller('/v1/admin/action-ledger/verify')
export class LedgerVerificationController {
  constructor(
    private readonly verification: LedgerVerificationService,
    private readonly env: Env,
  ) {}

  /**
   * Verify the action ledger
   *
   * @remarks Recomputes the hash chains and reports whether an entry was changed, removed or inserted, with the first
   * break of each chain. Verification stops after half the request deadline; continue with `fromChain` set to
   * `nextChain` until it is null.
   */
  @ApiOperation({ operationId: 'ledger_verify' })
  @Get()
  @RequireScope('action-ledger:read')
  @ExpensiveRead()
  @LimitOperation({ name: 'ledger-verification', maxConcurrent: 2 })
  async verify(@Query() { chain, fromChain }: VerifyLedger): Promise<VerificationEnvelope> {
    const chains = chain === undefined ? { from: fromChain ?? 0 } : { from: chain, to: chain };
    const verification = await this.verification.verify({ ...chains, withinMs: this.env.requestDeadlineMs / 2 });
    return { data: toVerification(verification) };
  }
}
