import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { ProductListener } from '../../products/index.js';
import { FacilitiesService } from '../facilities/facilities.service.js';
import { DeparturesService } from './departures.service.js';

/** Prevents archiving a product with future departures, and checks their meeting points. */
@Injectable()
@Listens(ProductListener, 10)
export class DepartureProductListener implements ProductListener {
  constructor(
    private readonly departures: DeparturesService,
    private readonly facilities: FacilitiesService,
  ) {}

  async archiving(productId: string): Promise<void> {
    await this.departures.assertNoneAhead(productId);
  }

  async facilityChosen(facilityId: string): Promise<void> {
    await this.facilities.lockUsable(facilityId);
  }
}
