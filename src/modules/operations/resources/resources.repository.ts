import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containing } from '../../../platform/database/like.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ResourceType } from '../../products/index.js';
import type { AssignmentView, ListResourceAssignments } from './resource-assignment.dto.js';
import { ResourceAssignment } from './resource-assignment.entity.js';
import type { ListResources } from './resource.dto.js';
import { type Period, Resource } from './resource.entity.js';

interface Names {
  resource_type: ResourceType;
  resource_name: string;
}

/** The SQL of resources and their assignments. */
@Injectable()
export class ResourcesRepository {
  readonly resources: Rows<Resource>;
  readonly assignments: Rows<ResourceAssignment>;

  constructor(private readonly database: Database) {
    this.resources = database.rows(Resource);
    this.assignments = database.rows(ResourceAssignment);
  }

  async list(query: ListResources): Promise<{ rows: Resource[]; total: number }> {
    const { type, status, groundOperatorId, search, sort = 'name' } = query;
    const found = this.resources.query('resource');
    filterRows(found, 'resource.type', type);
    filterRows(found, 'resource.status', status);
    if (groundOperatorId !== undefined) {
      found.andWhere('resource.groundOperatorId = :groundOperatorId', { groundOperatorId });
    }
    if (search !== undefined) found.andWhere('resource.name ilike :part', { part: containing(search) });
    sortRows(found, sort);
    return this.resources.page(found, pageBounds(query));
  }

  async listAssignments(
    departureId: string,
    query: ListResourceAssignments,
  ): Promise<{ views: AssignmentView[]; total: number }> {
    const found = this.views().andWhere('assignment.departureId = :departureId', { departureId });
    sortRows(found, query.sort ?? 'startsAt');
    const { rows, total } = await this.database.page<ResourceAssignment, Names>(found, pageBounds(query));
    return { views: rows.map(({ entity, raw }) => viewOf(entity, raw)), total };
  }

  /** Throws 404, also for an assignment of another departure. */
  async getView(departureId: string, id: string): Promise<AssignmentView> {
    const found = this.views().andWhere('assignment.id = :id and assignment.departureId = :departureId', {
      id,
      departureId,
    });
    const [row] = (await this.database.page<ResourceAssignment, Names>(found, { limit: 1, offset: 0 })).rows;
    if (!row) throw notFound();
    return viewOf(row.entity, row.raw);
  }

  /** The assignments of a resource, whose row is locked, that overlap with a period, except one of them. */
  async listOverlapping(
    resourceId: string,
    { startsAt, endsAt }: Period,
    exceptId: string | null,
  ): Promise<ResourceAssignment[]> {
    return this.assignments.read({
      name: 'assignments-overlapping',
      text: `select ${this.assignments.columns('assignment')} from resource_assignments assignment
        where assignment.resource_id = $1 and assignment.starts_at < $3 and assignment.ends_at > $2
          and assignment.id is distinct from $4
        order by assignment.starts_at, assignment.id`,
      values: [resourceId, startsAt, endsAt, exceptId],
    });
  }

  /** The assignments of a resource that end after an instant. */
  async listAhead(resourceId: string, now: Date): Promise<ResourceAssignment[]> {
    return this.assignments.read({
      name: 'assignments-ahead',
      text: `select ${this.assignments.columns('assignment')} from resource_assignments assignment
        where assignment.resource_id = $1 and assignment.ends_at > $2 order by assignment.starts_at, assignment.id`,
      values: [resourceId, now],
    });
  }

  async delete(assignmentId: string): Promise<void> {
    await this.database.execute('delete from resource_assignments where id = $1', [assignmentId]);
  }

  private views() {
    const of = (column: string) => `(select r.${column} from resources r where r.id = assignment.resource_id)`;
    return this.assignments
      .query('assignment')
      .addSelect(of('type'), 'resource_type')
      .addSelect(of('name'), 'resource_name');
  }
}

function viewOf(assignment: ResourceAssignment, names: Names): AssignmentView {
  return { assignment, resourceType: names.resource_type, resourceName: names.resource_name };
}
