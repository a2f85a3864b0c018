import { Injectable } from '@nestjs/common';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PartnerChannels } from '../../distribution/index.js';
import type { Booking, BookingStatus } from '../bookings/booking.entity.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import type { ListPartnerBookings, SoldBooking } from './partner-booking.dto.js';

const ON_DEPARTURE = `booking.id in (select item.booking_id from booking_items item
  where item.departure_id = :departureId and item.status <> 'cancelled')`;

const SOLD_AMONG = `
  select id, channel_id as "channelId", status from bookings
  where id = any ($1) and channel_id is not null and confirmed_at is not null order by id`;

/** Bookings as the partners see them whose channels sold them. */
@Injectable()
export class PartnerBookingsService {
  constructor(
    private readonly repository: BookingsRepository,
    private readonly database: Database,
    private readonly listeners: Listeners,
  ) {}

  async list(query: ListPartnerBookings): Promise<{ rows: SoldBooking[]; total: number }> {
    const { status, number, departureId, startFrom, startTo, updatedAfter, sort = '-createdAt' } = query;
    const channelIds = await this.channelIds();
    if (channelIds.length === 0) return { rows: [], total: 0 };
    const found = this.repository.bookings.query('booking');
    found.where('booking.channelId = any(:channelIds) and booking.confirmedAt is not null', { channelIds });
    filterRows(found, 'booking.status', status);
    if (number !== undefined) found.andWhere('booking.number = :number', { number });
    if (departureId !== undefined) found.andWhere(ON_DEPARTURE, { departureId });
    if (startFrom !== undefined) found.andWhere('booking.departureDate >= :startFrom', { startFrom });
    if (startTo !== undefined) found.andWhere('booking.departureDate <= :startTo', { startTo });
    if (updatedAfter !== undefined) found.andWhere('booking.updatedAt >= :updatedAfter', { updatedAfter });
    sortRows(found, sort, { nulls: sort.endsWith('departureDate') ? 'NULLS LAST' : undefined });
    const { rows, total } = await this.repository.bookings.page(found, pageBounds(query));
    return { rows: rows.filter(isSold), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<{ booking: SoldBooking; items: BookingItem[] }> {
    const booking = await this.repository.bookings.get(id);
    if (!isSold(booking)) throw notFound();
    if (!(await this.channelIds()).includes(booking.channelId)) throw notFound();
    return { booking, items: await this.repository.soldItems(booking) };
  }

  /** Those of these bookings that were sold by a channel. */
  async soldAmong(ids: readonly string[]): Promise<{ id: string; channelId: string; status: BookingStatus }[]> {
    return this.database.query(SOLD_AMONG, [ids]);
  }

  private channelIds(): Promise<string[]> {
    return this.listeners.one(PartnerChannels).listFor(currentActor());
  }
}

function isSold(booking: Booking): booking is SoldBooking {
  return booking.channelId !== null && booking.confirmedAt !== null;
}
