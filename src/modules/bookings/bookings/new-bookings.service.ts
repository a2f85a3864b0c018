import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/id.js';
import { ChannelsService } from '../../distribution/index.js';
import { completePolicy } from '../payment-policies/payment-policy.js';
import { BookingJournal, imageOfBooking } from './booking-journal.js';
import { BookingNumbers } from './booking-numbers.service.js';
import type { BookingView } from './booking-rows.service.js';
import type { CreateBooking } from './booking.dto.js';
import { newBooking } from './new-booking.js';

/** Where bookings are taken. */
@Injectable()
export class NewBookings {
  constructor(
    private readonly database: Database,
    private readonly numbers: BookingNumbers,
    private readonly channels: ChannelsService,
    private readonly journal: BookingJournal,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 404 for an unknown channel, 409 `booking_number_taken`, `channel_archived`, 422 `invalid_initial_status`,
   * `invalid_payment_policy`.
   */
  async create(input: CreateBooking, id = newId('book')): Promise<BookingView> {
    const { status = 'draft', channelId, number, paymentPolicy: sent } = input;
    if (status !== 'draft') throw unprocessable('invalid_initial_status', `A new booking cannot be ${status}`);
    const paymentPolicy = sent ? completePolicy(sent, 'paymentPolicy') : null;

    return this.database.transaction(async () => {
      const booking = newBooking(input, { id, paymentPolicy, now: this.clock.now() });
      if (channelId) await this.channels.assertUsable(channelId);
      if (number === undefined) await this.numbers.insertNumbered(booking);
      else if (!(await this.database.insertUnlessTaken(booking))) {
        throw conflict('booking_number_taken', 'Another booking already has this number', { number });
      }
      this.journal.booking('create', booking, { before: null, after: imageOfBooking(booking) });
      return Object.assign({}, booking, { departureDate: booking.startDate });
    });
  }
}
