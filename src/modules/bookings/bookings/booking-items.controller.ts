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

/** Error codes of taking units of a departure. */
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
   * @remarks Adds a priced service and its price to the booking total. With `departureId` the item takes `quantity`
   * units of that departure, from the pool or through `allotmentId`; 409 `capacity_exceeded` if there are not enough,
   * 409 `sales_closed` after the cut-off or the closing of sales, 409 `departure_departed` after the start.
   * An item with a departure gets the departure's start date as `serviceDate`. Rejected if the booking is cancelled
   * (409 `booking_closed`) or completed, but for charges that became known after the trip (`extra`, `fee`, `adjustment`)
   * with the scope `bookings:override`, if it has 500 active items (409 `item_limit_reached`), if the total would
   * become negative (422 `negative_total`), if the departure is sold in another currency than the booking (422
   * `currency_mismatch`), or if the allotment belongs to another channel than the booking (422
   * `channel_mismatch`).
   *
   * With a tax code the tax is computed from the rate of the service date, or of today without one (422
   * `tax_rate_missing`); a sent tax must equal it (422 `totals_mismatch`). Beside items with a tax code a discount or an
   * adjustment needs one (400 `tax_code_required`), as does each item if the accounting settings say so, and no tax code may become negative (422 `negative_total` with
   * `taxCode`).
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
   * @remarks Changes only the fields that are sent, recomputes the item's price, its commissions and the booking
   * total, and moves departure units between the old and the new departure or quantity; more units need open sales, as
   * for a new item. A `serviceDate` that is sent
   * for an item with a departure is replaced by the departure's start date. A cancelled item cannot be changed (409
   * `booking_item_cancelled`), nor can an item of a completed or cancelled booking (409 `booking_closed`). A total
   * below 0 is rejected with 422 `negative_total`. Credit any amount by which issued invoices exceed the new total.
   *
   * A new service date looks up the tax rate again; if the tax code is on issued documents, the rate stays and the
   * booking has the warning `tax_rate_changed`. Sending another `taxCodeId` looks it up in any case; repeating that of the
   * item changes nothing.
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
   * @remarks Cancels a confirmed item, subtracts its price from the booking total and releases its departure units.
   * The body may be omitted. With `applyTerms` an item of type `fee` is added over what the cancellation terms of the
   * booking charge for the item, if that is more than 0, taxed as the accounting settings say; 409 `fee_needs_decision` if they do not determine it. An item
   * that is fulfilled or already cancelled is rejected with 409 `invalid_transition`, a completed or cancelled booking with 409 `booking_closed`. A total below 0 is rejected
   * with 422 `negative_total`. What issued invoices request beyond the new total is to be credited.
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
   * @remarks Reverses the cancellation of one item of a live booking before its service date: its price returns to the
   * total, its units are taken again (409 `capacity_exceeded`), its commissions are as before, and a fee that was charged
   * for it is cancelled. An item that is not cancelled is rejected with 409 `invalid_transition`, one whose service date
   * has passed with 409 `departure_departed`, a completed or cancelled booking with 409 `booking_closed`.
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
