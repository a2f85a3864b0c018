import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import {
  BookingsService,
  CancellationForecastsService,
  type GivenUpUnits,
  type ItemSeat,
  TravelersService,
  VouchersService,
} from '../../bookings/index.js';
import { DeparturesService } from '../../operations/index.js';
import { assertCurrency, exchangedUnits } from './changed-order.js';
import { HeldUnitsService } from './held-units.service.js';
import type { ReservationChanges } from './octo-booking.dto.js';
import type { OctoBooking, OctoUnitItem } from './octo-booking.entity.js';
import { isCancellable } from './octo-booking-object.js';
import { OctoBookingsRepository } from './octo-bookings.repository.js';
import { unprocessableOrder } from './octo-errors.js';
import { type OrderBody, OctoOrdersService } from './octo-orders.service.js';
import { memberOf, nameOf, OctoSalesService } from './octo-sales.service.js';
import type { Reseller } from './resellers.service.js';

/** Changes the departure and the units of reservations that have become bookings. */
@Injectable()
export class SoldChangesService {
  constructor(
    private readonly repository: OctoBookingsRepository,
    private readonly orders: OctoOrdersService,
    private readonly units: HeldUnitsService,
    private readonly sales: OctoSalesService,
    private readonly bookings: BookingsService,
    private readonly forecasts: CancellationForecastsService,
    private readonly vouchers: VouchersService,
    private readonly travelers: TravelersService,
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives a locked, confirmed reservation another order. Units that stay on their departure keep their price; the others are sold at
   * that of today. Units are given up only while that costs nothing, because no reseller may avoid a fee by a move to a later day.
   */
  async exchange(
    booking: OctoBooking,
    former: readonly OctoUnitItem[],
    { body, reseller }: { body: OrderBody; reseller: Reseller },
  ): Promise<void> {
    const { bookingId } = booking;
    if (bookingId === null) throw new Error(`The reservation ${booking.id} has no booking`);
    const order = await this.orders.check(booking.id, body, reseller);
    const { departure, optionId, hasVoucher, units } = order;
    assertCurrency(booking, departure);
    // The booking has the terms of the product that was sold; another one may refund less.
    if (departure.productId !== booking.productId) {
      throw unprocessableOrder('A confirmed booking keeps its product; cancel it and book again');
    }
    const { added, removed } = exchangedUnits(booking, former, { order, given: body.unitItems });
    const { connection } = reseller;
    const summary = await this.bookings.lock(bookingId);
    if (summary.status !== 'confirmed') throw unprocessableOrder('The booking can no longer be changed');
    const { givenUp, seatsOf } = givenUpBy(former, removed);
    if (givenUp.length > 0) await this.assertFree(booking, bookingId, { givenUp, removed });
    await this.departures.lock([booking.departureId, departure.id]);
    if (added.length > 0) await this.units.hold(departure.id, added, { connection, isTest: false });
    // The rows of removed units are deleted before their items are cancelled, so that the reservation does not follow its own change.
    await this.repository.replaceUnits(former, units);
    const { channelId } = connection;
    await this.sales.exchange(booking, { bookingId, departure, added, givenUp, seatsOf, channelId });
    await this.departures.assessMinimums([departure.id]);
    Object.assign(booking, { optionId, departureId: departure.id, hasVoucher });
  }

  /** Gives the booking of a locked reservation, and its travelers, the names and contacts that the request states. */
  async describe(
    { id, bookingId, contact }: OctoBooking,
    changes: Pick<ReservationChanges, 'contact' | 'unitItems'>,
  ): Promise<void> {
    if (bookingId === null) return;
    const customerName = nameOf(contact);
    if (changes.contact && customerName !== null) {
      const customerPhone = contact.phoneNumber;
      await this.bookings.update(bookingId, customerPhone ? { customerName, customerPhone } : { customerName }, null);
    }
    const described = changes.unitItems?.filter((item) => item.contact).map(({ uuid }) => uuid?.toLowerCase()) ?? [];
    if (described.length === 0) return;
    await this.bookings.lock(bookingId);
    const units = (await this.repository.unitsOf([id])).filter(({ cancelledAt }) => cancelledAt === null);
    const seatsOf = seatsIn(units);
    const people = units
      .filter(({ uuid }) => described.includes(uuid))
      .flatMap((unit) => {
        const [place] = seatsOf.get(unit.uuid) ?? [];
        return place ? [{ ...place, person: memberOf(unit.contact) }] : [];
      });
    await this.travelers.describe(bookingId, people);
  }

  private async assertFree(
    booking: OctoBooking,
    bookingId: string,
    { givenUp, removed }: { givenUp: readonly GivenUpUnits[]; removed: readonly OctoUnitItem[] },
  ): Promise<void> {
    const departure = await this.departures.getSummary(booking.departureId);
    const vouchers = await this.vouchers.listValid([bookingId]);
    const [now, today] = [this.clock.now(), this.clock.today()];
    if (!isCancellable(booking, { departure, vouchers, now, today })) {
      throw unprocessableOrder('The booking can no longer be changed');
    }
    for (const { itemId, quantity } of givenUp) {
      const item = await this.bookings.getItem(itemId);
      const leaving = removed.filter(({ bookingItemId }) => bookingItemId === itemId).length;
      if (item.quantity !== quantity + leaving || item.status !== 'confirmed') {
        throw unprocessableOrder('The supplier has changed the booking, so it can no longer be changed here');
      }
    }
    const itemIds = givenUp.map(({ itemId }) => itemId);
    const { feeCents } = await this.forecasts.forecast(bookingId, { itemIds });
    // Terms that do not determine the fee leave it to staff.
    if (feeCents !== 0) throw unprocessableOrder('Giving up units is not free of charge; cancel the booking instead');
  }
}

/** What the items of the removed units keep, and the seats on which the people of these units were. */
function givenUpBy(
  former: readonly OctoUnitItem[],
  removed: readonly OctoUnitItem[],
): { givenUp: GivenUpUnits[]; seatsOf: Map<string, ItemSeat[]> } {
  const seatsOf = seatsIn(former);
  const itemIds = [...new Set(removed.flatMap(({ bookingItemId }) => bookingItemId ?? []))].sort();
  const givenUp = itemIds.map((itemId) => {
    const own = former.filter(({ bookingItemId }) => bookingItemId === itemId);
    const leaving = own.filter((unit) => removed.includes(unit));
    const seats = leaving.flatMap(({ uuid }) => seatsOf.get(uuid) ?? []).map(({ seat }) => seat);
    return { itemId, quantity: own.length - leaving.length, seats };
  });
  return { givenUp, seatsOf };
}

/** The seats of sold units by their uuid. Units of an item got theirs in the order of the sale, which is that of their IDs. */
function seatsIn(units: readonly OctoUnitItem[]): Map<string, ItemSeat[]> {
  const seatsOf = new Map<string, ItemSeat[]>();
  const taken = new Map<string, number>();
  for (const { uuid, bookingItemId: itemId, soldUnit } of units.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (itemId === null) continue;
    const before = taken.get(itemId) ?? 0;
    seatsOf.set(
      uuid,
      Array.from({ length: soldUnit.peoplePerUnit }, (_, index) => ({ itemId, seat: before + index + 1 })),
    );
    taken.set(itemId, before + soldUnit.peoplePerUnit);
  }
  return seatsOf;
}
