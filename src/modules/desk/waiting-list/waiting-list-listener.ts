import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { DepartureListener, type DepartureSummary } from '../../operations/index.js';
import { WaitingOffersService } from './waiting-offers.service.js';

/** Units that come free are held for the waiting list, in the transaction that frees them. */
@Injectable()
@Listens(DepartureListener, 80)
export class WaitingListListener implements DepartureListener {
  constructor(private readonly offers: WaitingOffersService) {}

  async unitsFreed(departureId: string): Promise<void> {
    await this.offers.offerUnits(departureId);
  }

  async optionsInUse(departureId: string): Promise<string[]> {
    return this.offers.listOfferedOptions(departureId);
  }

  async ending({ id }: DepartureSummary): Promise<void> {
    await this.offers.endDeparture(id);
  }

  async reinstated({ id }: DepartureSummary): Promise<void> {
    await this.offers.reinstateEntries(id);
  }

  async moved(departure: DepartureSummary): Promise<void> {
    await this.offers.followMove(departure);
  }

  async cutOffMoved(departure: DepartureSummary): Promise<void> {
    await this.offers.followMove(departure);
  }
}
