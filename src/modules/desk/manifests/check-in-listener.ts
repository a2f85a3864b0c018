import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { type BookingItemSummary, BookingListener, type BookingSummary } from '../../bookings/index.js';
import { ManifestsService } from './manifests.service.js';

/** Check-ins follow the people of their item. Runs before the travelers of the item change seats. */
@Injectable()
@Listens(BookingListener, 30)
export class CheckInListener implements BookingListener {
  constructor(private readonly manifests: ManifestsService) {}

  async itemChanged(_: BookingSummary, { id, people }: BookingItemSummary): Promise<void> {
    await this.manifests.followPeople(id, people);
  }
}
