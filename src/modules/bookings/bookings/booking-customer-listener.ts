import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type CustomerCopy, CustomerListener, type MovedRecord } from '../../customers/index.js';
import { BookingsService } from './bookings.service.js';

/** Bookings follow their customer. */
@Injectable()
@Listens(CustomerListener, 10)
export class BookingCustomerListener implements CustomerListener {
  constructor(private readonly bookings: BookingsService) {}

  async changed(before: CustomerCopy, after: CustomerCopy): Promise<void> {
    await this.bookings.followCustomer(before, after);
  }

  async archiving(customerId: string): Promise<void> {
    await this.bookings.assertNoOpenOf(customerId);
  }

  async merged(customerId: string, duplicateIds: readonly string[]): Promise<MovedRecord[]> {
    const moved = await this.bookings.moveToCustomer(customerId, duplicateIds);
    return moved.map((record) => ({ type: 'booking', ...record }));
  }

  async separated(customerId: string, records: readonly MovedRecord[]): Promise<void> {
    await this.bookings.moveBack(customerId, records);
  }
}
