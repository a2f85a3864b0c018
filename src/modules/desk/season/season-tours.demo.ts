import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { DemoSeason } from '../../../platform/provisioning/provisioning-decorators.js';
import { DeparturesService, ResourceAssignmentsService, ResourcesService } from '../../operations/index.js';
import { PriceListsService, ProductsService, ProductUnitsService } from '../../products/index.js';
import { localTime } from './local-days.js';
import {
  departureOf,
  PLANNED_DEPARTURES,
  PRICE_LIST,
  PRICE_LIST_ID,
  prices,
  resourceOf,
  RESOURCES,
  TOUR_NAMES,
  TOURS,
  unitOf,
  ZONE,
} from './season-plan.js';

/** The tours of the demo season with their prices, departures and crews. */
@Injectable()
export class SeasonToursDemo {
  constructor(
    private readonly products: ProductsService,
    private readonly units: ProductUnitsService,
    private readonly priceLists: PriceListsService,
    private readonly departures: DeparturesService,
    private readonly resources: ResourcesService,
    private readonly assignments: ResourceAssignmentsService,
    private readonly clock: Clock,
  ) {}

  @DemoSeason(10, 'tours and prices')
  async loadTours(): Promise<void> {
    for (const name of TOUR_NAMES) {
      const { product, units } = TOURS[name];
      await this.products.create(product);
      await this.products.activate(product.id, null);
      for (const [position, unit] of units.entries()) {
        await this.units.create(product.id, unit, { id: unitOf(name, position) });
      }
    }
    await this.priceLists.create(PRICE_LIST, PRICE_LIST_ID);
    await this.priceLists.replacePrices(PRICE_LIST_ID, prices(), null);
    await this.priceLists.activate(PRICE_LIST_ID, null);
  }

  @DemoSeason(20, 'departures and crews')
  async loadDepartures(): Promise<void> {
    for (const [index, { serves: _, ...resource }] of RESOURCES.entries()) {
      await this.resources.create(resource, resourceOf(index));
    }
    const now = this.clock.now();
    for (const { name, tour, day } of PLANNED_DEPARTURES) {
      const { product, cents, startTime, endTime, nights } = TOURS[tour];
      const departureId = departureOf(name);
      await this.departures.create(
        {
          ...{ productId: product.id, timeZone: ZONE, priceCents: cents[0] ?? 0, currency: PRICE_LIST.currency },
          startsAt: localTime(now, day, startTime).toISOString(),
          endsAt: localTime(now, day + nights, endTime).toISOString(),
        },
        departureId,
      );
      for (const [index, { serves }] of RESOURCES.entries()) {
        if (serves === tour) await this.assignments.create(departureId, { resourceId: resourceOf(index) });
      }
    }
  }
}
