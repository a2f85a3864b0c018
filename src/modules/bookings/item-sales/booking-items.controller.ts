import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { demoId } from '../../../platform/ids/id.js';
import {
  BookingItemEnvelope,
  BookingItemPage,
  CancelBookingItem,
  ListBookingItems,
  ReinstateBookingItem,
  toBookingItem,
  UpdateBookingItem,
} from '../items/booking-item.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { AddBookingItems, AddedItemsEnvelope } from './unit-sale.dto.js';
import { UnitSalesService } from './unit-sales.service.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';

/** Error codes for allocating units of a departure. */
const UNITS = [
  'capacity_exceeded',
  'departure_called_off',
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
  constructor(
    private readonly items: BookingItemsService,
    private readonly unitSales: UnitSalesService,
  ) {}

  /**
   * Add items to a booking
   *
   * @remarks Adds a priced service and its price to the booking total. With `departureId` the item takes `quantity` units of
   * that departure, from the pool or through `allotmentId`. It is rejected if there are not enough units, after the cut-off or
   * the closing of sales, and after the start. An item with a departure gets the departure's start date as `serviceDate`.
   * Rejected if the booking is cancelled or completed, except for charges that became known after the trip (`extra`, `fee`,
   * `adjustment`) with the scope `bookings:override`, if it has 500 active items, if the total would become negative, if the
   * departure is sold in another currency than the booking, or if the allotment belongs to another channel than the booking.
   *
   * With `units` it adds an item for each unit of the departure's product, all of them or none, at the prices that a quote states:
   * those of the price lists in the booking's currency, otherwise of the departure. Each item takes `quantity` * `seatsPerUnit` of
   * the departure's units, and records the price list and its version. Later changes of lists do not change it. A price that
   * differs needs the override `price`. Each extra of the product becomes a further item of the type `extra`: those that are named, and
   * those that the product requires. It has the departure, and takes none of its units.
   *
   * With a tax code the tax is computed from the rate of the service date, or of today without one; a sent tax must equal it.
   * If other items have a tax code, a discount or an adjustment needs one; so does every item if the accounting settings
   * require it. No tax code may become negative (the error names it in `taxCode`).
   */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.create')
  @BodyExample({
    departureId: demoId('dep', 1),
    units: [
      { unitId: demoId('punt', 1), quantity: 2 },
      { unitId: demoId('punt', 2), quantity: 1 },
    ],
    extras: [{ extraId: demoId('pxtr', 1), quantity: 3 }],
  })
  @Refuses({
    400: ['tax_code_required'],
    403: ['reauthentication_required'],
    404: ['not_found'],
    409: [
      ...[
        'booking_closed',
        'extra_inactive',
        'facility_archived',
        'item_limit_reached',
        'option_inactive',
        'product_archived',
      ],
      ...['tax_code_inactive', 'too_many_travelers', ...UNITS],
    ],
    422: [
      'age_out_of_range',
      'channel_mismatch',
      'currency_mismatch',
      'extra_quantity',
      'invalid_initial_status',
      'negative_total',
      'not_accompanied',
      'option_mismatch',
      'option_quantity',
      'price_differs',
      'price_missing',
      'tax_rate_missing',
      'totals_mismatch',
      'unit_quantity',
    ],
  })
  async add(
    @PathId('book', 'bookingId', 5) bookingId: string,
    @Body() body: AddBookingItems,
  ): Promise<AddedItemsEnvelope> {
    const { items, withUnknownAges } = await this.unitSales.add(bookingId, body);
    const [first, ...others] = items.map(toBookingItem);
    if (!first) throw new Error('A sale has at least one item');
    const warnings = withUnknownAges.map(({ id: bookingItemId }) => ({ code: 'age_unknown' as const, bookingItemId }));
    const path = `/v1/admin/bookings/${bookingId}/items/${first.id}`;
    return created(path, first, { data: first, items: [first, ...others], warnings });
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
   * An item keeps its price on another departure; one of a unit moves only to departures of its product. A typed price that differs
   * from the one of the sale (`listUnitSellCents`) needs the override `price` if the product has units; so does a larger quantity
   * if the unit has another price today.
   *
   * A new service date looks up the tax rate again; if the tax code is on issued documents, the rate stays and the booking has
   * the warning `tax_rate_changed`. Sending another `taxCodeId` always looks it up; sending the item's own changes nothing.
   */
  @Patch(':itemId')
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.update')
  @BodyExample({ title: 'Danube Delta by boat, with lunch', quantity: 3, unitSellCents: 6_400 })
  @Refuses({
    400: ['tax_code_required'],
    403: ['reauthentication_required'],
    404: ['not_found'],
    409: [
      ...['booking_closed', 'booking_item_cancelled', 'facility_archived', 'pass_through_item', 'tax_code_inactive'],
      ...UNITS,
    ],
    422: [
      'channel_mismatch',
      'commission_exceeds_base',
      'cost_unknown',
      'currency_mismatch',
      'extra_quantity',
      'negative_total',
      'option_mismatch',
      'price_differs',
      'product_mismatch',
      'tax_rate_missing',
      'totals_mismatch',
      'unit_quantity',
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
