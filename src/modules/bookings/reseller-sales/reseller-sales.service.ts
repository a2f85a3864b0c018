import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CustomersService } from '../../customers/index.js';
import { type DepartureSummary, departureTax } from '../../operations/index.js';
import { ProductsService } from '../../products/index.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';
import { BookingsService } from '../bookings/bookings.service.js';
import { titleOf } from '../item-sales/unit-sales.service.js';
import type { SoldLine } from '../trip-sales/trip-sales.service.js';
import { type PartyMember, TravelersService } from '../travelers/travelers.service.js';

/** Units of one kind, at one price, from one allotment or the pool. */
export interface ResellerLine extends Omit<SoldLine, 'type' | 'taxIncludedCents'> {
  allotmentId: string | null;
}

/** Units of a departure that a reseller sold to a guest at fixed prices. Their seats are held until then. */
export interface ResellerSale {
  channelId: string;
  departure: DepartureSummary;
  guest: { name: string; email: string | null; phone: string | null };
  notes: string | null;
  lines: readonly ResellerLine[];
  /** The people of the lines, in their order. */
  people: readonly PartyMember[];
}

/** The channel owes the price, in one amount; the guest has paid the reseller. */
const ON_ACCOUNT = {
  steps: [
    { label: 'On account', type: 'balance' as const, remainder: true, anchor: 'departure' as const, offsetDays: 0 },
  ],
};

/** Turns reservations of resellers into confirmed bookings. */
@Injectable()
export class ResellerSalesService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly customers: CustomersService,
    private readonly products: ProductsService,
    private readonly travelers: TravelersService,
  ) {}

  /**
   * Creates a confirmed booking with an item for each line; `sellHeld` turns the held seats of a line into sold ones. The booking has
   * no e-mail address, so the guest gets no mails about a payment: the reseller is the one who pays. The customer record has it.
   */
  async sell(
    { channelId, departure, guest, notes, lines, people }: ResellerSale,
    sellHeld: (line: ResellerLine, bookingItemId: string) => Promise<void>,
  ): Promise<{ bookingId: string; itemIds: string[] }> {
    return this.database.transaction(async () => {
      const { name, email, phone } = guest;
      const customerId = email === null ? null : await this.customers.findOrCreate({ name, email, phone });
      const { id: bookingId, customerLanguage } = await this.bookings.create({
        ...{ customerId, customerName: name, customerEmail: null, customerPhone: phone, notes },
        ...{ currency: departure.currency, channelId, paymentPolicy: ON_ACCOUNT },
      });
      const { productId } = departure;
      const title = (await this.products.findTitle(productId, customerLanguage)) ?? productId;
      const itemIds: string[] = [];
      for (const line of lines) {
        const itemId = await this.addItem(bookingId, line, { title, departure });
        await sellHeld(line, itemId);
        itemIds.push(itemId);
      }
      await this.travelers.seatParty(bookingId, people, [itemIds]);
      await this.bookings.confirm(bookingId, null);
      return { bookingId, itemIds };
    });
  }

  /** A tax code without a rate does not prevent the booking: the reseller has sold the units already. */
  private async addItem(
    bookingId: string,
    { name, quantity, unitSellCents, taxCodeId, allotmentId, costCents, costCurrency, ...unit }: ResellerLine,
    { title, departure }: { title: string; departure: DepartureSummary },
  ): Promise<string> {
    const { id: departureId, startDate: serviceDate } = departure;
    const isCoded = taxCodeId !== null && (await this.items.hasTaxRate(taxCodeId, serviceDate));
    const taxIncludedCents = departureTax(quantity * unitSellCents, departure);
    const tax = isCoded ? { taxCodeId } : { taxCodeId: null, taxIncludedCents };
    const input = {
      ...{ type: 'unit' as const, title: titleOf(title, name), quantity, unitSellCents, serviceDate },
      ...{ departureId, allotmentId, costCents, costCurrency, ...tax },
    };
    return (await this.items.add(bookingId, input, { unit, hasUnits: true, isCodeOptional: true })).id;
  }
}
