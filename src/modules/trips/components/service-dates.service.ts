import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { DeparturesService } from '../../operations/index.js';
import { imageOfComponent, TripJournal } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import type { TripComponent } from './component.entity.js';

/** On which day components are delivered. */
@Injectable()
export class ServiceDates {
  constructor(
    private readonly trips: TripRows,
    private readonly departures: DeparturesService,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /** Those of the departure are on its day. False while the trip is being reserved: then they are in other hands. */
  async follow(tripId: string, departureId: string): Promise<boolean> {
    return this.trips.within(async () => {
      const trip = await this.trips.lock(tripId);
      if (trip.status === 'reserve_in_progress') return false;
      const { startDate } = await this.departures.getSummary(departureId);
      const components = await this.trips.componentsOf(trip);
      const moved = components.filter((one) => one.departureId === departureId && isElsewhere(one, startDate));
      if (moved.length === 0) return true;
      const before = moved.map(imageOfComponent);
      for (const component of moved) component.serviceDate = startDate;
      await this.trips.components.save(moved);
      trip.updatedAt = this.clock.now();
      await this.trips.update(trip);
      moved.forEach((component, index) => {
        const images = { before: before[index] ?? null, reason: 'The departure was moved' };
        this.journal.component('update', component, images);
      });
      return true;
    });
  }
}

/** A component that was never priced has no day yet. */
function isElsewhere(component: TripComponent, day: string): boolean {
  const { serviceDate, status } = component;
  return component.isActive() && status !== 'booked' && serviceDate !== null && serviceDate !== day;
}
