import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError, conflict, invalidField } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  changedIn,
  parentIn,
  type RecordedAction,
  Undoes,
  versionAfter,
} from '../../action-ledger/index.js';
import { ProductsService } from '../../products/index.js';
import type { ResourceConflictRule } from '../departures/departure-listener.js';
import type { DepartureSummary } from '../departures/departure-summary.js';
import { DeparturesService } from '../departures/departures.service.js';
import {
  type AssignmentView,
  type CreateResourceAssignment,
  type ListResourceAssignments,
  UpdateResourceAssignment,
} from './resource-assignment.dto.js';
import { ResourceAssignment } from './resource-assignment.entity.js';
import { conflictOf, peakSeats, toConflict } from './resource-conflict.js';
import type { Period, Resource } from './resource.entity.js';
import { ResourcesRepository } from './resources.repository.js';

// The lock of the resource prevents both; the database has the last word.
for (const constraint of ['resource_assignments_overlap', 'resource_assignments_once']) {
  mapConstraint(constraint, () => conflictOf([]));
}

const MINUTE_MS = 60_000;

export interface AssignmentTarget {
  departureId: string;
  assignmentId: string;
  expected: ExpectedVersions;
}

type Verb = 'create' | 'update' | 'move' | 'delete';

const EVENTS: Readonly<Record<Verb, string>> = {
  create: 'assigned',
  update: 'assignment_changed',
  move: 'assignment_changed',
  delete: 'unassigned',
};

