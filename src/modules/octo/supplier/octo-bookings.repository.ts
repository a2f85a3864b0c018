import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListStaffOctoBookings } from './staff-booking.dto.js';
import { contactOf, type UnitItemBody } from './octo-booking.dto.js';
import { OctoBooking, OctoUnitItem } from './octo-booking.entity.js';

const EXPIRY_BATCH = 100;

/** Which bookings of a connection a reseller lists. */
export interface BookingFilter {
  resellerReference: string | null;
  bookingId: string | null;
  departureIds: readonly string[] | null;
}

/** Reads and writes reservations of resellers with their units. */
@Injectable()
export class OctoBookingsRepository {
  readonly bookings: Rows<OctoBooking>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.bookings = database.rows(OctoBooking);
  }

  async findByUuid(connectionId: string, uuid: string): Promise<OctoBooking | null> {
    return this.bookings.findBy({ connectionId, uuid });
  }

  async lockOfBooking(bookingId: string): Promise<OctoBooking | null> {
    const found = await this.bookings.findBy({ bookingId });
    return found && this.bookings.findAndLock(found.id);
  }

  async listForStaff(query: ListStaffOctoBookings): Promise<{ rows: OctoBooking[]; total: number }> {
    const { connectionId, status, testMode, createdAfter, createdBefore, sort = '-createdAt' } = query;
    const found = this.bookings.query('octo');
    if (connectionId !== undefined) found.andWhere('octo.connectionId = :connectionId', { connectionId });
    filterRows(found, 'octo.status', status);
    if (testMode !== undefined) found.andWhere('octo.testMode = :testMode', { testMode });
    if (createdAfter !== undefined) found.andWhere('octo.createdAt >= :createdAfter', { createdAfter });
    if (createdBefore !== undefined) found.andWhere('octo.createdAt < :createdBefore', { createdBefore });
    sortRows(found, sort);
    return this.bookings.page(found, pageBounds(query));
  }

  async list(
    connectionId: string,
    { resellerReference, bookingId, departureIds }: BookingFilter,
    limit: number,
  ): Promise<OctoBooking[]> {
    return this.bookings.read({
      name: 'octo-bookings-list',
      text: `select ${this.bookings.columns('octo')} from octo_bookings as octo
        where connection_id = $1 and ($2::text is null or reseller_reference = $2)
          and ($3::text is null or booking_id = $3) and ($4::text[] is null or departure_id = any($4))
        order by created_at, id limit $5`,
      values: [connectionId, resellerReference, bookingId, departureIds, limit],
    });
  }

  /** The departures on which the connection has bookings, by which a day is looked up. */
  async listDepartures(connectionId: string): Promise<string[]> {
    const text = 'select distinct departure_id as id from octo_bookings where connection_id = $1';
    const rows = await this.database.prepared<{ id: string }>('octo-bookings-departures', text, [connectionId]);
    return rows.map(({ id }) => id);
  }

  async countHolds(connectionId: string): Promise<number> {
    const [row] = await this.database.prepared<{ count: number }>(
      'octo-bookings-holds',
      `select count(*)::int as count from octo_bookings
       where connection_id = $1 and status = 'ON_HOLD' and not test_mode and expires_at > $2`,
      [connectionId, this.clock.now()],
    );
    return row?.count ?? 0;
  }

  /** Holds that have lapsed, the earliest first. */
  async listLapsed(): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'octo-bookings-lapsed',
      `select id from octo_bookings where status = 'ON_HOLD' and expires_at <= $1 order by expires_at, id limit $2`,
      [this.clock.now(), EXPIRY_BATCH],
    );
    return rows.map(({ id }) => id);
  }

  /** Live holds on the departure, in the order of their IDs. */
  async lockHoldsOn(departureId: string): Promise<OctoBooking[]> {
    return this.bookings.read({
      name: 'octo-bookings-holds-on',
      text: `select ${this.bookings.columns('octo')} from octo_bookings as octo
        where departure_id = $1 and status = 'ON_HOLD' order by id for update`,
      values: [departureId],
    });
  }

  async optionsHeldOn(departureId: string): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'octo-bookings-options',
      `select distinct option_id as id from octo_bookings
       where departure_id = $1 and status = 'ON_HOLD' and not test_mode and option_id is not null`,
      [departureId],
    );
    return rows.map(({ id }) => id);
  }

  async unitsOf(octoBookingIds: readonly string[]): Promise<OctoUnitItem[]> {
    const found = await this.database.read(OctoUnitItem, {
      name: 'octo-units-of',
      text: `select ${this.database.columnsOf(OctoUnitItem, 'unit')} from octo_unit_items as unit
        where octo_booking_id = any($1) order by octo_booking_id, position`,
      values: [octoBookingIds],
    });
    return found.map(({ entity }) => entity);
  }

  async insertUnits(units: readonly OctoUnitItem[]): Promise<void> {
    await this.database.together(() => Promise.all(units.map((unit) => this.database.insert(unit))));
  }

  /** Replaces these units of a locked booking. */
  async replaceUnits(former: readonly OctoUnitItem[], units: readonly OctoUnitItem[]): Promise<void> {
    await this.database.execute('delete from octo_unit_items where id = any($1)', [former.map(({ id }) => id)]);
    await this.insertUnits(units);
  }

  /** Stores the references and contacts of units that stay. */
  async describeUnits(units: readonly OctoUnitItem[], given: readonly UnitItemBody[]): Promise<void> {
    for (const unit of units) {
      const item = given.find(({ uuid }) => uuid?.toLowerCase() === unit.uuid);
      if (!item) continue;
      if (item.resellerReference !== undefined) unit.resellerReference = item.resellerReference;
      if (item.contact) unit.contact = contactOf(item.contact);
      await this.database.execute('update octo_unit_items set reseller_reference = $2, contact = $3 where id = $1', [
        ...[unit.id, unit.resellerReference, JSON.stringify(unit.contact)],
      ]);
    }
  }

  async setBookingItem(unitIds: readonly string[], bookingItemId: string): Promise<void> {
    await this.database.execute('update octo_unit_items set booking_item_id = $2 where id = any($1)', [
      unitIds,
      bookingItemId,
    ]);
  }

  /** Which of these items of bookings were sold to resellers. */
  async soldAmong(bookingItemIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'octo-units-sold',
      'select distinct booking_item_id as id from octo_unit_items where booking_item_id = any($1)',
      [bookingItemIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Stores the words of the reseller at a locked booking that is about to be cancelled. */
  async setCancelReason(id: string, reason: string | null): Promise<void> {
    await this.database.execute('update octo_bookings set cancel_reason = $2, version = version + 1 where id = $1', [
      id,
      reason,
    ]);
  }

  /** Staff cancelled or reinstated the item of a booking. Returns whether units of a reservation belong to it. */
  async setCancelled(bookingItemId: string, cancelledAt: Date | null): Promise<boolean> {
    const text = 'update octo_unit_items set cancelled_at = $2 where booking_item_id = $1';
    return (await this.database.execute(text, [bookingItemId, cancelledAt])).count > 0;
  }
}
