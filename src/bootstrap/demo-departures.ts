import { Injectable } from '@nestjs/common';
import { type AdvertisedDeparture, CatalogDemo } from '../modules/catalog/index.js';
import { DeparturesService } from '../modules/operations/index.js';
import { demoId } from '../platform/ids/id.js';
import { DemoData } from '../platform/provisioning/provisioning-decorators.js';

/** The tour that starts at the first facility. */
const DELTA = demoId('prod', 1);

/** German VAT of 19 %, as in the items of the demo bookings. */
const taxIn = (cents: number) => Math.round((cents * 19) / 119);

/** Members of single departures that the catalog does not show. */
const FURTHER = new Map<string, object>([
  [demoId('dep', 6), { cutoff: { daysBefore: 1, at: '18:00' } }],
  [demoId('dep', 8), { minParticipants: 6, euPackage: true }],
]);

/**
 * Creates the departures of the demo catalog in operations, and publishes the departures of operations in the catalog.
 */
@Injectable()
export class DemoDepartures {
  constructor(
    private readonly catalog: CatalogDemo,
    private readonly departures: DeparturesService,
  ) {}

  @DemoData(150, 'departures')
  async loadDepartures(): Promise<void> {
    for (const { departureId, availableUnits, ...planned } of this.catalog.plannedDepartures()) {
      const facilityId = planned.productId === DELTA ? demoId('fac', 1) : null;
      const taxIncludedCents = taxIn(planned.priceCents);
      const further = { facilityId, taxIncludedCents, ...FURTHER.get(departureId) };
      await this.departures.create({ ...planned, capacity: availableUnits, ...further }, departureId);
    }
    await this.departures.closeSales(demoId('dep', 7), 'The boat is in repair', null);
  }

  /** Loaded after all bookings and trips, which allocate units. */
  @DemoData(700, 'catalog')
  async loadCatalog(): Promise<void> {
    const onSale = new Map<string, AdvertisedDeparture>();
    for (const { departureId } of this.catalog.plannedDepartures()) {
      const departure = await this.departures.get(departureId);
      if (departure.salesState !== 'open') continue;
      onSale.set(departureId, {
        departureId,
        startsAt: departure.startsAt.toISOString(),
        endsAt: departure.endsAt.toISOString(),
        bookableUntil: (departure.cutoffAt ?? departure.startsAt).toISOString(),
        // A hold may expire, so it changes no document.
        availableUnits: departure.availableUnits() + departure.held,
      });
    }
    await this.catalog.loadDocuments(onSale);
  }
}
