import { Body, Controller, Get, Put } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { respond } from '../../../platform/http/respond.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { AssignTravelers, ItemSeatsEnvelope, ItemSeatsResponse, SeatResponse } from './traveler.dto.js';
import { type ItemSeats, TravelersService } from './travelers.service.js';

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings/:bookingId/items/:itemId/travelers')
export class ItemTravelersController {
  constructor(private readonly travelers: TravelersService) {}

  /**
   * Get the seats of a booking item
   *
   * @remarks Returns who takes the seats of the item. Seats that are not listed are guests whose names are not known.
   */
  @Get()
  @RequireScope('bookings:read')
  async get(
    @PathId('book', 'bookingId') bookingId: string,
    @PathId('bkit', 'itemId') itemId: string,
  ): Promise<ItemSeatsEnvelope> {
    return { data: toItemSeats(await this.travelers.seatsOf({ bookingId, itemId })) };
  }

  /**
   * Assign travelers to a booking item
   *
   * @remarks Replaces the travelers on the seats of the item. Travelers who have a seat keep it. Rejected if
   * there are more travelers than people on the item, and for a cancelled item. If the quantity of the item falls later,
   * surplus travelers lose their seats, those without a name first. `If-Match` takes the version of the booking.
   */
  @Put()
  @RequireScope('bookings:write')
  @Mutates('bookings.traveler.assign', { irreversible: 'Travelers may have been deleted since: assign them again' })
  @Refuses({
    404: ['not_found'],
    409: ['booking_closed', 'booking_item_cancelled', 'too_many_travelers'],
  })
  async assign(
    @ChangeTarget({ bookingId: ['book', 1], itemId: ['bkit', 1] })
    { bookingId, itemId, expected }: Target<'bookingId' | 'itemId'>,
    @Body() { travelerIds }: AssignTravelers,
  ): Promise<ItemSeatsEnvelope> {
    return { data: toItemSeats(await this.travelers.assign({ bookingId, itemId, expected }, travelerIds)) };
  }
}

function toItemSeats({ seats, ...item }: ItemSeats): ItemSeatsResponse {
  return respond(ItemSeatsResponse, { ...item, seats: seats.map((seat) => respond(SeatResponse, seat)) });
}