/** Resources of departures. Each change locks the departure, then the resource, whose assignments therefore do not change meanwhile. */
@Injectable()
export class ResourceAssignmentsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ResourcesRepository,
    private readonly departures: DeparturesService,
    private readonly products: ProductsService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(departureId: string, input: CreateResourceAssignment, id = newId('rasn')): Promise<AssignmentView> {
    await this.departures.get(departureId);
    return this.database.transaction(async () => {
      const departure = await this.lockLive(departureId);
      const resource = await this.repository.resources.lock(input.resourceId, { field: 'resourceId' });
      resource.assertActive('resourceId');
      const usual = await this.usualPeriod(departure);
      const assignment = make(ResourceAssignment, {
        ...{ id, departureId, resourceId: resource.id, exclusive: resource.exclusive },
        ...{ role: input.role, seats: input.seats },
        startsAt: input.startsAt === undefined ? usual.startsAt : new Date(input.startsAt),
        endsAt: input.endsAt === undefined ? usual.endsAt : new Date(input.endsAt),
        createdAt: this.clock.now(),
      });
      assignment.assertConsistent();
      assertSeats(resource, assignment);
      const present = await this.repository.assignments.findBy({ resourceId: resource.id, departureId });
      if (present) throw conflictOf([toConflict(present)]);
      await this.assertFree(resource, assignment);
      await this.repository.assignments.insert(assignment);
      this.record('create', assignment, { before: null });
      return this.repository.getView(departureId, id);
    });
  }

  async list(departureId: string, query: ListResourceAssignments): Promise<{ views: AssignmentView[]; total: number }> {
    await this.departures.get(departureId);
    return this.repository.listAssignments(departureId, query);
  }

  async get(departureId: string, assignmentId: string): Promise<AssignmentView> {
    return this.repository.getView(departureId, assignmentId);
  }

  @Undoes('operations.assignment.update', {
    effect: 'operations.assignment.update',
    values: async (entry) => [targetOf(entry), await checkedAs(UpdateResourceAssignment, changedIn(entry))] as const,
  })
  async update(target: AssignmentTarget, body: UpdateResourceAssignment): Promise<AssignmentView> {
    return this.database.transaction(async () => {
      await this.lockLive(target.departureId);
      const { assignment, resource } = await this.lock(target);
      const before = assignment.auditImage();
      const { startsAt, endsAt, ...changes } = body;
      assignment.change(
        {
          ...changes,
          ...(startsAt === undefined ? {} : { startsAt: new Date(startsAt) }),
          ...(endsAt === undefined ? {} : { endsAt: new Date(endsAt) }),
        },
        this.clock.now(),
      );
      assertSeats(resource, assignment);
      await this.assertFree(resource, assignment);
      await this.repository.assignments.update(assignment);
      this.record('update', assignment, { before });
      return this.repository.getView(target.departureId, assignment.id);
    });
  }

  @Undoes('operations.assignment.create', {
    effect: 'operations.assignment.delete',
    values: (entry) => [targetOf(entry)] as const,
  })
  async delete(target: AssignmentTarget): Promise<AssignmentView> {
    return this.database.transaction(async () => {
      await this.departures.get(target.departureId);
      const { assignment } = await this.lock(target);
      const view = await this.repository.getView(target.departureId, assignment.id);
      await this.remove(assignment);
      return view;
    });
  }

  /**
   * The assignments of a moved departure, which is locked, keep their distances to it. With the rule `unassign`, resources that are
   * not free then are taken from it, and returned.
   */
  async follow(departure: DepartureSummary, before: Period, rule: ResourceConflictRule): Promise<string[]> {
    const unassigned: string[] = [];
    for (const { assignment, resource } of await this.lockAllOf(departure.id)) {
      const image = assignment.auditImage();
      assignment.follow(departure, before, this.clock.now());
      try {
        await this.assertFree(resource, assignment);
      } catch (error) {
        if (rule === 'reject' || !(error instanceof AppError) || error.code !== 'resource_conflict') throw error;
        await this.remove(assignment);
        unassigned.push(resource.id);
        continue;
      }
      await this.repository.assignments.update(assignment);
      this.record('move', assignment, { before: image });
    }
    return unassigned;
  }

  /** A departure that is called off or cancelled needs no resources any more. */
  async releaseAll(departureId: string): Promise<void> {
    for (const { assignment } of await this.lockAllOf(departureId)) await this.remove(assignment);
  }

  /** The departure with the buffers of its product. */
  private async usualPeriod({ productId, startsAt, endsAt }: DepartureSummary): Promise<Period> {
    const product = await this.products.findDefaults(productId);
    return {
      startsAt: new Date(startsAt.getTime() - (product?.bufferBeforeMinutes ?? 0) * MINUTE_MS),
      endsAt: new Date(endsAt.getTime() + (product?.bufferAfterMinutes ?? 0) * MINUTE_MS),
    };
  }

  private async remove(assignment: ResourceAssignment): Promise<void> {
    await this.repository.delete(assignment.id);
    this.record('delete', assignment, { before: assignment.auditImage(), isDeleted: true });
  }

  private async lockLive(departureId: string): Promise<DepartureSummary> {
    const [departure] = await this.departures.lock([departureId]);
    if (!departure) throw new Error(`The departure ${departureId} was not locked`);
    const departureIds = [departureId];
    if (departure.status === 'called_off') {
      throw conflict('departure_called_off', 'The departure is called off', { departureIds });
    }
    if (departure.status === 'cancelled') {
      throw conflict('departure_cancelled', 'A cancelled departure cannot be changed', { departureIds });
    }
    return departure;
  }

  private async lock({ departureId, assignmentId, expected }: AssignmentTarget) {
    const { assignment: present } = await this.repository.getView(departureId, assignmentId);
    const resource = await this.repository.resources.lock(present.resourceId);
    const assignment = await this.repository.assignments.lock(assignmentId);
    assertVersion(expected, assignment);
    return { assignment, resource };
  }

  private async lockAllOf(departureId: string) {
    const present = await this.repository.assignments.listBy({ departureId }, ['id']);
    const resources = await this.repository.resources.lockAll([...new Set(present.map((one) => one.resourceId))]);
    const assignments = await this.repository.assignments.lockAll(present.map(({ id }) => id));
    return assignments.flatMap((assignment) => {
      const resource = resources.find(({ id }) => id === assignment.resourceId);
      return resource ? [{ assignment, resource }] : [];
    });
  }

  private async assertFree(resource: Resource, assignment: ResourceAssignment): Promise<void> {
    const absences = resource.absencesIn(assignment);
    const nobody = { resourceId: resource.id, assignmentId: null, departureId: null };
    const others = await this.repository.listOverlapping(resource.id, assignment, assignment.id);
    const isTooFull = resource.seats !== null && peakSeats([...others, assignment]) > resource.seats;
    const taken = resource.exclusive || isTooFull ? others : [];
    const conflicts = [...absences.map((absence) => ({ ...nobody, ...absence })), ...taken.map(toConflict)];
    if (conflicts.length > 0 || (!resource.exclusive && isTooFull)) throw conflictOf(conflicts);
  }

  private record(
    verb: Verb,
    assignment: ResourceAssignment,
    { before, isDeleted = false }: { before: object | null; isDeleted?: boolean },
  ): void {
    const subject = { subjectType: 'resource_assignment', subjectId: assignment.id };
    const after = isDeleted ? null : assignment.auditImage();
    this.ledger.record(`operations.assignment.${verb}`, { ...subject, before, after });
    const { id: assignmentId, resourceId, departureId, startsAt, endsAt, version } = assignment;
    const times = { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() };
    const data = { assignmentId, resourceId, departureId, ...times, version };
    this.outbox.add({ channel: 'operations.resources', event: `resource.${EVENTS[verb]}`, data });
  }
}

/** Seats are counted for shared resources that have some. */
function assertSeats({ exclusive, seats: total }: Resource, { seats }: ResourceAssignment): void {
  const isCounted = !exclusive && total !== null;
  if (isCounted && seats === null)
    throw invalidField('seats', 'The resource is shared: seats are required', 'required');
  if (!isCounted && seats !== null)
    throw invalidField('seats', 'The resource is not shared by seats', 'not_applicable');
}

function targetOf(entry: RecordedAction): AssignmentTarget {
  return {
    departureId: parentIn(entry, 'departureId'),
    assignmentId: entry.subjectId,
    expected: versionAfter(entry),
  };
}
