import { Body, Controller, Post } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { toBooking } from '../bookings/booking.dto.js';
import { BookingCopiesService } from './booking-copies.service.js';
import { BookingCopyEnvelope, CopyBooking } from './booking-copy.dto.js';

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings/:bookingId/copies')
export class BookingCopiesController {
  constructor(private readonly copies: BookingCopiesService) {}

  /**
   * Copy a booking
   *
   * @remarks Creates a draft for the same customer, channel and currency with the items that are not cancelled, at the prices of
   * today, all of them or none. Units and extras are sold as in a new sale of each departure; an item without a departure keeps its
   * typed price. With `departureId` the copy moves to another departure of the product, and the dates of items without a departure
   * move by the same number of days. Of a cancelled booking, the items that were cancelled with it are copied.
   *
   * Fees, discounts and adjustments are not copied, nor are services of external providers. `omitted` names them. Travelers keep names
   * and contacts, but neither documents nor dietary needs and health data, for which the consent was given for one journey.
   */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.copy', { irreversible: 'Cancel the copy instead' })
  @BodyExample({ travelers: 'keep' })
  @Refuses({
    404: ['not_found'],
    409: [
      ...['allotment_inactive', 'booking_erased', 'capacity_exceeded', 'channel_archived', 'channel_inactive'],
      ...['customer_archived', 'customer_erased', 'customer_merged', 'departure_called_off', 'departure_cancelled'],
      ...['departure_departed', 'extra_inactive', 'facility_archived', 'option_inactive', 'product_archived'],
      ...['sales_closed', 'tax_code_inactive'],
    ],
    422: [
      ...['age_out_of_range', 'currency_mismatch', 'departure_missing', 'extra_quantity', 'not_accompanied'],
      ...['option_mismatch', 'option_quantity', 'price_differs', 'price_missing', 'product_mismatch'],
      ...['several_departures', 'tax_rate_missing', 'unit_quantity'],
    ],
  })
  async copy(@PathId('book', 'bookingId') id: string, @Body() body: CopyBooking): Promise<BookingCopyEnvelope> {
    const { booking, omitted } = await this.copies.copy(id, body);
    return created(`/v1/admin/bookings/${booking.id}`, booking, { data: toBooking(booking), omitted });
  }
}
