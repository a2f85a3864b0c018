import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { CustomersService } from '../../customers/index.js';
import { type DepartureSummary, departureTax } from '../../operations/index.js';
import { ProductsService } from '../../products/index.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';
import { BookingListener } from '../bookings/booking-listener.js';
import { BookingsService } from '../bookings/bookings.service.js';
import { titleOf } from '../item-sales/unit-sales.service.js';
import type { SoldLine } from '../trip-sales/trip-sales.service.js';
import { type PartyMember, type SeatedPerson, TravelersService } from '../travelers/travelers.service.js';

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

/** Units of an item that a reseller gives up. */
export interface GivenUpUnits {
  itemId: string;
  /** Units of the item that stay. */
  quantity: number;
  /** The numbers of the seats that become free. */
  seats: readonly number[];
}

/** Units of a sale that become other ones: of the same departure or of another one. */
export interface ResellerExchange extends Pick<ResellerSale, 'departure' | 'lines'> {
  /** The people of the lines, in their order. */
  people: readonly SeatedPerson[];
  givenUp: readonly GivenUpUnits[];
}

type SellHeld = (line: ResellerLine, bookingItemId: string) => Promise<void>;

const CHANGED_BY_RESELLER = 'Changed by the reseller';

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
    private readonly listeners: Listeners,
  ) {}

  /**
   * Creates a confirmed booking with an item for each line; `sellHeld` turns the held seats of a line into sold ones. The booking has
   * no e-mail address, so the guest gets no mails about a payment: the reseller is the one who pays. The customer record has it.
   */
  async sell(
    { channelId, departure, guest, notes, lines, people }: ResellerSale,
    sellHeld: SellHeld,
  ): Promise<{ bookingId: string; itemIds: string[] }> {
    return this.database.transaction(async () => {
      const { name, email, phone } = guest;
      const customerId = email === null ? null : await this.customers.findOrCreate({ name, email, phone });
      const { id: bookingId, customerLanguage } = await this.bookings.create({
        ...{ customerId, customerName: name, customerEmail: null, customerPhone: phone, notes },
        ...{ currency: departure.currency, channelId, paymentPolicy: ON_ACCOUNT },
      });
      const sale = { bookingId, departure, language: customerLanguage };
      const itemIds = await this.addItems(lines, sale, sellHeld);
      await this.travelers.seatParty(bookingId, people, [itemIds]);
      await this.bookings.confirm(bookingId, null);
      return { bookingId, itemIds };
    });
  }

  /**
   * Adds items to a confirmed booking and takes units from others, without a fee. The new units are sold before the others are
   * released. Returns the IDs of the new items.
   */
  async exchange(
    bookingId: string,
    { departure, lines, people, givenUp }: ResellerExchange,
    sellHeld: SellHeld,
  ): Promise<string[]> {
    return this.database.transaction(async () => {
      const { customerLanguage: language } = await this.bookings.lock(bookingId);
      const itemIds = await this.addItems(lines, { bookingId, departure, language }, sellHeld);
      const freed = givenUp.flatMap(({ itemId, seats }) => seats.map((seat) => ({ itemId, seat })));
      for (const { itemId } of givenUp.filter(({ quantity }) => quantity === 0)) {
        await this.items.cancel({ bookingId, itemId, expected: null }, { reason: CHANGED_BY_RESELLER });
      }
      await this.travelers.reseat(bookingId, { freed, itemIds, people });
      for (const { itemId, quantity } of givenUp.filter((one) => one.quantity > 0)) {
        await this.items.update({ bookingId, itemId, expected: null }, { quantity }, { reason: CHANGED_BY_RESELLER });
      }
      await this.listeners.call(BookingListener, (listener) => listener.itemsAdded?.(bookingId));
      return itemIds;
    });
  }

  private async addItems(
    lines: readonly ResellerLine[],
    { bookingId, departure, language }: { bookingId: string; departure: DepartureSummary; language: string | null },
    sellHeld: SellHeld,
  ): Promise<string[]> {
    const { productId } = departure;
    const title = (await this.products.findTitle(productId, language)) ?? productId;
    const itemIds: string[] = [];
    for (const line of lines) {
      const itemId = await this.addItem(bookingId, line, { title, departure });
      await sellHeld(line, itemId);
      itemIds.push(itemId);
    }
    return itemIds;
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
