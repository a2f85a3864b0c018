import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import { Policies } from './policies.service.js';
import { CreatePolicy, ListPolicies, PolicyEnvelope, PolicyPage, toPolicy, UpdatePolicy } from './policy.dto.js';

const PATH = '/v1/admin/legal/policies';

@ApiTags('Policies')
@Controller(PATH)
export class PoliciesController {
  constructor(private readonly policies: Policies) {}

  /** Creates a policy, without a text yet */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.policy.create')
  @Refuses({ 409: ['policy_slug_taken'] })
  async create(@Body() body: CreatePolicy): Promise<PolicyEnvelope> {
    const view = await this.policies.create(body);
    return created(`${PATH}/${view.policy.id}`, view.policy, { data: toPolicy(view) });
  }

  /** Lists policies, newest first */
  @Get()
  @RequireScope('legal:read')
  async list(@Query() query: ListPolicies): Promise<PolicyPage> {
    const { views, total } = await this.policies.list(query);
    return { data: views.map(toPolicy), total, ...pageBounds(query) };
  }

  /** Reads a policy */
  @Get(':id')
  @RequireScope('legal:read')
  async get(@PathId('pol') id: string): Promise<PolicyEnvelope> {
    const view = await this.policies.get(id);
    return tagged(view.policy, { data: toPolicy(view) });
  }

  /** Changes what a policy is called; what it says stands in its versions */
  @Patch(':id')
  @RequireScope('legal:write')
  @Mutates('legal.policy.update')
  @BodyExample({ name: 'Cancellation of river cruises' })
  @Refuses({ 409: ['policy_slug_taken'] })
  async update(
    @PathId('pol', 'id', 2) id: string,
    @Body() body: UpdatePolicy,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PolicyEnvelope> {
    const view = await this.policies.update(id, body, expected);
    return tagged(view.policy, { data: toPolicy(view) });
  }
}
