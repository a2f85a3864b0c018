import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { PathGrantId, PathOperatorId } from '../oauth-clients/path-ids.js';
import { ChangedGrant, type GrantTarget } from './grant-target.js';
import { Grants } from './grants.service.js';
import { CreateGrant, GrantPage, GrantResponse, ListGrants, toGrant, UpdateGrant } from './operator-requests.dto.js';

@ApiTags('Connect: Operators and grants')
@Controller('/connect/v1/operators/:operatorId/grants')
export class GrantsController {
  constructor(private readonly grants: Grants) {}

  /** Permits the operator something, until an end; clients can be bound to that */
  @Post()
  @RequireScope('connect:grants:write')
  @Mutates('connect.operator_grant.create')
  @Refuses({ 409: ['operator_inactive'] })
  async create(@PathOperatorId() operatorId: string, @Body() body: CreateGrant): Promise<GrantResponse> {
    const grant = await this.grants.create(operatorId, body);
    return created(`/connect/v1/operators/${operatorId}/grants/${grant.id}`, grant, toGrant(grant));
  }

  /** Lists what the operator is and was permitted, newest first */
  @Get()
  @RequireScope('connect:grants:read')
  async list(@PathOperatorId() operatorId: string, @Query() query: ListGrants): Promise<GrantPage> {
    const { grants, total } = await this.grants.list(operatorId, query);
    return { data: grants.map(toGrant), total, ...pageBounds(query) };
  }

  /** Reads one grant */
  @Get(':grantId')
  @RequireScope('connect:grants:read')
  async get(@PathOperatorId() operatorId: string, @PathGrantId() grantId: string): Promise<GrantResponse> {
    const grant = await this.grants.get(operatorId, grantId);
    return tagged(grant, toGrant(grant));
  }

  /** Changes, pauses, resumes or revokes a grant; its clients hear of it at once and everywhere */
  @Patch(':grantId')
  @RequireScope('connect:grants:write')
  @Mutates('connect.operator_grant.update')
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
