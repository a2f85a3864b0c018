import { type AppError, conflict } from '../../../platform/errors/app-error.js';
import type { ResourceAssignment } from './resource-assignment.entity.js';

/** Why a resource is not free. An absence has neither an assignment nor a departure. */
export interface ResourceConflict {
  resourceId: string;
  assignmentId: string | null;
  departureId: string | null;
  startsAt: string;
  endsAt: string;
}

export function toConflict({ resourceId, id, departureId, startsAt, endsAt }: ResourceAssignment): ResourceConflict {
  const period = { startsAt: startsAt.toISOString(), endsAt: endsAt.toISOString() };
  return { resourceId, assignmentId: id, departureId, ...period };
}

export function conflictOf(conflicts: readonly ResourceConflict[]): AppError {
  return conflict('resource_conflict', 'The resource is not free at that time', { conflicts: conflicts.slice(0, 100) });
}

/** The most seats that are taken at the same time. */
export function peakSeats(assignments: readonly Pick<ResourceAssignment, 'startsAt' | 'endsAt' | 'seats'>[]): number {
  const changes = assignments.flatMap(({ startsAt, endsAt, seats }) => [
    { at: startsAt.getTime(), seats: seats ?? 0 },
    { at: endsAt.getTime(), seats: -(seats ?? 0) },
  ]);
  // At one instant, seats are given back before others are taken.
  changes.sort((one, other) => one.at - other.at || one.seats - other.seats);
  let [taken, peak] = [0, 0];
  for (const { seats } of changes) {
    taken += seats;
    peak = Math.max(peak, taken);
  }
  return peak;
}
