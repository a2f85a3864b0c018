import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { type Terms, TermsInForce } from '../../legal/index.js';
import { Departures } from '../../operations/index.js';
import { ItemRows } from '../items/item-rows.service.js';
import type { Booking } from './booking.entity.js';

/** The terms in force for a booking today: of the products of its departures, and of its channel. */
@Injectable()
export class BookingTerms {
  constructor(
    private readonly items: ItemRows,
    private readonly departures: Departures,
    private readonly terms: TermsInForce,
    private readonly clock: Clock,
  ) {}

  async of({ id, channelId }: Booking): Promise<Terms> {
    const departures = await this.departures.readAll(await this.items.liveDepartures(id));
    const productIds = [...new Set(departures.map(({ productId }) => productId))].sort();
    return this.terms.of({ on: this.clock.today(), channelId, productIds });
  }
}
