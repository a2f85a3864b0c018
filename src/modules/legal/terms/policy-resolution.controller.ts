import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ResolvedEnvelope, ResolvePolicy, toResolved } from './policy-resolution.dto.js';
import { PolicyResolution } from './policy-resolution.service.js';

@ApiTags('Policies')
@Controller('/v1/admin/legal/policies/resolve')
export class PolicyResolutionController {
  constructor(private readonly resolution: PolicyResolution) {}

  /** Says which policy of a kind applies, and why the others do not */
  @Get()
  @RequireScope('legal:read')
  async resolve(@Query() query: ResolvePolicy): Promise<ResolvedEnvelope> {
    return toResolved(await this.resolution.resolve(query));
  }
}
