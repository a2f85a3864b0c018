import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import {
  type BookingItemSummary,
  BookingListener,
  type BookingSummary,
  type VoucherAdmission,
} from '../../bookings/index.js';
import { ManifestsService } from './manifests.service.js';

/** Check-ins follow the people of their item, and vouchers check their people in. Runs before the travelers of the item change seats. */
@Injectable()
@Listens(BookingListener, 30)
export class CheckInListener implements BookingListener {
  constructor(private readonly manifests: ManifestsService) {}

  async itemChanged(_: BookingSummary, { id, people }: BookingItemSummary): Promise<void> {
    await this.manifests.followPeople(id, people);
  }

  async voucherRedeemed(admission: VoucherAdmission): Promise<void> {
    await this.setState(admission, 'arrived');
  }

  async voucherReopened(admission: VoucherAdmission): Promise<void> {
    await this.setState(admission, 'none');
  }

  private async setState({ departureId, seats }: VoucherAdmission, state: 'arrived' | 'none'): Promise<void> {
    if (departureId !== null && seats.length > 0)
      await this.manifests.checkIn(departureId, { state, seats: [...seats] });
  }
}
