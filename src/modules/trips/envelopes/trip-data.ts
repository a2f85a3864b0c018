import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
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
import type { Traveler, TravelerParty } from './traveler-party.js';

/** Trips of the person: its own and booked ones, those that it pays for, and those of others in which it travels. */
const TRIPS = `
  select id, title, status, traveler_party as "travelerParty", booking_id as "bookingId", cancel_reason as "cancelReason",
    customer_id as "customerId", created_at as "createdAt"
  from trip_envelopes
  where erased_at is null and (
    booking_id = any($1) or customer_id = any($3) or lower(traveler_party -> 'billing' ->> 'email') = any($2)
    or exists (
      select from jsonb_array_elements(traveler_party -> 'travelers') as traveler where lower(traveler ->> 'email') = any($2)))
  order by id`;

const ERASED = { name: 'Erased person' };

interface TripRow {
  id: string;
  title: string | null;
  status: string;
  travelerParty: TravelerParty | null;
  bookingId: string | null;
  customerId: string | null;
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
    private readonly clock: Clock,
  ) {}

  async blockersOf(person: Person): Promise<ErasureBlocker[]> {
    const isHeld = ({ status }: TripRow) => status === 'reserved' || status === 'reserve_in_progress';
    return (await this.tripsOf(person)).some(isHeld) ? ['future_service'] : [];
  }

  /** Of a trip of others, only the person's own entries in the party: the others are data of other persons. */
  async collect(person: Person): Promise<HeldData[]> {
    const trips = (await this.tripsOf(person)).map(({ travelerParty, title, cancelReason, ...trip }) => {
      const { billing = null, travelers = [] } = travelerParty ?? {};
      const { isPayer, isTraveler } = entriesOf(person, travelerParty);
      const own = isPaidBy(person, { ...trip, travelerParty })
        ? { title, cancelReason, billing }
        : isPayer && { billing };
      return { ...trip, ...own, travelers: travelers.filter(isTraveler) };
    });
    const keptUntil = latestOf(person.bookings.map((booking) => booking.keptUntil));
    return [
      { dataClass: 'contract', kind: 'booked trips', keptUntil, records: trips.filter(({ bookingId }) => bookingId) },
      { dataClass: 'contact', kind: 'other trips', keptUntil: null, records: trips.filter((trip) => !trip.bookingId) },
    ];
  }

  /** Of a trip of others, only the person's own entries in the party are replaced. */
  async erase(person: Person): Promise<number> {
    const trips = (await this.tripsOf(person)).filter((trip) => trip.bookingId === null);
    const own = trips.filter((trip) => isPaidBy(person, trip));
    await this.retention.erase(
      own.map(({ id }) => id),
      'The data of the customer was erased on request',
    );
    for (const { id, travelerParty } of trips.filter((trip) => !own.includes(trip))) {
      const { isPayer, isTraveler } = entriesOf(person, travelerParty);
      const travelers = travelerParty?.travelers?.map((one) => (isTraveler(one) ? ERASED : one));
      const party = { ...travelerParty, ...(isPayer && { billing: ERASED }), travelers };
      await this.database.execute(
        `update trip_envelopes set traveler_party = $2, version = version + 1, updated_at = $3 where id = $1`,
        [id, JSON.stringify(party), this.clock.now()],
      );
    }
    return trips.length;
  }

  private async tripsOf(person: Person): Promise<TripRow[]> {
    return this.database.query<TripRow>(TRIPS, [bookingIdsOf(person), person.emails, person.customerIds]);
  }
}

/** Which entries of the party are the person: those with its address, and travelers without one who have the name of the payer. */
function entriesOf(
  person: Person,
  party: TravelerParty | null,
): { isPayer: boolean; isTraveler: (traveler: Traveler) => boolean } {
  const isOwn = isOf(person);
  const { billing } = party ?? {};
  const isPayer = !!billing && isOwn(billing);
  const name = isPayer ? billing.name : null;
  return { isPayer, isTraveler: (one) => isOwn(one) || (!!name && !one.email && one.name === name) };
}

function isOf({ emails }: Person): (member: { email?: string | null }) => boolean {
  return ({ email }) => !!email && emails.includes(email.toLowerCase());
}

/** Whether the trip is the person's own: by its customer or its booking, or with its address as the one that pays. */
function isPaidBy(
  person: Person,
  { bookingId, customerId, travelerParty }: Pick<TripRow, 'bookingId' | 'customerId' | 'travelerParty'>,
): boolean {
  const { billing } = travelerParty ?? {};
  if (customerId !== null) return person.customerIds.includes(customerId);
  return (bookingId !== null && bookingIdsOf(person).includes(bookingId)) || (!!billing && isOf(person)(billing));
}
