import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { hasScope, RequireScope } from '../../../platform/auth/access.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import {
  BookingEnvelope,
  BookingPage,
  CancelBooking,
  ConfirmBooking,
  CreateBooking,
  ListBookings,
  ReinstateBooking,
  toBooking,
  toBookingRow,
  UpdateBooking,
} from './booking.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { BookingsService } from './bookings.service.js';

const PATH = '/v1/admin/bookings';

@ApiGroup('Bookings')
@Controller(PATH)
export class BookingsController {
  constructor(private readonly bookings: BookingsService) {}

  /**
   * Create a booking
   *
   * @remarks Creates a draft without items. It needs `customerId` or `customerName`; name and contacts of the customer are copied
   * unless they are given. Only `status: "draft"` is accepted; any other value is rejected. Without `number`
   * the server assigns `B-<year>-<6 digits>`; a number of another booking is rejected. The channel must exist and must not be
   * archived. The percentages of `paymentPolicy` must not exceed 10000 basis points in total and exactly one step must take the
   * remainder.
   */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.create')
  @Refuses({
    404: ['not_found'],
    409: ['booking_number_taken', 'channel_archived', 'customer_archived', 'customer_merged', 'customer_erased'],
    422: ['invalid_initial_status', 'invalid_payment_policy'],
  })
  async create(@Body() body: CreateBooking): Promise<BookingEnvelope> {
    const booking = await this.bookings.create(body);
    return created(`${PATH}/${booking.id}`, booking, { data: toBooking(booking) });
  }

  /**
   * List bookings
   *
   * @remarks Returns a page of bookings, newest first unless `sort` is given. Cancelled and completed bookings are
   * included; filter with `status`. What customers owe is shown with the scope `finance:receivables`.
   */
  @Get()
  @RequireScope('bookings:read')
  async list(@Query() query: ListBookings): Promise<BookingPage> {
    const { rows, total } = await this.bookings.list(query);
    const showsAmounts = hasScope('finance:receivables');
    return { data: rows.map((row) => toBookingRow(row, showsAmounts)), total, ...pageBounds(query) };
  }

  /**
   * Get a booking
   *
   * @remarks Returns the booking with its total and the terms of its confirmation. The items have their own list.
   */
  @Get(':bookingId')
  @ComputedNow()
  @RequireScope('bookings:read')
  async get(@PathId('book', 'bookingId') id: string): Promise<BookingEnvelope> {
    const booking = await this.bookings.get(id);
    return tagged(booking, { data: toBooking(booking) });
  }

