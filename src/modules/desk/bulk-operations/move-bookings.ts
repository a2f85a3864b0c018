import { Injectable } from '@nestjs/common';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { Flag, Id, Optional, Text } from '../../../platform/http/fields.js';
import { BookingsService, DepartureBookingsService } from '../../bookings/index.js';
import { DeparturesService } from '../../operations/index.js';
import { type BulkList, type BulkType, listOfBookings } from './bulk-type.js';

/** The departures between which bookings move. */
class MoveBookings {
  @Id('dep')
  departureId: string;

  @Id('dep')
  targetDepartureId: string;

  @Optional()
  @Flag()
  reprice?: boolean;

  @Text({ max: 2000, multiline: true })
  reason: string;
}

/**
 * Moves all items that a booking has on a departure to another one, or none. The other departure sells the same product, because
 * the price of another product needs the scope `bookings:override`.
 */
@Injectable()
export class MoveBookingsType implements BulkType<MoveBookings> {
  readonly scopes = ['bookings:write'];
  readonly params = MoveBookings;
  private readonly list;

  constructor(
    bookings: BookingsService,
    private readonly departureBookings: DepartureBookingsService,
    private readonly departures: DeparturesService,
  ) {
    this.list = listOfBookings(bookings);
  }

  listFor(): BulkList {
    return this.list;
  }

  async check({ departureId, targetDepartureId }: MoveBookings): Promise<void> {
    const field = 'params.targetDepartureId';
    if (departureId === targetDepartureId) {
      throw unprocessable('same_departure', 'Bookings cannot move to the departure on which they are', { field });
    }
    const { productId } = await this.departures.get(departureId, { field: 'params.departureId' });
    const target = await this.departures.get(targetDepartureId, { field });
    if (target.productId === productId) return;
    throw unprocessable('product_mismatch', 'The departures sell different products', { field });
  }

  async run(bookingId: string, { reprice: isRepriced = false, ...move }: MoveBookings): Promise<void> {
    const moved = await this.departureBookings.rebook(bookingId, { ...move, isRepriced, isAnnounced: false });
    if (moved) return;
    throw conflict('booking_not_on_departure', 'The booking has no live item on the departure');
  }
}
