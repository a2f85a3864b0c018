import { Injectable } from '@nestjs/common';
import { BookingsService, CancelBooking } from '../../bookings/index.js';
import { type BulkList, type BulkType, listOfBookings } from './bulk-type.js';

/** Cancels each booking under its own terms. */
@Injectable()
export class CancelBookingsType implements BulkType<CancelBooking> {
  readonly scopes = ['bookings:write'];
  readonly params = CancelBooking;
  private readonly list;

  constructor(private readonly bookings: BookingsService) {
    this.list = listOfBookings(bookings);
  }

  listFor(): BulkList {
    return this.list;
  }

  async run(bookingId: string, params: CancelBooking): Promise<void> {
    await this.bookings.cancel(bookingId, params, null);
  }
}
