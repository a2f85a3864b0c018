import { Controller, Get, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { tagged } from '../../../platform/http/response-headers.js';
import {
  ListPartnerBookings,
  PartnerBookingPage,
  PartnerBookingResponse,
  toPartnerBooking,
  toPartnerBookingRow,
} from './partner-booking.dto.js';
import { PartnerBookingsService } from './partner-bookings.service.js';

@ApiGroup('Connect: Sales', {
  position: 265,
  description:
    'Connect: what partner systems read of the sales of their channels: bookings, departures and commissions.',
})
@Controller('/connect/v1/bookings')
export class PartnerBookingsController {
  constructor(private readonly bookings: PartnerBookingsService) {}

  /**
   * List the bookings of your channels
   *
   * @remarks Returns a page of bookings that the channels of the operator's connections sold, newest first; offers that were never
   * confirmed are left out. A caller without a connection gets none. To follow changes, sort by `updatedAt`, remember the greatest one,
   * and send it less a minute as `updatedAfter`: a change can become visible some seconds after its instant.
   */
  @Get()
  @RequireScope('connect:bookings:read')
  async list(@Query() query: ListPartnerBookings): Promise<PartnerBookingPage> {
    const { rows, total } = await this.bookings.list(query);
    return { data: rows.map(toPartnerBookingRow), total, ...pageBounds(query) };
  }

  /**
   * Get a booking of your channels
   *
   * @remarks Returns the booking with its services. A booking of another channel is not found, like an unknown one.
   */
  @Get(':bookingId')
  @RequireScope('connect:bookings:read')
  async get(@PathId('book', 'bookingId') id: string): Promise<PartnerBookingResponse> {
    const { booking, items } = await this.bookings.get(id);
    return tagged(booking, toPartnerBooking(booking, items));
  }
}
