import { Injectable } from '@nestjs/common';
import { AllotmentsService, ChannelsService } from '../../distribution/index.js';
import {
  type GivenUpUnits,
  type ItemSeat,
  type ResellerLine,
  ResellerSalesService,
  type SeatedPerson,
} from '../../bookings/index.js';
import { CommissionsService } from '../../finance/index.js';
import { type DepartureSummary, DeparturesService } from '../../operations/index.js';
import type { Connection } from '../connections/connection.entity.js';
import type { OctoBooking, OctoContact, OctoUnitItem } from './octo-booking.entity.js';
import { OctoBookingsRepository } from './octo-bookings.repository.js';

/** The units of one item of a booking. */
interface SoldTogether {
  line: ResellerLine;
  units: OctoUnitItem[];
}

/** What becomes of the booking of a reservation whose units change. */
interface SoldExchange {
  bookingId: string;
  /** That of the new units. */
  departure: DepartureSummary;
  added: readonly OctoUnitItem[];
  givenUp: readonly GivenUpUnits[];
  /** The former seats of the people of units, by the uuid of the unit. */
  seatsOf: ReadonlyMap<string, readonly ItemSeat[]>;
  channelId: string;
}

/** Turns a reservation into a confirmed booking, with the prices of the reservation and the commission of the channel. */
@Injectable()
export class OctoSalesService {
  constructor(
    private readonly sales: ResellerSalesService,
    private readonly departures: DeparturesService,
    private readonly allotments: AllotmentsService,
    private readonly commissions: CommissionsService,
    private readonly channels: ChannelsService,
    private readonly repository: OctoBookingsRepository,
  ) {}

  /** Returns the ID of the booking. The units of the locked reservation stay together by unit, price and allotment. */
  async sell(
    booking: OctoBooking,
    units: readonly OctoUnitItem[],
    { connection: { name, channelId }, departure }: { connection: Connection; departure: DepartureSummary },
  ): Promise<string> {
    const { id: departureId } = departure;
    const groups = togetherOf(booking, units);
    const sale = {
      ...{ channelId, departure, notes: booking.notes, lines: groups.map(({ line }) => line) },
      guest: {
        name: nameOf(booking.contact) ?? name,
        email: booking.contact.emailAddress,
        phone: booking.contact.phoneNumber,
      },
      people: groups.flatMap((group) => group.units.flatMap((unit) => peopleOf(unit))),
    };
    const { bookingId, itemIds } = await this.sales.sell(sale, this.sellHeldOn(departureId));
    await this.noteItems(groups, itemIds, { booking, channelId });
    return bookingId;
  }

  /**
   * Sells more units of the booking of a locked reservation, whose seats are held and whose rows are stored, and gives up others.
   * Travelers of a unit that moves to another departure move with it.
   */
  async exchange(
    booking: OctoBooking,
    { bookingId, departure, added, givenUp, seatsOf, channelId }: SoldExchange,
  ): Promise<void> {
    const groups = togetherOf(booking, added);
    const people = groups.flatMap((group) =>
      group.units.flatMap((unit) =>
        peopleOf(unit).map((person, index): SeatedPerson => ({
          ...person,
          from: seatsOf.get(unit.uuid)?.[index] ?? null,
        })),
      ),
    );
    const change = { departure, lines: groups.map(({ line }) => line), people, givenUp };
    const itemIds = await this.sales.exchange(bookingId, change, this.sellHeldOn(departure.id));
    await this.noteItems(groups, itemIds, { booking, channelId });
  }

  private sellHeldOn(departureId: string) {
    return async ({ allotmentId, quantity, seatsPerUnit }: ResellerLine, bookingItemId: string): Promise<void> => {
      const units = quantity * seatsPerUnit;
      if (allotmentId === null) await this.departures.sellHeld(departureId, units);
      else await this.allotments.sellHeld({ allotmentId, departureId }, { bookingItemId, units });
    };
  }

  private async noteItems(
    groups: readonly SoldTogether[],
    itemIds: readonly string[],
    terms: { booking: OctoBooking; channelId: string },
  ): Promise<void> {
    for (const [index, { units: own }] of groups.entries()) {
      const itemId = itemIds[index];
      if (itemId === undefined) throw new Error('A group of units has no item');
      await this.repository.setBookingItem(
        own.map(({ id }) => id),
        itemId,
      );
      await this.addCommission(itemId, own[0], terms);
    }
  }

  /** The commission is fixed per unit, so that it adds up to what the reseller has seen. */
  private async addCommission(
    itemId: string,
    unit: OctoUnitItem | undefined,
    { booking, channelId }: { booking: OctoBooking; channelId: string },
  ): Promise<void> {
    const amountCents = unit ? unit.retailCents - unit.netCents : 0;
    if (booking.settlement !== 'commission' || amountCents === 0) return;
    const [channel] = await this.channels.listNames([channelId]);
    await this.commissions.create(itemId, {
      ...{ recipientType: 'channel', recipientName: channel?.name ?? channelId, channelId },
      ...{ commissionModel: 'fixed', amountCents, perUnit: true },
    });
  }
}

function togetherOf({ settlement }: OctoBooking, units: readonly OctoUnitItem[]): SoldTogether[] {
  const groups = new Map<string, SoldTogether>();
  for (const unit of units) {
    const { unitId, allotmentId, retailCents, netCents, soldUnit } = unit;
    const key = [unitId, allotmentId, retailCents, netCents, soldUnit.priceListId].join(' ');
    const own = groups.get(key)?.units ?? [];
    const quantity = own.push(unit);
    const unitSellCents = settlement === 'net' ? netCents : retailCents;
    const costCents = soldUnit.costCents === null ? null : soldUnit.costCents * quantity;
    groups.set(key, { line: { ...soldUnit, quantity, unitSellCents, costCents, allotmentId }, units: own });
  }
  return [...groups.values()];
}

/** The full name, otherwise first and last name; null without either. */
export function nameOf({ fullName, firstName, lastName }: OctoContact): string | null {
  return fullName || [firstName, lastName].filter(Boolean).join(' ') || null;
}

function peopleOf({ contact, soldUnit: { peoplePerUnit } }: OctoUnitItem) {
  return Array.from({ length: peoplePerUnit }, (_, index) => (index === 0 ? memberOf(contact) : {}));
}

export function memberOf(contact: OctoContact) {
  return { name: nameOf(contact), email: contact.emailAddress, phone: contact.phoneNumber };
}
