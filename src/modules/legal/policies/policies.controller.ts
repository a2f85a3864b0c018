import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { PoliciesService } from './policies.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { CreatePolicy, ListPolicies, PolicyEnvelope, PolicyPage, toPolicy, UpdatePolicy } from './policy.dto.js';

const PATH = '/v1/admin/legal/policies';

@ApiGroup('Policies', {
  position: 180,
  description: 'Staff: cancellation, payment and other terms, their versions, and what they are assigned to.',
})
@Controller(PATH)
export class PoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  /**
   * Create a policy
   *
   * @remarks Creates a policy without text. Add the text as a version, and an assignment to make the policy apply. The slug is
   * derived from the name if it is not sent; the slug of another policy is rejected.
   */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.policy.create', { irreversible: 'Versions may depend on it, so a policy stays: retire its versions' })
  @Refuses({ 409: ['policy_slug_taken'] })
  async create(@Body() body: CreatePolicy): Promise<PolicyEnvelope> {
    const view = await this.policies.create(body);
    return created(`${PATH}/${view.policy.id}`, view.policy, { data: toPolicy(view) });
  }

  /**
   * List policies
   *
   * @remarks Returns a page of policies, newest first unless `sort` is given. `search` matches part of the name or the
   * slug, ignoring case.
   */
  @Get()
  @RequireScope('legal:read')
  async list(@Query() query: ListPolicies): Promise<PolicyPage> {
    const { views, total } = await this.policies.list(query);
    return { data: views.map(toPolicy), total, ...pageBounds(query) };
  }

  /**
   * Get a policy
   *
   * @remarks Returns the policy with the ID of its published version, but without the text. The text is read from the
   * version.
   */
  @Get(':id')
  @RequireScope('legal:read')
  async get(@PathId('pol') id: string): Promise<PolicyEnvelope> {
    const view = await this.policies.get(id);
    return tagged(view.policy, { data: toPolicy(view) });
  }

  /**
   * Update a policy
   *
   * @remarks Changes only the fields that are sent. The kind cannot be changed. To change the text, publish a new version. The
   * slug of another policy is rejected.
   */
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
