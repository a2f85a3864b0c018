import { Controller, Get, Query } from '@nestjs/common';
import { RequireScope } from '../../platform/auth/access.js';
import { toVerification, VerificationEnvelope, VerifyLedger } from './ledger-verification.dto.js';
import { LedgerVerification } from './ledger-verification.service.js';

@Controller('/v1/admin/action-ledger/verify')
export class LedgerVerificationController {
  constructor(private readonly verification: LedgerVerification) {}

  /** Proves that no entry was changed, removed or slipped in, or names the first broken one of each chain */
  @Get()
  @RequireScope('action-ledger:read')
  async verify(@Query() { chain }: VerifyLedger): Promise<VerificationEnvelope> {
    const verification = await this.verification.verify(chain);
    return { data: toVerification(verification) };
  }
}
