import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { CustomersService } from '../../customers/index.js';
import type { CreateBookingItem } from '../items/booking-item.dto.js';
import type { ItemType, SupplierStatus, UnitOfItem } from '../items/booking-item.entity.js';
import { titleOf } from '../item-sales/unit-sales.service.js';
import type { ConfirmBooking } from '../bookings/booking.dto.js';
import { BookingItemsService } from '../bookings/booking-items.service.js';
import { BookingsRepository, type ItemPath } from '../bookings/bookings.repository.js';
import { ItemTaxesService } from '../bookings/item-taxes.service.js';
import { BookingsService } from '../bookings/bookings.service.js';
import { type PartyMember, TravelersService } from '../travelers/travelers.service.js';

/** A unit or an extra of a component, at the price that was offered; becomes an item of its own. */
export interface SoldLine extends UnitOfItem {
  type: 'unit' | 'extra';
  name: string;
  quantity: number;
  unitSellCents: number;
  /** For the whole quantity; used without a tax code, or if that has no rate on the date. */
  taxIncludedCents: number;
  taxCodeId: string | null;
  /** Expected cost of the whole quantity. */
  costCents: number | null;
  costCurrency: string | null;
}

/** One component of a trip; amounts in minor units of the sale's currency, for the whole quantity. */
export interface ComponentSale {
  type: ItemType;
  title: string;
  /** Number of units by which the total is divided. */
  quantity: number;
  totalCents: number;
  /** Used without a tax code, or if the tax code has no rate on that date. */
  taxIncludedCents: number;
  taxCodeId: string | null;
  /** Local date on which it is delivered. */
  serviceDate: string | null;
  /** The departure whose units were already sold to it. */
  departureId: string | null;
  /** An external provider has to confirm it. */
  isExternal: boolean;
  /** What it consists of if it is sold by units; their amounts add up to the total. */
  lines: readonly SoldLine[];
}

export interface TripSale {
  currency: string;
  /** Null means the customer with the name and the address, who is created if there is none. */
  customerId: string | null;
  customerName: string;
  customerEmail: string | null;
  customerPhone: string | null;
  customerAddress: string | null;
  components: readonly ComponentSale[];
  /** The people of the trip, in their order; the first named one leads the booking. */
  travelers: readonly PartyMember[];
}

type OfferedItem = CreateBookingItem & Pick<ComponentSale, 'taxIncludedCents' | 'taxCodeId' | 'serviceDate'>;

/** Turns trips into bookings, and stores later responses of their external providers. */
@Injectable()
export class TripSalesService {
  constructor(
    private readonly database: Database,
    private readonly repository: BookingsRepository,
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly taxes: ItemTaxesService,
    private readonly customers: CustomersService,
    private readonly travelers: TravelersService,
  ) {}

  /** Whether the accounting settings require a tax code for sales. */
  async areTaxCodesRequired(): Promise<boolean> {
    return this.taxes.areCodesRequired();
  }

  /**
   * Creates a confirmed booking of the trip's customer, with an item for each component or for each of its lines, and the travelers
   * on their seats. Returns the ids of the items of each component.
   */
  async sell(
    sale: TripSale,
    confirmation: ConfirmBooking,
  ): Promise<{ bookingId: string; customerId: string | null; itemIds: string[][] }> {
    const { components, travelers, ...buyer } = sale;
    return this.database.transaction(async () => {
      const days = components.flatMap(({ serviceDate }) => serviceDate ?? []).sort();
      const dates = { startDate: days.at(0) ?? null, endDate: days.at(-1) ?? null };
      const { customerName: name, customerEmail: email, customerPhone: phone } = buyer;
      const customerId = buyer.customerId ?? (email && (await this.customers.findOrCreate({ name, email, phone })));
      const { id } = await this.bookings.create({ ...buyer, ...dates, customerId });
      const itemIds: string[][] = [];
      for (const component of components) itemIds.push(await this.addItems(id, component));
      await this.travelers.seatParty(id, travelers, itemIds);
      await this.bookings.confirm(id, null, confirmation);
      return { bookingId: id, customerId, itemIds };
    });
  }

  private async addItems(
    bookingId: string,
    { totalCents, isExternal, lines, ...component }: ComponentSale,
  ): Promise<string[]> {
    const { title, serviceDate, departureId } = component;
    if (lines.length === 0) {
      const supplierStatus = isExternal ? 'pending' : 'none';
      const item = { ...component, unitSellCents: totalCents / component.quantity };
      return [await this.addItem(bookingId, item, { supplierStatus })];
    }
    const ids: string[] = [];
    for (const { type, name, quantity, unitSellCents, taxIncludedCents, taxCodeId, ...line } of lines) {
      const { costCents, costCurrency, ...unit } = line;
      const item = {
        ...{ type, quantity, unitSellCents, taxIncludedCents, taxCodeId, costCents, costCurrency },
        ...{ title: type === 'unit' ? titleOf(title, name) : name, serviceDate, departureId },
      };
      ids.push(await this.addItem(bookingId, item, { unit }));
    }
    return ids;
  }

  /** A tax code without a rate does not prevent the booking: a reserved trip must become one. */
  private async addItem(
    bookingId: string,
    { taxIncludedCents, taxCodeId, ...item }: OfferedItem,
    more: { supplierStatus?: SupplierStatus; unit?: UnitOfItem },
  ): Promise<string> {
    const isCoded = taxCodeId !== null && (await this.items.hasTaxRate(taxCodeId, item.serviceDate));
    const tax = isCoded ? { taxCodeId } : { taxCodeId: null, taxIncludedCents };
    const added = await this.items.add(
      bookingId,
      { ...item, ...tax },
      { ...more, hasUnits: true, isCodeOptional: true },
    );
    return added.id;
  }

  /**
   * Adds the price difference of a replaced trip component to the booking, with the tax code of the item it was sold as, if
   * that has one.
   */
  async addDifference({ bookingId, itemId }: ItemPath, input: CreateBookingItem): Promise<string> {
    const { taxCodeId } = await this.repository.getItem({ bookingId, itemId });
    const { taxIncludedCents, ...coded } = input;
    const item = taxCodeId === null ? { ...coded, taxIncludedCents } : { ...coded, taxCodeId };
    return (await this.items.add(bookingId, item, { isCodeOptional: true })).id;
  }

  /** Stores responses of external providers about items of a trip's booking. */
  async setSupplierStatus(bookingId: string, itemIds: readonly string[], status: SupplierStatus): Promise<void> {
    await this.items.setSupplierStatus(bookingId, itemIds, status);
  }
}
