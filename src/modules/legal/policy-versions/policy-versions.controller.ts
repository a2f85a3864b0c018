import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import {
  CreatePolicyVersion,
  ListPolicyVersions,
  PolicyVersionEnvelope,
  PolicyVersionPage,
  toVersion,
  toVersionSummary,
  UpdatePolicyVersion,
} from './policy-version.dto.js';
import type { VersionPath } from './policy-versions.repository.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PolicyVersionsService } from './policy-versions.service.js';

const PATH = '/v1/admin/legal/policies';

@ApiGroup('Policies')
@Controller(`${PATH}/:id/versions`)
export class PolicyVersionsController {
  constructor(private readonly versions: PolicyVersionsService) {}

  /**
   * Create a draft version of a policy
   *
   * @remarks Adds a draft with the next number of the policy. It has no effect until it is published. Contradictory rules are
   * rejected: a rule without the value that its type needs, an amount without currency, an end before the start, or a duplicate
   * position.
   */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.policy_version.create', { irreversible: 'A version keeps its number: change or retire it' })
  async create(@PathId('pol') policyId: string, @Body() body: CreatePolicyVersion): Promise<PolicyVersionEnvelope> {
    const view = await this.versions.create(policyId, body);
    return created(`${PATH}/${policyId}/versions/${view.version.id}`, view.version, { data: toVersion(view) });
  }

  /**
   * List the versions of a policy
   *
   * @remarks Returns a page of versions, newest first, without their text and rules. Get a single version to read them.
   */
  @Get()
  @RequireScope('legal:read')
  async list(@PathId('pol') policyId: string, @Query() query: ListPolicyVersions): Promise<PolicyVersionPage> {
    const { versions, total } = await this.versions.list(policyId, query);
    return { data: versions.map(toVersionSummary), total, ...pageBounds(query) };
  }

  /**
   * Get a version of a policy
   *
   * @remarks Returns the version with its text and rules.
   */
  @Get(':versionId')
  @RequireScope('legal:read')
  async get(
    @PathId('pol') policyId: string,
    @PathId('polv', 'versionId') versionId: string,
  ): Promise<PolicyVersionEnvelope> {
    const view = await this.versions.get({ policyId, versionId });
    return tagged(view.version, { data: toVersion(view) });
  }

  /**
   * Update a draft version of a policy
   *
   * @remarks Changes only the fields that are sent; `rules` replaces all rules of the draft. Published and retired versions
   * cannot be changed. Contradictory rules are rejected.
   */
  @Patch(':versionId')
  @RequireScope('legal:write')
  @Mutates('legal.policy_version.update', {
    irreversible: 'The ledger keeps the digest of the text only: change the version again',
  })
  @Refuses({ 409: ['policy_version_immutable'] })
  async update(
    @ChangeTarget({ id: ['pol', 2], versionId: ['polv', 2] }) target: Target<'id' | 'versionId'>,
    @Body() body: UpdatePolicyVersion,
  ): Promise<PolicyVersionEnvelope> {
    const view = await this.versions.update(pathOf(target), body, target.expected);
    return tagged(view.version, { data: toVersion(view) });
  }

  /**
   * Publish a version of a policy
   *
   * @remarks Makes a draft the current version of its policy. Elements that are not allowed are removed from the HTML, then
   * text and rules are frozen and their SHA-256 is stored. The version published before is retired in the same transaction.
   * Only a draft can be published.
   */
  @Post(':versionId/publication')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.policy_version.publish', {
    irreversible: 'Bookings may have been sold under it: publish another version',
  })
  @Refuses({ 409: ['invalid_transition'] })
  async publish(
    @ChangeTarget({ id: ['pol', 2], versionId: ['polv', 3] }) target: Target<'id' | 'versionId'>,
    @NoBody() _body: null,
  ): Promise<PolicyVersionEnvelope> {
    const view = await this.versions.publish(pathOf(target), target.expected);
    return tagged(view.version, { data: toVersion(view) });
  }

  /**
   * Retire the published version of a policy
   *
   * @remarks Ends the published version. Until another version is published, the policy does not apply to new sales. A version
   * that is not published is rejected.
   */
  @Post(':versionId/retirement')
  @HttpCode(200)
  @RequireScope('legal:write')
  @Mutates('legal.policy_version.retire', { irreversible: 'A retired version is final: publish another one' })
  @Refuses({ 409: ['invalid_transition'] })
  async retire(
    @ChangeTarget({ id: ['pol', 3], versionId: ['polv', 4] }) target: Target<'id' | 'versionId'>,
    @NoBody() _body: null,
  ): Promise<PolicyVersionEnvelope> {
    const view = await this.versions.retire(pathOf(target), target.expected);
    return tagged(view.version, { data: toVersion(view) });
  }
}

function pathOf({ id: policyId, versionId }: Target<'id' | 'versionId'>): VersionPath {
  return { policyId, versionId };
}
