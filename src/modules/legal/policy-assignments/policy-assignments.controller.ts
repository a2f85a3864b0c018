import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import {
  CreatePolicyAssignment,
  ListPolicyAssignments,
  PolicyAssignmentEnvelope,
  PolicyAssignmentPage,
  PolicyAssignmentRemoved,
  toAssignment,
  UpdatePolicyAssignment,
} from './policy-assignment.dto.js';
import { PolicyAssignments } from './policy-assignments.service.js';

const PATH = '/v1/admin/legal/policies/assignments';

@ApiTags('Policies')
@Controller(PATH)
export class PolicyAssignmentsController {
  constructor(private readonly assignments: PolicyAssignments) {}

  /** Has a policy apply to a product, a channel, or everywhere */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.policy_assignment.create')
  @Refuses({ 404: ['not_found'], 409: ['policy_assignment_overlap', 'channel_archived'] })
  async create(@Body() body: CreatePolicyAssignment): Promise<PolicyAssignmentEnvelope> {
    const assignment = await this.assignments.create(body);
    return created(`${PATH}/${assignment.id}`, assignment, { data: toAssignment(assignment) });
  }

  /** Lists assignments, newest first */
  @Get()
  @RequireScope('legal:read')
  async list(@Query() query: ListPolicyAssignments): Promise<PolicyAssignmentPage> {
    const { assignments, total } = await this.assignments.list(query);
    return { data: assignments.map(toAssignment), total, ...pageBounds(query) };
  }

  /** Reads an assignment */
  @Get(':id')
  @RequireScope('legal:read')
  async get(@PathId('pasn') id: string): Promise<PolicyAssignmentEnvelope> {
    const assignment = await this.assignments.get(id);
    return tagged(assignment, { data: toAssignment(assignment) });
  }

  /** Changes when an assignment is valid, and before which others */
  @Patch(':id')
  @RequireScope('legal:write')
  @Mutates('legal.policy_assignment.update')
  @BodyExample({ validTo: '2031-12-31', priority: 5 })
  @Refuses({ 409: ['policy_assignment_overlap', 'policy_assignment_locked'] })
  async update(
    @PathId('pasn', 'id', 2) id: string,
    @Body() body: UpdatePolicyAssignment,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PolicyAssignmentEnvelope> {
    const assignment = await this.assignments.update(id, body, expected);
    return tagged(assignment, { data: toAssignment(assignment) });
  }

  /** Removes an assignment; the terms of bookings that were confirmed under it stay what they are */
  @Delete(':id')
  @RequireScope('legal:delete')
  @Mutates('legal.policy_assignment.remove')
  @Refuses({ 409: ['policy_assignment_locked'] })
  async remove(
    @PathId('pasn', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<PolicyAssignmentRemoved> {
    await this.assignments.remove(id, expected);
    return { success: true };
  }
}
