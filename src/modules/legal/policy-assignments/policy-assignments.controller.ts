import { Deleted } from '../../../platform/http/deleted.dto.js';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import {
  CreatePolicyAssignment,
  ListPolicyAssignments,
  PolicyAssignmentEnvelope,
  PolicyAssignmentPage,
  toAssignment,
  UpdatePolicyAssignment,
} from './policy-assignment.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PolicyAssignmentsService } from './policy-assignments.service.js';

const PATH = '/v1/admin/legal/policies/assignments';

@ApiGroup('Policies')
@Controller(PATH)
export class PolicyAssignmentsController {
  constructor(private readonly assignments: PolicyAssignmentsService) {}

  /**
   * Assign a policy
   *
   * @remarks Makes a policy apply to a product, supplier, channel, market, organization or, with scope `global`, to everything.
   * A second assignment of the same kind, scope, target and priority that is valid on the same day is rejected. An unknown
   * policy and an unknown or archived channel are rejected.
   */
  @Post()
  @RequireScope('legal:write')
  @Mutates('legal.policy_assignment.create')
  @Refuses({ 404: ['not_found'], 409: ['policy_assignment_overlap', 'channel_archived'] })
  async create(@Body() body: CreatePolicyAssignment): Promise<PolicyAssignmentEnvelope> {
    const assignment = await this.assignments.create(body);
    return created(`${PATH}/${assignment.id}`, assignment, { data: toAssignment(assignment) });
  }

  /**
   * List policy assignments
   *
   * @remarks Returns a page of assignments, newest first. With `removed=true` it returns only removed assignments, otherwise
   * none of them.
   */
  @Get()
  @RequireScope('legal:read')
  async list(@Query() query: ListPolicyAssignments): Promise<PolicyAssignmentPage> {
    const { rows, total } = await this.assignments.list(query);
    return { data: rows.map(toAssignment), total, ...pageBounds(query) };
  }

  /**
   * Get a policy assignment
   *
   * @remarks Returns one assignment. A removed assignment is not found.
   */
  @Get(':id')
  @RequireScope('legal:read')
  async get(@PathId('pasn') id: string): Promise<PolicyAssignmentEnvelope> {
    const assignment = await this.assignments.get(id);
    return tagged(assignment, { data: toAssignment(assignment) });
  }

  /**
   * Update a policy assignment
   *
   * @remarks Changes only the validity and the priority. Policy, scope and target are fixed: remove the assignment and create
   * another one instead. A provisioned assignment is rejected, and so is an overlap with another one of the same kind, scope,
   * target and priority.
   */
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

  /**
   * Remove a policy assignment
   *
   * @remarks The policy immediately stops applying to the target. Terms of bookings that were confirmed under it do not change.
   * The removal can be reversed through the action ledger. A provisioned assignment cannot be removed. Returns only `success`;
   * the list with `removed=true` shows the removed assignment.
   */
  @ApiOperation({ operationId: 'policyAssignments_delete' })
  @Delete(':id')
  @RequireScope('legal:delete')
  @Mutates('legal.policy_assignment.remove')
  @Refuses({ 409: ['policy_assignment_locked'] })
  async remove(
    @PathId('pasn', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<Deleted> {
    await this.assignments.remove(id, expected);
    return { success: true };
  }
}
