import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { BookingItems } from '../items/booking-items.service.js';
import type { ItemType } from '../items/booking-item.entity.js';
import { BookingConfirmation } from './booking-confirmation.service.js';
import { NewBookings } from './new-bookings.service.js';

/** One component of a trip; amounts in minor units of the sale's currency, for the whole quantity. */
export interface ComponentSale {
  type: ItemType;
  title: string;
  /** Divides the total. */
  quantity: number;
  totalCents: number;
  taxIncludedCents: number;
  /** Local date on which it is delivered. */
  serviceDate: string | null;
  /** Whose units were sold to it already. */
  departureId: string | null;
}

export interface TripSale {
  currency: string;
  customerName: string;
  customerEmail: string | null;
  components: readonly ComponentSale[];
}

/** The front door for trips: a booking that is confirmed from the start. */
@Injectable()
export class TripSales {
  constructor(
    private readonly database: Database,
    private readonly newBookings: NewBookings,
    private readonly items: BookingItems,
    private readonly confirmation: BookingConfirmation,
  ) {}

  /** One confirmed booking with an item for each component, whose ids are returned in the same order. */
  async sell(sale: TripSale): Promise<{ bookingId: string; itemIds: string[] }> {
    const { currency, customerName, customerEmail, components } = sale;
    return this.database.transaction(async () => {
      const days = components.flatMap(({ serviceDate }) => serviceDate ?? []).sort();
      const { id } = await this.newBookings.create({
        currency,
        customerName,
        customerEmail,
        startDate: days.at(0) ?? null,
        endDate: days.at(-1) ?? null,
      });
      const itemIds: string[] = [];
      for (const component of components) {
        itemIds.push((await this.items.add(id, itemOf(component), { hasUnits: true })).id);
      }
      await this.confirmation.confirm(id, null);
      return { bookingId: id, itemIds };
    });
  }
}

function itemOf({ type, title, quantity, totalCents, taxIncludedCents, serviceDate, departureId }: ComponentSale) {
  return { type, title, quantity, unitSellCents: totalCents / quantity, taxIncludedCents, serviceDate, departureId };
}
