import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { CustomerListener, type MovedRecord } from '../../customers/index.js';
import { BookingListener } from '../bookings/booking-listener.js';
import type { BookingItemSummary, BookingSummary } from '../bookings/booking-summary.js';
import { TravelersRepository } from './travelers.repository.js';
import { TravelersService } from './travelers.service.js';

/** Seats follow the people of their item. */
@Injectable()
@Listens(BookingListener, 40)
export class SeatListener implements BookingListener {
  constructor(private readonly travelers: TravelersService) {}

  async itemChanged({ id: bookingId }: BookingSummary, { id: itemId, people }: BookingItemSummary): Promise<void> {
    await this.travelers.dropSurplus({ bookingId, itemId }, people);
  }
}

/** Travelers follow a customer that is merged into another one, or that withdraws a consent. */
@Injectable()
@Listens(CustomerListener, 20)
export class TravelerCustomerListener implements CustomerListener {
  constructor(private readonly repository: TravelersRepository) {}

  async healthConsentWithdrawn(customerId: string): Promise<void> {
    await this.repository.clearHealthData(customerId);
  }

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.repository.moveToCustomer(customerId, duplicateIds);
    return moved.map((record) => ({ type: 'booking_traveler', ...record }));
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    for (const { id, customerId: former } of records.filter(({ type }) => type === 'booking_traveler')) {
      const isMoved = await this.repository.moveBack(id, { from: customerId, to: former });
      if (isMoved || (await this.repository.travelers.find(id)) === null) continue;
      throw conflict('changed_since', 'A traveler has another customer since this action', { travelerId: id });
    }
  }
}
