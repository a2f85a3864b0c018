import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { type ChangedDeparture, RemindersService } from '../../notifications/index.js';

/** The start and the meeting point of a departure. */
export interface DepartureStart {
  startsAt: Date;
  facilityId: string | null;
}

/** A departure of a booking with another start or meeting point than the customer knows. */
interface ListedMove extends ChangedDeparture {
  movedAt: Date;
}

interface MoveRow {
  movedAt: Date;
  timeZone: string;
  title: string;
  startsAt: Date;
  place: string | null;
  formerStartsAt: Date;
  formerPlace: string | null;
}

const DEPARTURE_CHANGED = 'departure_changed';

/** A mail lists at most this many departures. */
const MOST_MOVES = 20;

/** Moves of departures of the booking that leave it with another start or meeting point; a move there and back does not. */
export const OPEN_MOVES = `
  from booking_departure_moves move join departures departure on departure.id = move.departure_id
  where move.booking_id = booking.id and departure.status = 'scheduled'
    and (departure.starts_at, departure.facility_id) is distinct from (move.from_starts_at, move.from_facility_id)
    and exists (select from booking_items item
      where item.booking_id = booking.id and item.departure_id = departure.id and item.status = 'confirmed')`;

/** A later move while the mail about the recorded one waits: the customer knows the start before the first of them. */
const CONTINUES = '(move.moved_at > $6::timestamptz and excluded.moved_at > move.moved_at)';

/** Records what the customers of bookings know about their departures, until a mail informs them about a change. */
@Injectable()
export class DepartureMovesService {
  constructor(
    private readonly database: Database,
    private readonly reminders: RemindersService,
    private readonly clock: Clock,
  ) {}

  /**
   * The departure of a confirmed booking has moved. Moves while the mail about an earlier one waits count as one. The booking is
   * locked; moves may be recorded in any order, and twice.
   */
  async moved(
    bookingId: string,
    { departureId, from, movedAt }: { departureId: string; from: DepartureStart; movedAt: Date },
  ): Promise<void> {
    const waitingSince = await this.reminders.waitingSince(bookingId, DEPARTURE_CHANGED);
    const { count } = await this.database.execute(
      `insert into booking_departure_moves as move
         (booking_id, departure_id, from_starts_at, from_facility_id, first_moved_at, moved_at)
       select booking.id, $2, $3, $4, $5, $5 from bookings booking
       where booking.id = $1 and booking.status in ('confirmed', 'in_progress') and booking.confirmed_at <= $5
         and exists (select from booking_items item where item.booking_id = booking.id and item.departure_id = $2
           and item.status = 'confirmed' and item.created_at <= $5)
       on conflict (booking_id, departure_id) do update set
         from_starts_at = case when ${CONTINUES} then move.from_starts_at else excluded.from_starts_at end,
         from_facility_id = case when ${CONTINUES} then move.from_facility_id else excluded.from_facility_id end,
         first_moved_at = case when ${CONTINUES} then move.first_moved_at else excluded.first_moved_at end,
         moved_at = greatest(move.moved_at, excluded.moved_at)
       where excluded.moved_at > move.moved_at or excluded.moved_at < move.first_moved_at and move.moved_at > $6::timestamptz`,
      [bookingId, departureId, from.startsAt, from.facilityId, movedAt, waitingSince],
    );
    if (count === 0) return;
    await this.reminders.rescheduleChanged(bookingId, DEPARTURE_CHANGED);
  }

  /**
   * An item of the booking is on another departure of its product. With `isAnnounced` the customer gets another mail about it. The
   * booking is locked.
   */
  async rebooked(
    bookingId: string,
    {
      from,
      to,
      isAnnounced,
    }: { from: DepartureStart & { id: string }; to: DepartureStart & { id: string }; isAnnounced: boolean },
  ): Promise<void> {
    const waitingSince = await this.reminders.waitingSince(bookingId, DEPARTURE_CHANGED);
    const [waiting] = await this.database.query<DepartureStart>(
      `select from_starts_at as "startsAt", from_facility_id as "facilityId" from booking_departure_moves
       where booking_id = $1 and departure_id = $2 and moved_at > $3`,
      [bookingId, from.id, waitingSince],
    );
    await this.database.execute(
      `delete from booking_departure_moves move where booking_id = $1 and (departure_id = $3 or departure_id = $2 and not exists (
         select from booking_items item
         where item.booking_id = $1 and item.departure_id = $2 and item.status = 'confirmed'))`,
      [bookingId, from.id, to.id],
    );
    if (!isAnnounced) {
      const { startsAt, facilityId } = waiting ?? from;
      await this.database.execute(
        `insert into booking_departure_moves
           (booking_id, departure_id, from_starts_at, from_facility_id, first_moved_at, moved_at)
         select booking.id, $2, $3, $4, $5, $5 from bookings booking
         where booking.id = $1 and booking.status in ('confirmed', 'in_progress')`,
        [bookingId, to.id, startsAt, facilityId, this.clock.now()],
      );
    }
    await this.reminders.rescheduleChanged(bookingId, DEPARTURE_CHANGED);
  }

  /** The departures of the booking with another start or meeting point than the customer knows, the earliest first. */
  async list(bookingId: string): Promise<ListedMove[]> {
    const moves = await this.database.query<MoveRow>(
      `select open.moved_at as "movedAt", open.time_zone as "timeZone", open.title,
         open.starts_at as "startsAt", ${placeOf('place')} as place,
         open.from_starts_at as "formerStartsAt", ${placeOf('former')} as "formerPlace"
       from bookings booking
       cross join lateral (
         select move.moved_at, move.from_starts_at, move.from_facility_id, departure.time_zone, departure.starts_at,
           departure.facility_id, (select item.title from booking_items item
             where item.booking_id = booking.id and item.departure_id = departure.id and item.status = 'confirmed'
             order by item.created_at, item.id limit 1) as title
         ${OPEN_MOVES}
       ) as open
       left join facilities place on place.id = open.facility_id
       left join facilities former on former.id = open.from_facility_id
       where booking.id = $1 order by open.starts_at, open.title limit $2`,
      [bookingId, MOST_MOVES],
    );
    return moves.map(({ startsAt, place, formerStartsAt, formerPlace, ...move }) => ({
      ...move,
      from: { startsAt: formerStartsAt, place: formerPlace },
      to: { startsAt, place },
    }));
  }
}

/** The name and the address of the joined facility; null without a facility. */
function placeOf(facility: string): string {
  return `case when ${facility}.id is not null then concat_ws(', ', ${facility}.name, ${facility}.address_line1,
    ${facility}.address_line2, nullif(concat_ws(' ', ${facility}.address_postal_code, ${facility}.address_city), '')) end`;
}
