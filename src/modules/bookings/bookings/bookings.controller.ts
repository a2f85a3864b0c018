import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { BookingChanges } from './booking-changes.service.js';
import { BookingConfirmation } from './booking-confirmation.service.js';
import { BookingReader } from './booking-reader.service.js';
import { BookingEnvelope, BookingPage, toBooking } from './booking-response.dto.js';
import { CancelBooking, CreateBooking, ListBookings, UpdateBooking } from './booking.dto.js';
import { NewBookings } from './new-bookings.service.js';

const PATH = '/v1/admin/bookings';

@ApiTags('Bookings')
@Controller(PATH)
export class BookingsController {
  constructor(
    private readonly newBookings: NewBookings,
    private readonly changes: BookingChanges,
    private readonly confirmation: BookingConfirmation,
    private readonly reader: BookingReader,
  ) {}

  /** Takes a booking, a draft without items */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.create')
  @Refuses({
    404: ['not_found'],
    409: ['booking_number_taken', 'channel_archived'],
    422: ['invalid_initial_status', 'invalid_payment_policy'],
  })
  async create(@Body() body: CreateBooking): Promise<BookingEnvelope> {
    const booking = await this.newBookings.create(body);
    return created(`${PATH}/${booking.id}`, booking, { data: toBooking(booking) });
  }

  /** Lists bookings, newest first */
  @Get()
  @RequireScope('bookings:read')
  async list(@Query() query: ListBookings): Promise<BookingPage> {
    const { views, total } = await this.reader.list(query);
    return { data: views.map(toBooking), total, ...pageBounds(query) };
  }

  /** Reads a booking */
  @Get(':bookingId')
  @RequireScope('bookings:read')
  async get(@PathId('book', 'bookingId') id: string): Promise<BookingEnvelope> {
    const booking = await this.reader.get(id);
    return tagged(booking, { data: toBooking(booking) });
  }

  /** Changes a booking; its currency until there is an item, and of a closed one only customer and notes */
  @Patch(':bookingId')
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.update')
  @Refuses({
    409: ['booking_closed', 'currency_immutable', 'booking_number_taken', 'channel_archived'],
    422: ['channel_mismatch', 'invalid_payment_policy'],
  })
  async update(
    @PathId('book', 'bookingId', 2) id: string,
    @Body() body: UpdateBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<BookingEnvelope> {
    const booking = await this.changes.update(id, body, expected);
    return tagged(booking, { data: toBooking(booking) });
  }

  /** Confirms a draft that has an item, under the terms that are in force today */
  @Post(':bookingId/confirmation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.confirm')
  @Refuses({ 409: ['invalid_transition', 'booking_not_priced'] })
  async confirm(
    @PathId('book', 'bookingId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<BookingEnvelope> {
    const booking = await this.confirmation.confirm(id, expected);
    return tagged(booking, { data: toBooking(booking) });
  }

  /** Cancels a booking with all its items; money that was paid stays where it is */
  @Post(':bookingId/cancellation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.cancel')
  @Refuses({ 409: ['invalid_transition'] })
  async cancel(
    @PathId('book', 'bookingId', 4) id: string,
    @Body() { reason }: CancelBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<BookingEnvelope> {
    const booking = await this.changes.cancel(id, reason, expected);
    return tagged(booking, { data: toBooking(booking) });
  }
}
