import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ResolvedEnvelope, ResolvePolicy, toResolved } from './policy-resolution.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { TermsService } from './terms.service.js';

@ApiGroup('Policies')
@Controller('/v1/admin/legal/policies/resolve')
export class PolicyResolutionController {
  constructor(private readonly terms: TermsService) {}

  /**
   * Resolve the policy that applies
   *
   * @remarks Finds the policy of a kind that applies to the given product, supplier, channel, market and organization
   * on a day, and returns it with its published version. The most specific scope takes precedence, then the highest
   * priority, then the newest assignment. `data` is null if no policy with a published version applies. `explain` lists
   * the candidates, at most 100, with the reason why each does or does not apply.
   */
  @ApiOperation({ operationId: 'policies_resolve' })
  @Get()
  @RequireScope('legal:read')
  async resolve(@Query() query: ResolvePolicy): Promise<ResolvedEnvelope> {
    return toResolved(await this.terms.resolve(query));
  }
}
