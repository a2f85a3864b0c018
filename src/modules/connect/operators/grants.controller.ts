import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { PathGrantId, PathOperatorId } from './path-ids.js';
import { ChangedGrant, type GrantTarget } from './grant-target.js';
import { GrantsService } from './grants.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { CreateGrant, GrantPage, GrantResponse, ListGrants, toGrant, UpdateGrant } from './operator.dto.js';

@ApiGroup('Connect: Operators and grants', {
  position: 230,
  description: 'Connect: operators that partners act for, and the permissions granted to each of them.',
})
@Controller('/connect/v1/operators/:operatorId/grants')
export class GrantsController {
  constructor(private readonly grants: GrantsService) {}

  /**
   * Create a grant for an operator
   *
   * @remarks Grants scopes to an operator, with or without an end. OAuth clients can be bound to the grant. Scopes that the
   * caller does not have, credentials bound to an operator, and an inactive operator are rejected.
   */
  @Post()
  @RequireScope('connect:grants:write')
  @Mutates('connect.operator_grant.create', {
    irreversible: 'Only credentials of the connect surface may change it: change it there',
  })
  @Refuses({ 409: ['operator_inactive'] })
  async create(@PathOperatorId() operatorId: string, @Body() body: CreateGrant): Promise<GrantResponse> {
    const grant = await this.grants.create(operatorId, body);
    return created(`/connect/v1/operators/${operatorId}/grants/${grant.id}`, grant, toGrant(grant));
  }

  /**
   * List the grants of an operator
   *
   * @remarks Returns a page of grants, newest first, including paused, revoked and expired ones unless `status` is
   * given.
   */
  @Get()
  @RequireScope('connect:grants:read')
  async list(@PathOperatorId() operatorId: string, @Query() query: ListGrants): Promise<GrantPage> {
    const { grants, total } = await this.grants.list(operatorId, query);
    return { data: grants.map(toGrant), total, ...pageBounds(query) };
  }

  /**
   * Get a grant
   *
   * @remarks Returns one grant of the operator with its version.
   */
  @Get(':grantId')
  @RequireScope('connect:grants:read')
  async get(@PathOperatorId() operatorId: string, @PathGrantId() grantId: string): Promise<GrantResponse> {
    const grant = await this.grants.get(operatorId, grantId);
    return tagged(grant, toGrant(grant));
  }

  /**
   * Update a grant
   *
   * @remarks Changes scopes or end, pauses, resumes or revokes the grant. Its clients are affected as soon as the change is
   * stored. To extend a grant or activate it, the caller must have its scopes. A revoked grant cannot be changed.
   */
  @Patch(':grantId')
  @RequireScope('connect:grants:write')
  @Mutates('connect.operator_grant.update', {
    irreversible: 'Only credentials of the connect surface may change it: change it there',
  })
  @Refuses({ 409: ['grant_revoked'] })
  async update(
    @PathOperatorId() operatorId: string,
    @ChangedGrant('grant_demo_changing') { grantId, expected }: GrantTarget,
    @Body() body: UpdateGrant,
  ): Promise<GrantResponse> {
    const grant = await this.grants.update({ operatorId, grantId }, body, expected);
    return tagged(grant, toGrant(grant));
  }
}
