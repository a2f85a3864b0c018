import { demoId } from '../../platform/ids/id.js';
import type { CreateComponent } from './components/component.dto.js';
import type { Components } from './components/components.service.js';
import type { Trips } from './envelopes/trips.service.js';
import type { SimulatedProvider } from './providers/simulated-provider.js';
import type { Reservations } from './reservations/reservations.service.js';

interface Makers {
  trips: Trips;
  components: Components;
  reservations: Reservations;
  simulated: SimulatedProvider;
}

/** By its demo number: how far the trip gets, and the number of its first component; the others follow. */
const TRIPS = [
  { row: 1, title: 'Two weeks in Romania', first: 1, isReserved: false },
  { row: 2, title: 'A weekend in the delta', first: 4, isReserved: false },
  { row: 3, title: 'Summer in the Alps', first: 6, isReserved: false },
  { row: 4, title: 'Autumn in the delta', first: 8, isReserved: false },
  { row: 5, title: 'The delta with friends', first: 10, isReserved: true },
  { row: 6, title: 'A trip that was not to be', first: 12, isReserved: false },
] as const;

const CASTLE = 'sim-castle-hotel';

const PARTY = {
  billing: { name: 'Ada Lovelace', email: 'ada@example.com' },
  travelers: [{ name: 'Ada Lovelace', birthDate: '1985-12-10' }, { name: 'Mary Somerville' }],
};

/**
 * The rows that the examples name: 1 to be read and composed of all kinds; 2 to be changed, 3 to be priced, 4 to be reserved,
 * 5 to be booked, 6 to be cancelled.
 */
export async function loadDemoTrips({ trips, components, reservations, simulated }: Makers): Promise<void> {
  await simulated.configure([
    { ref: CASTLE, behaviour: { priceCents: 14_500, taxIncludedCents: 1_318, currency: 'EUR' } },
  ]);
  for (const { row, title, first, isReserved } of TRIPS) {
    const { trip } = await trips.create({ title, currency: 'EUR', travelerParty: PARTY }, demoId('trip', row));
    for (const [index, component] of componentsOf(row).entries()) {
      await components.add(trip.id, component, demoId('tcmp', first + index));
    }
    if (isReserved) await reservations.reserve(trip.id, null);
  }
}

/** Two each; the first trip has one of each kind. */
function componentsOf(row: number): CreateComponent[] {
  const delta: CreateComponent = {
    kind: 'catalog_booking',
    title: 'Danube delta by boat',
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
