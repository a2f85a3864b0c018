import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { OrganizationService } from '../../organization/index.js';
import { BookingFactsSource } from './booking-facts.js';

/** The languages in which customers read. */
@Injectable()
export class ReaderLanguagesService {
  constructor(
    private readonly database: Database,
    private readonly organization: OrganizationService,
    private readonly listeners: Listeners,
  ) {}

  /** The languages for the customer of a booking, the best first: of the booking, of its customer, of the company, English. */
  async ofBooking(bookingId: string | null): Promise<[string, ...string[]]> {
    const [source] = this.listeners.all(BookingFactsSource);
    const booking = bookingId === null ? null : ((await source?.read(bookingId)) ?? null);
    const [customer] = await this.database.query<{ language: string | null }>(
      'select language from customers where id = $1',
      [booking?.customerId ?? null],
    );
    const { defaultLanguage } = await this.organization.getProfile();
    const own = [booking?.language ?? null, customer?.language ?? null].filter((known) => known !== null);
    const [first = defaultLanguage, ...others] = own;
    return [first, ...others, defaultLanguage, 'en'];
  }
}
