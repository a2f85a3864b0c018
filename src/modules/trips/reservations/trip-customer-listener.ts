import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { CustomerListener, type MovedRecord } from '../../customers/index.js';
import { TripsRepository } from '../envelopes/trips.repository.js';

/** Trips follow their customer into the one that replaces it. */
@Injectable()
@Listens(CustomerListener, 20)
export class TripCustomerListener implements CustomerListener {
  constructor(private readonly repository: TripsRepository) {}

  /** A reserved trip is about to become a booking of the customer. */
  async archiving(customerId: string): Promise<void> {
    const trips = await this.repository.countReservedOf(customerId);
    if (trips > 0) throw conflict('customer_in_use', 'The customer has reserved trips', { trips });
  }

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.repository.moveToCustomer(customerId, duplicateIds);
    return moved.map((record) => ({ type: 'trip', ...record }));
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    await this.repository.moveBack(
      customerId,
      records.filter(({ type }) => type === 'trip'),
    );
  }
}
