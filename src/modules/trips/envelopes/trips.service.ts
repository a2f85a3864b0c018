import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { containing } from '../../../platform/database/like.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import type { CreateTrip, ListTrips, UpdateTrip } from './trip.dto.js';
import { Trip } from './trip.entity.js';
import { imageOfTrip, TripJournal } from './trip-journal.js';
import { TripRows, type TripView } from './trip-rows.service.js';

/** Envelopes of trips: made, changed, listed. */
@Injectable()
export class Trips {
  constructor(
    private readonly database: Database,
    private readonly rows: TripRows,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateTrip, id = newId('trip')): Promise<TripView> {
    return this.database.transaction(async () => {
      const trip = newTrip(input, id, this.clock.now());
      await this.database.insert(trip);
      this.journal.trip('create', trip, { before: null });
      return { trip, components: [], plan: null };
    });
  }

  /** Throws 404, 409 `invalid_transition`, 412. */
  async update(id: string, { title, travelerParty }: UpdateTrip, expected: ExpectedVersions): Promise<TripView> {
    return this.database.transaction(async () => {
      const trip = await this.rows.lock(id);
      assertVersion(expected, trip);
      const before = imageOfTrip(trip);
      const now = this.clock.now();
      if (travelerParty !== undefined) {
        trip.edit(now);
        trip.travelerParty = travelerParty;
      }
      if (title !== undefined) trip.title = title;
      trip.updatedAt = now;
      await this.rows.update(trip);
      // Names stand in no image; that they were changed does.
      this.journal.trip('update', trip, { before, with: { partyChanged: travelerParty !== undefined } });
      const [view] = await this.rows.viewsOf([trip]);
      return view ?? { trip, components: [], plan: null };
    });
  }

  async list(query: ListTrips): Promise<{ views: TripView[]; total: number }> {
    const { status, search, attention, createdFrom, createdTo, sort = '-createdAt' } = query;
    const found = this.database.repository(Trip).createQueryBuilder('trip');
    if (status !== undefined) found.andWhere('trip.status = :status', { status });
    if (attention !== undefined) found.andWhere('trip.attention = :attention', { attention });
    if (createdFrom !== undefined) found.andWhere('trip.created_at >= :createdFrom', { createdFrom });
    if (createdTo !== undefined) found.andWhere('trip.created_at < :createdTo', { createdTo });
    if (search !== undefined) {
      const text = `(trip.title ilike :search or trip.traveler_party #>> '{billing,name}' ilike :search)`;
      found.andWhere(text, { search: containing(search) });
    }
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    const field = sort.endsWith('updatedAt') ? 'trip.updated_at' : 'trip.created_at';
    found.orderBy(field, direction).addOrderBy('trip.id', direction);
    const { rows, total } = await this.database.page<Trip>(found, pageBounds(query));
    return { views: await this.rows.viewsOf(rows.map(({ entity }) => entity)), total };
  }
}

function newTrip({ title, currency, travelerParty }: CreateTrip, id: string, now: Date): Trip {
  return make(Trip, {
    id,
    title: title ?? null,
    status: 'draft',
    currency,
    travelerParty: travelerParty ?? null,
    subtotalCents: null,
    taxCents: null,
    totalCents: null,
    priceExpiresAt: null,
    holdExpiresAt: null,
    leaseExpiresAt: null,
    fencingToken: 0,
    attention: false,
    bookingId: null,
    cancelledAt: null,
    cancelReason: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}
