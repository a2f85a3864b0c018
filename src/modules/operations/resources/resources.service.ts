import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  type ReversalResult,
  Reverses,
  Undoes,
  UndoesItself,
} from '../../action-ledger/index.js';
import { conflictOf, type ResourceConflict, toConflict } from './resource-conflict.js';
import { type CreateResource, type ListResources, UpdateResource } from './resource.dto.js';
import { Resource, type ResourceChanges } from './resource.entity.js';
import { ResourcesRepository } from './resources.repository.js';

mapConstraint('resources_ground_operator', () => notFound({ field: 'groundOperatorId' }));
mapConstraint('resources_user', () => notFound({ field: 'userId' }));

/** Guides, vehicles and other resources. */
@Injectable()
export class ResourcesService {
  constructor(
    private readonly database: Database,
    private readonly repository: ResourcesRepository,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateResource, id = newId('rsrc')): Promise<Resource> {
    const { type, name, exclusive = true, languages = [], seats, groundOperatorId, userId } = input;
    const resource = make(Resource, {
      ...{ id, type, name, status: 'active', seats, languages, groundOperatorId, userId, exclusive },
      ...listsOf({ documents: [], unavailability: [], ...input }),
      createdAt: this.clock.now(),
    });
    resource.assertConsistent();
    return this.database.transaction(async () => {
      await this.repository.resources.insert(resource);
      this.record('create', resource, null);
      return resource;
    });
  }

  async list(query: ListResources): Promise<{ rows: Resource[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<Resource> {
    return this.repository.resources.get(id);
  }

  /** Assignments keep what they have: a change that they contradict is rejected. */
  @UndoesItself('operations.resource.update', UpdateResource)
  async update(id: string, body: UpdateResource, expected: ExpectedVersions): Promise<Resource> {
    return this.database.transaction(async () => {
      const resource = await this.repository.resources.lock(id);
      assertVersion(expected, resource);
      const before = resource.auditImage();
      const { exclusive, seats } = resource;
      const { documents: _, unavailability: __, ...changes } = body;
      resource.change({ ...changes, ...listsOf(body) }, this.clock.now());
      const assigned = await this.repository.listAhead(id, this.clock.now());
      const isLess = resource.seats !== null && (seats === null || resource.seats < seats);
      if (assigned.length > 0 && (resource.exclusive !== exclusive || (isLess && !exclusive))) {
        throw conflict('resource_in_use', 'The resource is assigned to departures', { assignments: assigned.length });
      }
      if (body.unavailability !== undefined) assertFree(resource, assigned.map(toConflict));
      await this.repository.resources.update(resource);
      this.record('update', resource, before);
      return resource;
    });
  }

  @Undoes('operations.resource.create', { effect: 'operations.resource.archive', values: byVersion })
  async archive(id: string, expected: ExpectedVersions): Promise<Resource> {
    return this.database.transaction(async () => {
      const resource = await this.repository.resources.lock(id);
      assertVersion(expected, resource);
      const before = resource.auditImage();
      resource.archive(this.clock.now());
      const assigned = await this.repository.listAhead(id, this.clock.now());
      if (assigned.length > 0) {
        throw conflict('resource_in_use', 'The resource is assigned to departures', { assignments: assigned.length });
      }
      await this.repository.resources.update(resource);
      this.record('archive', resource, before);
      return resource;
    });
  }

  @Reverses('operations.resource.archive', { effect: 'operations.resource.update' })
  async reverseArchival(entry: RecordedAction): Promise<ReversalResult> {
    const resource = await this.repository.resources.lock(entry.subjectId);
    assertUnchangedSince(entry, resource);
    const before = resource.auditImage();
    resource.restore(this.clock.now());
    await this.repository.resources.update(resource);
    this.publish('restored', resource);
    return { before, after: resource.auditImage() };
  }

  private record(verb: 'create' | 'update' | 'archive', resource: Resource, before: object | null): void {
    const subject = { subjectType: 'resource', subjectId: resource.id };
    this.ledger.record(`operations.resource.${verb}`, { ...subject, before, after: resource.auditImage() });
    this.publish(verb === 'create' ? 'created' : `${verb}d`, resource);
  }

  private publish(change: string, { id: resourceId, type, status, version }: Resource): void {
    const data = { resourceId, type, status, version };
    this.outbox.add({ channel: 'operations.resources', event: `resource.${change}`, data });
  }
}

/** Assignments in periods in which the resource is to be unavailable prevent that. */
function assertFree(resource: Resource, assigned: readonly ResourceConflict[]): void {
  const inAbsence = assigned.filter(
    ({ startsAt, endsAt }) =>
      resource.absencesIn({ startsAt: new Date(startsAt), endsAt: new Date(endsAt) }).length > 0,
  );
  if (inAbsence.length > 0) throw conflictOf(inAbsence);
}

/** The lists as they are stored: all members are present, and instants are in UTC. */
function listsOf({
  documents,
  unavailability,
}: Pick<CreateResource, 'documents' | 'unavailability'>): Required<
  Pick<ResourceChanges, 'documents' | 'unavailability'>
>;
function listsOf({
  documents,
  unavailability,
}: Pick<UpdateResource, 'documents' | 'unavailability'>): Pick<ResourceChanges, 'documents' | 'unavailability'>;
function listsOf({ documents, unavailability }: Pick<UpdateResource, 'documents' | 'unavailability'>) {
  const instant = (text: string) => new Date(text).toISOString();
  return {
    ...(documents && { documents: documents.map(({ kind, expiresOn = null }) => ({ kind, expiresOn })) }),
    ...(unavailability && {
      unavailability: unavailability.map(({ startsAt, endsAt }) => ({
        startsAt: instant(startsAt),
        endsAt: instant(endsAt),
      })),
    }),
  };
}
