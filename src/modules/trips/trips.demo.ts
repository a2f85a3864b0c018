import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { ReservationsService } from './reservations/reservations.service.js';
import type { CreateComponent } from './envelopes/trip-component.dto.js';
import { TripComponentsService } from './envelopes/trip-components.service.js';
import { TripsService } from './envelopes/trips.service.js';

/** `row` and `first` are the demo id numbers of the trip and of its first component; the others follow. */
const TRIPS = [
  { row: 1, title: 'Two weeks in Romania', first: 1, isReserved: false },
  { row: 2, title: 'A weekend in the delta', first: 4, isReserved: false },
  { row: 3, title: 'The delta for photographers', first: 6, isReserved: false },
  { row: 4, title: 'The delta for two', first: 8, isReserved: false },
  { row: 5, title: 'The delta with friends', first: 10, isReserved: true },
  { row: 6, title: 'A trip that was not to be', first: 12, isReserved: false },
] as const;

const CASTLE = 'sim-castle-hotel';

const PARTY = {
  billing: { name: 'Ada Lovelace', email: 'ada@example.com' },
  travelers: [{ name: 'Ada Lovelace', birthDate: '1985-12-10' }, { name: 'Mary Somerville' }],
};

@Injectable()
export class TripsDemo {
  constructor(
    private readonly trips: TripsService,
    private readonly components: TripComponentsService,
    private readonly reservations: ReservationsService,
  ) {}

  /**
   * The rows of the examples in the API document: trip 1 has a component of each kind; the examples update 2, price 3, reserve
   * 4, book 5 and cancel 6.
   */
  @DemoData(650, 'trips')
  async load(): Promise<void> {
    for (const { row, title, first, isReserved } of TRIPS) {
      const { trip } = await this.trips.create({ title, currency: 'EUR', travelerParty: PARTY }, demoId('trip', row));
      for (const [index, component] of componentsOf(row).entries()) {
        await this.components.add(trip.id, component, demoId('tcmp', first + index));
      }
      if (isReserved) await this.reservations.reserve(trip.id, null);
    }
  }
}

/** The first trip has one component of each kind. */
function componentsOf(row: number): CreateComponent[] {
  const delta: CreateComponent = {
    kind: 'catalog_booking',
    title: 'Danube Delta by boat',
    quantity: 2,
    departureId: demoId('dep', 1),
  };
  const guide: CreateComponent = {
    kind: 'manual_placeholder',
    title: 'Private guide',
    unitPriceCents: 18_000,
    unitTaxIncludedCents: 2_874,
    confirmedByStaff: true,
  };
  const castle: CreateComponent = { kind: 'external_order', title: 'Castle hotel', quantity: 2, providerRef: CASTLE };
  return row === 1 ? [delta, guide, castle] : [delta, guide];
}
