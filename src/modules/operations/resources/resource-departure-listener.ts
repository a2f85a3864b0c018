import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { DepartureListener, type DepartureMove } from '../departures/departure-listener.js';
import type { DepartureSummary } from '../departures/departure-summary.js';
import { ResourceAssignmentsService } from './resource-assignments.service.js';

/** Resources follow their departures. They stand above departures, whose locks they need. */
@Injectable()
@Listens(DepartureListener, 5)
export class ResourceDepartureListener implements DepartureListener {
  constructor(private readonly assignments: ResourceAssignmentsService) {}

  async moved(departure: DepartureSummary, before: DepartureSummary, move: DepartureMove): Promise<void> {
    move.unassigned.push(...(await this.assignments.follow(departure, before, move.onResourceConflict)));
  }

  async calledOff({ id }: DepartureSummary): Promise<void> {
    await this.assignments.releaseAll(id);
  }

  async cancelled({ id }: DepartureSummary): Promise<void> {
    await this.assignments.releaseAll(id);
  }
}
