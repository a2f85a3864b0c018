import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/target.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { BookingItemEnvelope, BookingItemPage, toBookingItem } from './booking-item-response.dto.js';
import { CancelBookingItem, CreateBookingItem, ListBookingItems, UpdateBookingItem } from './booking-item.dto.js';
import { BookingItems } from './booking-items.service.js';
import { ItemRows } from './item-rows.service.js';

/** What taking units of a departure may be refused with. */
const UNITS = [
  'capacity_exceeded',
  'departure_cancelled',
  'allotment_inactive',
  'channel_inactive',
  'channel_archived',
];

@ApiTags('Bookings')
@Controller('/v1/admin/bookings/:bookingId/items')
export class BookingItemsController {
  constructor(
    private readonly items: BookingItems,
    private readonly rows: ItemRows,
  ) {}

  /** Adds an item to a booking and its price to the total */
  @Post()
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.create')
  @Refuses({
    404: ['not_found'],
    409: ['booking_closed', 'item_limit_reached', ...UNITS],
    422: ['channel_mismatch', 'invalid_initial_status', 'negative_total'],
  })
  async add(
    @PathId('book', 'bookingId', 5) bookingId: string,
    @Body() body: CreateBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.add(bookingId, body);
    return created(`/v1/admin/bookings/${bookingId}/items/${item.id}`, item, { data: toBookingItem(item) });
  }

  /** Lists the items of a booking, oldest first, the cancelled ones among them */
  @Get()
  @RequireScope('bookings:read')
  async list(
    @PathId('book', 'bookingId') bookingId: string,
    @Query() query: ListBookingItems,
  ): Promise<BookingItemPage> {
    const { items, total } = await this.rows.list(bookingId, query);
    return { data: items.map(toBookingItem), total, ...pageBounds(query) };
  }

  /** Reads an item of a booking */
  @Get(':itemId')
  @RequireScope('bookings:read')
  async get(
    @PathId('book', 'bookingId') bookingId: string,
    @PathId('bkit', 'itemId') itemId: string,
  ): Promise<BookingItemEnvelope> {
    const item = await this.rows.get({ bookingId, itemId });
    return tagged(item, { data: toBookingItem(item) });
  }

  /** Changes an item, and the booking's total with it */
  @Patch(':itemId')
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.update')
  @Refuses({
    404: ['not_found'],
    409: ['booking_closed', 'booking_item_cancelled', ...UNITS],
    422: ['channel_mismatch', 'negative_total'],
  })
  async update(
    @ChangeTarget({ bookingId: ['book', 5], itemId: ['bkit', 6] }) target: Target<'bookingId' | 'itemId'>,
    @Body() body: UpdateBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.update(target, body);
    return tagged(item, { data: toBookingItem(item) });
  }

  /** Cancels an item and takes its price out of the total */
  @Post(':itemId/cancellation')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.booking_item.cancel')
  @Refuses({ 409: ['booking_closed', 'invalid_transition'], 422: ['negative_total'] })
  async cancel(
    @ChangeTarget({ bookingId: ['book', 5], itemId: ['bkit', 7] }) target: Target<'bookingId' | 'itemId'>,
    @Body() { reason }: CancelBookingItem,
  ): Promise<BookingItemEnvelope> {
    const item = await this.items.cancel(target, reason ?? null);
    return tagged(item, { data: toBookingItem(item) });
  }
}
