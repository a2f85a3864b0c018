import { Injectable } from '@nestjs/common';
import { AllotmentsService, ChannelsService } from '../../distribution/index.js';
import { type ResellerLine, ResellerSalesService } from '../../bookings/index.js';
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
    const ordered = groups.flatMap((group) => group.units);
    const sale = {
      ...{ channelId, departure, notes: booking.notes, lines: groups.map(({ line }) => line) },
      guest: {
        name: nameOf(booking.contact) ?? name,
        email: booking.contact.emailAddress,
        phone: booking.contact.phoneNumber,
      },
      people: ordered.flatMap(({ contact, soldUnit: { peoplePerUnit } }) =>
        Array.from({ length: peoplePerUnit }, (_, index) => (index === 0 ? memberOf(contact) : {})),
      ),
    };
    const { bookingId, itemIds } = await this.sales.sell(
      sale,
      async ({ allotmentId, quantity, seatsPerUnit }, itemId) => {
        const seats = quantity * seatsPerUnit;
        if (allotmentId === null) await this.departures.sellHeld(departureId, seats);
        else await this.allotments.sellHeld({ allotmentId, departureId }, { bookingItemId: itemId, units: seats });
      },
    );
    for (const [index, { units: own }] of groups.entries()) {
      const itemId = itemIds[index];
      if (itemId === undefined) throw new Error('A group of units has no item');
      await this.repository.setBookingItem(
        own.map(({ id }) => id),
        itemId,
      );
      await this.addCommission(itemId, own[0], { booking, channelId });
    }
    return bookingId;
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
function nameOf({ fullName, firstName, lastName }: OctoContact): string | null {
  return fullName || [firstName, lastName].filter(Boolean).join(' ') || null;
}

function memberOf(contact: OctoContact) {
  return { name: nameOf(contact), email: contact.emailAddress, phone: contact.phoneNumber };
}