  /**
   * Update a booking
   *
   * @remarks Changes only the fields that are sent. `currency` is immutable once the booking has had an item. For a completed
   * or cancelled booking, only the members of the customer and `notes` can be changed. A new `customerId` copies the name and the
   * contacts that are not sent, unless the booking is closed. A new channel must not be archived,
   * and no active item may use an allotment of another channel. If the departure date moves, the due dates of the payment plan
   * can move with it. A new customer must not owe more than its credit limit with the booking, unless that is a draft
   * or has no open balance.
   */
  @Patch(':bookingId')
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.update', {
    irreversible: 'The ledger keeps neither names nor addresses: change the booking again',
  })
  @Refuses({
    409: [
      ...['booking_closed', 'currency_immutable', 'booking_number_taken', 'channel_archived', 'credit_limit_exceeded'],
      ...['customer_archived', 'customer_merged', 'customer_erased'],
    ],
    422: ['channel_mismatch', 'invalid_payment_policy'],
  })
  async update(
    @PathId('book', 'bookingId', 2) id: string,
    @Body() body: UpdateBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<BookingEnvelope> {
    const booking = await this.bookings.update(id, body, expected);
    return tagged(booking, { data: toBooking(booking) });
  }

  /**
   * Confirm a booking
   *
   * @remarks Moves a draft to `confirmed` and stores the policy versions in force today as its terms; they never change
   * afterwards. A payment plan is created if the booking has none, and pending commissions become accrued. The booking needs at
   * least one item that is not cancelled, and no departure that is called off. Any state other than `draft` is rejected. The body may
   * be omitted. If the customer has a credit limit, what it then owes for confirmed bookings must not exceed the limit, unless
   * `override` contains `credit_limit`.
   */
  @Post(':bookingId/confirmation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.confirm', { irreversible: 'The sale is agreed with the customer: cancel the booking' })
  @Refuses({
    403: ['reauthentication_required'],
    409: ['invalid_transition', 'booking_not_priced', 'credit_limit_exceeded', 'departure_called_off'],
  })
  async confirm(
    @PathId('book', 'bookingId', 3) id: string,
    @Body() body: ConfirmBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<BookingEnvelope> {
    const booking = await this.bookings.confirm(id, expected, body);
    return tagged(booking, { data: toBooking(booking) });
  }

  /**
   * Recalculate the taxes of a booking
   *
   * @remarks Applies the rate of the service date to the part of each item with a tax code that no document bills yet. Use it
   * after a rate was added to the tax code, or after the date moved. The amount on issued invoices, less credits, keeps its tax
   * (`earlierRateCents`, `earlierRateTaxCents`): an item gets the amount of lines that name it, and its share of the rest.
   * These parts follow the documents: they change when an invoice is credited or void, or an item is changed or cancelled.
   * Totals do not change. Drafts of invoices become stale. The error of an item contains its ID in `itemId`. Rejected for a
   * cancelled booking, and if a service date has no rate.
   */
  @Post(':bookingId/tax-recalculation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.recalculate_taxes', {
    irreversible: 'The items have the rates of their days again: correct the tax code and recalculate the taxes again',
  })
  @Refuses({ 409: ['booking_closed'], 422: ['commission_exceeds_base', 'negative_total', 'tax_rate_missing'] })
  async recalculateTaxes(
    @PathId('book', 'bookingId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<BookingEnvelope> {
    const booking = await this.bookings.recalculateTaxes(id, expected);
    return tagged(booking, { data: toBooking(booking) });
  }

  /**
   * Cancel a booking
   *
   * @remarks Cancels the booking and all its items that are not cancelled, sets the total to 0 and releases their departure
   * units. Open installments are cancelled, unpaid commissions are voided and paid ones get an adjusting line. Payments and
   * issued invoices do not change. The fee is computed by the terms of the confirmation for `cancelledOn` and kept in an open
   * cancellation settlement; settling it credits the invoices, bills the fee and refunds the rest. `cancelledOn` must be
   * between the confirmation and today. Allowed for `draft`, `confirmed` and `in_progress`. A cancelled booking can be
   * reinstated until its settlement is done.
   */
  @Post(':bookingId/cancellation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.cancel')
  @BodyExample({ reason: 'The customer fell ill', initiator: 'customer' })
  @Refuses({ 409: ['invalid_transition'], 422: ['cancelled_on_out_of_bounds'] })
  async cancel(
    @PathId('book', 'bookingId', 4) id: string,
    @Body() body: CancelBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<BookingEnvelope> {
    const booking = await this.bookings.cancel(id, body, expected);
    return tagged(booking, { data: toBooking(booking) });
  }

  /**
   * Reinstate a cancelled booking
   *
   * @remarks Reverses a cancellation whose settlement is open before the departure. The items that were cancelled with the
   * booking take their units again; payment plan and commissions are as before. Credit notes, refunds and deleted drafts are
   * not reversed. A booking that is not cancelled is rejected, and so is one that would make its customer owe more than the credit
   * limit.
   */
  @Post(':bookingId/reinstatement')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking.reinstate', {
    irreversible: 'A new cancellation needs its day and who cancelled: cancel the booking again',
  })
  @Refuses({
    409: [
      'credit_limit_exceeded',
      'customer_archived',
      'invalid_transition',
      'settlement_done',
      'departure_departed',
      'departure_called_off',
      'departure_cancelled',
      'capacity_exceeded',
      'allotment_inactive',
      'channel_inactive',
      'channel_archived',
    ],
  })
  async reinstate(
    @PathId('book', 'bookingId', 42) id: string,
    @Body() { reason }: ReinstateBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<BookingEnvelope> {
    const booking = await this.bookings.reinstate(id, reason, expected);
    return tagged(booking, { data: toBooking(booking) });
  }
}
