import { Controller, Get, Header } from '@nestjs/common';
import { Public } from '../../../platform/auth/access.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { PathPublicId } from './contract-id.js';
import { ContractsService } from './contracts.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PublicContractEnvelope, toPublicContract } from './public-contract.dto.js';

@ApiGroup('Storefront')
@Controller('/v1/public/legal/contracts')
export class PublicContractsController {
  constructor(private readonly contracts: ContractsService) {}

  /**
   * Get an issued contract as a customer
   *
   * @remarks Returns the text of a contract that was issued. The unguessable ID is the only credential needed. A draft, an
   * unknown ID and a contract whose public access was withdrawn or has ended (`publicUntil`) are not found; a void contract is
   * 410 `contract_gone`. To try it, copy an ID from the list of contracts of the staff surface, or `demo.contractId` of
   * `.data/credentials.json`. Each access is logged without the client address, and requests are rate limited.
   */
  @Get(':id')
  @Public()
  @RateLimit('public-contract')
  @Refuses({ 410: ['contract_gone'] })
  @Header('Cache-Control', 'private, no-store')
  @Header('Referrer-Policy', 'no-referrer')
  @Header('X-Robots-Tag', 'noindex')
  async get(@PathPublicId() id: string): Promise<PublicContractEnvelope> {
    return { data: toPublicContract(await this.contracts.getPublic(id)) };
  }
}
