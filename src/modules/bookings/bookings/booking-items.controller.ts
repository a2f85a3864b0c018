import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import {
  BookingItemEnvelope,
  BookingItemPage,
  CancelBookingItem,
  CreateBookingItem,
  ListBookingItems,
  ReinstateBookingItem,
  toBookingItem,
  UpdateBookingItem,
} from './booking-item.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { BookingItemsService } from './booking-items.service.js';

/** Error codes for allocating units of a departure. */
const UNITS = [
  'capacity_exceeded',
  'departure_cancelled',
  'departure_departed',
  'sales_closed',
  'allotment_inactive',
  'channel_inactive',
  'channel_archived',
];

@ApiGroup('Bookings', {
  position: 20,
  description: 'Staff: bookings and their items, from the draft to confirmation and cancellation.',
})
@Controller('/v1/admin/bookings/:bookingId/items')
export class BookingItemsController {
  constructor(private readonly items: BookingItemsService) {}

  /**
   * Add an item to a booking
   *
   * @remarks Adds a priced service and its price to the booking total. With `departureId` the item takes `quantity` units of
   * that departure, from the pool or through `allotmentId`. It is rejected if there are not enough units, after the cut-off or
   * the closing of sales, and after the start. An item with a departure gets the departure's start date as `serviceDate`.
   * Rejected if the booking is cancelled or completed, except for charges that became known after the trip (`extra`, `fee`,
   * `adjustment`) with the scope `bookings:override`, if it has 500 active items, if the total would become negative, if the
   * departure is sold in another currency than the booking, or if the allotment belongs to another channel than the booking.
   *
   * With a tax code the tax is computed from the rate of the service date, or of today without one; a sent tax must equal it.
   * If other items have a tax code, a discount or an adjustment needs one; so does every item if the accounting settings
   * require it. No tax code may become negative (the error names it in `taxCode`).
   */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.create')
  @Refuses({
    400: ['tax_code_required'],
    403: ['reauthentication_required'],
    404: ['not_found'],
    409: ['booking_closed', 'item_limit_reached', 'tax_code_inactive', ...UNITS],
    422: [
      'channel_mismatch',
      'currency_mismatch',
      'invalid_initial_status',
      'negative_total',
      'tax_rate_missing',
      'totals_mismatch',
    ],
  })
  async add(
    @PathId('book', 'bookingId', 5) bookingId: string,
    @Body() body: CreateBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.add(bookingId, body);
    return created(`/v1/admin/bookings/${bookingId}/items/${item.id}`, item, { data: toBookingItem(item) });
  }

  /**
   * List the items of a booking
   *
   * @remarks Returns a page of items, oldest first. Cancelled items are included; filter with `status`.
   */
  @Get()
  @RequireScope('bookings:read')
  async list(
    @PathId('book', 'bookingId') bookingId: string,
    @Query() query: ListBookingItems,
  ): Promise<BookingItemPage> {
    const { rows, total } = await this.items.list(bookingId, query);
    return { data: rows.map(toBookingItem), total, ...pageBounds(query) };
  }

  /**
   * Get a booking item
   *
   * @remarks Returns an item of this booking; an item of another booking is 404.
   */
  @Get(':itemId')
  @RequireScope('bookings:read')
  async get(
    @PathId('book', 'bookingId') bookingId: string,
    @PathId('bkit', 'itemId') itemId: string,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.get({ bookingId, itemId });
    return tagged(item, { data: toBookingItem(item) });
  }

  /**
   * Update a booking item
   *
   * @remarks Changes only the fields that are sent, recomputes the item's price, its commissions and the booking total, and
   * moves departure units between the old and the new departure or quantity; adding units requires open sales, as for a new
   * item. A `serviceDate` that is sent for an item with a departure is replaced by the departure's start date. A cancelled item
   * cannot be changed, nor can an item of a completed or cancelled booking. A total below 0 is rejected. Credit any amount by
   * which issued invoices exceed the new total.
   *
   * A new service date looks up the tax rate again; if the tax code is on issued documents, the rate stays and the booking has
   * the warning `tax_rate_changed`. Sending another `taxCodeId` always looks it up; sending the item's own changes nothing.
   */
  @Patch(':itemId')
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.update')
  @Refuses({
    400: ['tax_code_required'],
    403: ['reauthentication_required'],
    404: ['not_found'],
    409: ['booking_closed', 'booking_item_cancelled', 'pass_through_item', 'tax_code_inactive', ...UNITS],
    422: [
      'channel_mismatch',
      'commission_exceeds_base',
      'cost_unknown',
      'currency_mismatch',
      'negative_total',
      'tax_rate_missing',
      'totals_mismatch',
    ],
  })
  async update(
    @ChangeTarget({ bookingId: ['book', 5], itemId: ['bkit', 6] }) target: Target<'bookingId' | 'itemId'>,
    @Body() body: UpdateBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.update(target, body);
    return tagged(item, { data: toBookingItem(item) });
  }

  /**
   * Cancel a booking item
   *
   * @remarks Cancels a confirmed item, subtracts its price from the booking total and releases its departure units. The body
   * may be omitted. With `applyTerms` an item of type `fee` is added for the amount that the cancellation terms of the booking
   * charge for the item, if it is more than 0; the accounting settings determine its tax. If they do not determine it, the
   * request is rejected. An item that is fulfilled or already cancelled is rejected; so is an item of a completed or cancelled
   * booking. A total below 0 is rejected. Credit any amount by which issued invoices exceed the new total.
   */
  @Post(':itemId/cancellation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.cancel')
  @Refuses({
    409: ['booking_closed', 'fee_needs_decision', 'invalid_transition'],
    422: ['negative_total'],
  })
  async cancel(
    @ChangeTarget({ bookingId: ['book', 5], itemId: ['bkit', 7] }) target: Target<'bookingId' | 'itemId'>,
    @Body() body: CancelBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.cancel(target, body);
    return tagged(item, { data: toBookingItem(item) });
  }

  /**
   * Reinstate a cancelled booking item
   *
   * @remarks Reverses the cancellation of one item of an active booking before its service date: its price returns to the
   * total, its units are taken again, its commissions are as before, and a fee that was charged for it is cancelled. An item
   * that is not cancelled is rejected; so is one whose service date has passed, or whose booking is completed or cancelled.
   */
  @Post(':itemId/reinstatement')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.reinstate', {
    irreversible: 'A new cancellation needs its fee: cancel the item again',
  })
  @Refuses({
    409: ['booking_closed', 'invalid_transition', 'item_limit_reached', ...UNITS],
    422: ['negative_total'],
  })
  async reinstate(
    @ChangeTarget({ bookingId: ['book', 43], itemId: ['bkit', 144] }) target: Target<'bookingId' | 'itemId'>,
    @Body() { reason }: ReinstateBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.reinstate(target, reason);
    return tagged(item, { data: toBookingItem(item) });
  }
}
