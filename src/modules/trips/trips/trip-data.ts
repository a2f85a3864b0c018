import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import {
  bookingIdsOf,
  type ErasureBlocker,
  type HeldData,
  latestOf,
  type Person,
  PersonalDataHolder,
} from '../../customers/index.js';
import { TripRetentionJobs } from './trip-retention.jobs.js';
import type { TravelerParty } from './traveler-party.js';

/** Trips of the person: booked ones, and those whose party has an e-mail address of the person. */
const TRIPS = `
  select id, title, status, traveler_party as "travelerParty", booking_id as "bookingId", cancel_reason as "cancelReason",
    created_at as "createdAt"
  from trip_envelopes
  where erased_at is null and (
    booking_id = any($1) or lower(traveler_party -> 'billing' ->> 'email') = any($2)
    or exists (
      select from jsonb_array_elements(traveler_party -> 'travelers') as traveler where lower(traveler ->> 'email') = any($2)))
  order by id`;

interface TripRow {
  id: string;
  title: string | null;
  status: string;
  travelerParty: TravelerParty | null;
  bookingId: string | null;
  cancelReason: string | null;
  createdAt: Date;
}

/** Trips of a person. */
@Injectable()
@Listens(PersonalDataHolder, 20)
export class TripData implements PersonalDataHolder {
  readonly module = 'trips';

  constructor(
    private readonly database: Database,
    private readonly retention: TripRetentionJobs,
  ) {}

  async blockersOf(person: Person): Promise<ErasureBlocker[]> {
    const isHeld = ({ status }: TripRow) => status === 'reserved' || status === 'reserve_in_progress';
    return (await this.tripsOf(person)).some(isHeld) ? ['future_service'] : [];
  }

  /** Of the party, only the person's own entries: the others are data of other persons. */
  async collect(person: Person): Promise<HeldData[]> {
    const trips = (await this.tripsOf(person)).map(({ travelerParty, ...trip }) => {
      const isOwn = ({ email }: { email?: string | null }) => !!email && person.emails.includes(email.toLowerCase());
      const { billing = null, travelers = [] } = travelerParty ?? {};
      return { ...trip, billing: billing && isOwn(billing) ? billing : null, travelers: travelers.filter(isOwn) };
    });
    const keptUntil = latestOf(person.bookings.map((booking) => booking.keptUntil));
    return [
      { dataClass: 'contract', kind: 'booked trips', keptUntil, records: trips.filter(({ bookingId }) => bookingId) },
      { dataClass: 'contact', kind: 'other trips', keptUntil: null, records: trips.filter((trip) => !trip.bookingId) },
    ];
  }

  async erase(person: Person): Promise<number> {
    const ids = (await this.tripsOf(person)).filter((trip) => trip.bookingId === null).map(({ id }) => id);
    await this.retention.erase(ids, 'The data of the customer was erased on request');
    return ids.length;
  }

  private async tripsOf(person: Person): Promise<TripRow[]> {
    return this.database.query<TripRow>(TRIPS, [bookingIdsOf(person), person.emails]);
  }
}
