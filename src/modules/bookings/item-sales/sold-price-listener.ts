import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { ProductListener } from '../../products/index.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';

mapConstraint('booking_items_unit', () => conflict('unit_in_use', 'Bookings have items of the unit'));
mapConstraint('booking_items_extra', () => conflict('extra_in_use', 'Bookings have items of the extra'));
mapConstraint('booking_items_option', () => conflict('option_in_use', 'Bookings have items of the option'));

/** Prevents the withdrawal of price lists that items record. */
@Injectable()
@Listens(ProductListener, 30)
export class SoldPriceListener implements ProductListener {
  constructor(private readonly repository: BookingsRepository) {}

  async priceListWithdrawn(priceListId: string): Promise<void> {
    if (!(await this.repository.isPriceListSold(priceListId))) return;
    throw conflict('price_list_in_use', 'Items were sold at prices of the list', { priceListId });
  }
}
