import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import {
  CreateResourceAssignment,
  ListResourceAssignments,
  ResourceAssignmentEnvelope,
  ResourceAssignmentPage,
  toAssignment,
  UpdateResourceAssignment,
} from './resource-assignment.dto.js';
import { ResourceAssignmentsService } from './resource-assignments.service.js';

const PATH = '/v1/admin/operations/departures';
const REFUSED = ['departure_called_off', 'departure_cancelled', 'resource_conflict'];

@ApiGroup('Facilities and ground operators')
@Controller(`${PATH}/:id/assignments`)
export class ResourceAssignmentsController {
  constructor(private readonly assignments: ResourceAssignmentsService) {}

  /**
   * Assign a resource to a departure
   *
   * @remarks By default the resource is needed for the whole departure. An exclusive resource serves one departure at a time; of
   * several requests at once one is accepted. Departures that share a resource take at most its seats at any time. Otherwise, and
   * while the resource is unavailable, it is rejected with 409 `resource_conflict`, and the error lists the `conflicts`.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.assignment.create')
  @BodyExample({ resourceId: demoId('rsrc', 1), role: 'Lead guide' })
  @Refuses({ 404: ['not_found'], 409: [...REFUSED, 'resource_archived'] })
  async create(
    @PathId('dep', 'id', 8) id: string,
    @Body() body: CreateResourceAssignment,
  ): Promise<ResourceAssignmentEnvelope> {
    const view = await this.assignments.create(id, body);
    const { assignment } = view;
    return created(`${PATH}/${id}/assignments/${assignment.id}`, assignment, { data: toAssignment(view) });
  }

  /**
   * List the resources of a departure
   *
   * @remarks Returns a page of assignments by their start, unless `sort` is given.
   */
  @Get()
  @RequireScope('operations:read')
  async list(
    @PathId('dep', 'id', 5) id: string,
    @Query() query: ListResourceAssignments,
  ): Promise<ResourceAssignmentPage> {
    const { views, total } = await this.assignments.list(id, query);
    return { data: views.map(toAssignment), total, ...pageBounds(query) };
  }

  /**
   * Get an assignment
   *
   * @remarks Returns the resource of the departure and the time for which it is needed.
   */
  @Get(':assignmentId')
  @RequireScope('operations:read')
  async get(
    @PathId('dep', 'id', 5) id: string,
    @PathId('rasn', 'assignmentId') assignmentId: string,
  ): Promise<ResourceAssignmentEnvelope> {
    const view = await this.assignments.get(id, assignmentId);
    return tagged(view.assignment, { data: toAssignment(view) });
  }

  /**
   * Update an assignment
   *
   * @remarks Changes only the fields that are sent. Rejected like a new assignment if the resource is not free then.
   */
  @Patch(':assignmentId')
  @RequireScope('operations:write')
  @Mutates('operations.assignment.update')
  @BodyExample({ role: 'Second guide' })
  @Refuses({ 404: ['not_found'], 409: REFUSED })
  async update(
    @ChangeTarget({ id: ['dep', 5], assignmentId: ['rasn', 2] }) target: Target<'id' | 'assignmentId'>,
    @Body() body: UpdateResourceAssignment,
  ): Promise<ResourceAssignmentEnvelope> {
    const { id: departureId, ...place } = target;
    const view = await this.assignments.update({ departureId, ...place }, body);
    return tagged(view.assignment, { data: toAssignment(view) });
  }

  /**
   * Take a resource from a departure
   *
   * @remarks Deletes the assignment and returns it as it was.
   */
  @Delete(':assignmentId')
  @RequireScope('operations:write')
  @Mutates('operations.assignment.delete', { irreversible: 'The resource may serve others by now: assign it again' })
  @Refuses({ 404: ['not_found'] })
  async delete(
    @ChangeTarget({ id: ['dep', 5], assignmentId: ['rasn', 3] }) target: Target<'id' | 'assignmentId'>,
    @NoBody() _body: null,
  ): Promise<ResourceAssignmentEnvelope> {
    const { id: departureId, ...place } = target;
    const view = await this.assignments.delete({ departureId, ...place });
    return tagged(view.assignment, { data: toAssignment(view) });
  }
}
