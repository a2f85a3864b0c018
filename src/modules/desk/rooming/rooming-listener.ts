import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { BookingListener, type BookingSummary } from '../../bookings/index.js';
import { RoomingService } from './rooming.service.js';

/** Travelers without a seat leave their rooms. Runs after the travelers of a changed item have changed seats. */
@Injectable()
@Listens(BookingListener, 50)
export class RoomingListener implements BookingListener {
  constructor(private readonly rooming: RoomingService) {}

  async itemChanged({ id }: BookingSummary): Promise<void> {
    await this.rooming.followSeats(id);
  }

  async itemCancelled({ id }: BookingSummary): Promise<void> {
    await this.rooming.followSeats(id);
  }

  async cancelled({ id }: BookingSummary): Promise<void> {
    await this.rooming.followSeats(id);
  }

  async travelersChanged(bookingId: string): Promise<void> {
    await this.rooming.followSeats(bookingId);
  }
}
