import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { TRAVELERS_OF_PERSON, travelerKeysOf } from '../../bookings/index.js';
import type { Person } from '../../customers/index.js';
import type { RoomType } from './rooming.dto.js';

export interface Room {
  facilityId: string | null;
  from: string;
  to: string;
  type: RoomType;
  capacity: number;
  label: string | null;
  note: string | null;
  travelerIds: string[];
}

export interface Rooming {
  departureId: string;
  rooms: (Room & { facilityName: string | null })[];
  version: number;
  updatedAt: Date | null;
}

/** A person in a room. */
export interface Stay {
  departureId: string;
  from: string;
  to: string;
  type: RoomType;
  label: string | null;
  /** Null if others sleep in the room: the note may be about them. */
  note: string | null;
  /** Day on which the departure ends. */
  departureEnd: string;
  isPast: boolean;
}

/** A departure with one of its rooms; the columns of the room are null if there is none. */
type RoomRow = Omit<Room, 'type'> & { departureId: string; version: number; updatedAt: Date | null } & {
  type: RoomType | null;
  facilityName: string | null;
};

/** The traveler and the departure, which are expressions, meet on a seat that is not cancelled. */
const hasSeat = (traveler: string, departure: string): string => `exists (
  select from booking_item_travelers seat join booking_items item on item.id = seat.item_id
  where seat.traveler_id = ${traveler} and item.departure_id = ${departure} and item.status <> 'cancelled')`;

const ROOMING = `
  select departure.id as "departureId", coalesce(rooming.version, 1) as version, rooming.updated_at as "updatedAt",
    room.facility_id as "facilityId", facility.name as "facilityName", room.from_date::text as "from",
    room.to_date::text as "to", room.type, room.capacity, room.label, room.note,
    array(
      select taken.traveler_id from departure_room_travelers taken
      where taken.departure_id = room.departure_id and taken.position = room.position order by taken.place
    ) as "travelerIds"
  from departures departure
  left join departure_roomings rooming on rooming.departure_id = departure.id
  left join departure_rooms room on room.departure_id = departure.id
  left join facilities facility on facility.id = room.facility_id
  where departure.id = $1
  order by room.position`;

/**
 * The rooms of departures. Every change locks bookings, then travelers, then the version of the rooms: a cancellation has locked its
 * booking before travelers leave their rooms.
 */
@Injectable()
export class RoomingRepository {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Throws 404 for an unknown departure. */
  async get(departureId: string): Promise<Rooming> {
    const rows = await this.database.query<RoomRow>(ROOMING, [departureId]);
    const [head] = rows;
    if (!head) throw notFound();
    const rooms = rows.flatMap(({ departureId: _, version: __, updatedAt: ___, type, ...room }) =>
      type === null ? [] : [{ ...room, type }],
    );
    return { departureId, rooms, version: head.version, updatedAt: head.updatedAt };
  }

  /** Locks the bookings of these travelers, against cancellations and other rooms for them, and then the travelers. */
  async lockPeople(travelerIds: readonly string[]): Promise<void> {
    await this.database.execute(
      `select from bookings where id in (select booking_id from booking_travelers where id = any($1))
       order by id for no key update`,
      [travelerIds],
    );
    await this.database.execute('select from booking_travelers where id = any($1) order by id for key share', [
      travelerIds,
    ]);
  }

  /** Locks the rooms of a departure; its first ones have the version 1 before they are written. */
  async lock(departureId: string): Promise<Rooming> {
    await this.database.execute(
      'insert into departure_roomings (departure_id, version, updated_at) values ($1, 1, $2) on conflict do nothing',
      [departureId, this.clock.now()],
    );
    await this.database.execute('select from departure_roomings where departure_id = $1 for update', [departureId]);
    return this.get(departureId);
  }

  /** Those of the travelers who have a seat on the departure that is not cancelled. */
  async seated(departureId: string, travelerIds: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `select traveler.id from booking_travelers traveler
       where traveler.id = any($2) and traveler.status = 'active' and ${hasSeat('traveler.id', '$1')}`,
      [departureId, travelerIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Those of the facilities that are not archived. */
  async usableFacilities(ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `select id from facilities where id = any($1) and status <> 'archived'`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The index of the first room of which a traveler has a room of another departure in one of its nights; null if there is none. */
  async findTakenElsewhere(departureId: string, rooms: readonly Room[]): Promise<number | null> {
    const [found] = await this.database.query<{ index: number }>(
      `select given.room - 1 as index
       from unnest($2::int[], $3::text[], $4::date[], $5::date[]) as given (room, traveler, first, last)
       join departure_room_travelers taken on taken.traveler_id = given.traveler and taken.departure_id <> $1
         and daterange(taken.from_date, taken.to_date) && daterange(given.first, given.last)
       order by given.room limit 1`,
      [departureId, ...columnsOf(rooms)],
    );
    return found?.index ?? null;
  }

  /** Replaces the rooms, which are locked, and raises their version. */
  async replace(departureId: string, rooms: readonly Room[]): Promise<void> {
    await this.database.execute('delete from departure_rooms where departure_id = $1', [departureId]);
    await this.database.execute(
      `insert into departure_rooms (departure_id, position, facility_id, from_date, to_date, type, capacity, label, note)
       select $1, given.position, given.facility, given.first, given.last, given.type, given.capacity, given.label, given.note
       from unnest($2::text[], $3::date[], $4::date[], $5::text[], $6::int[], $7::text[], $8::text[]) with ordinality
         as given (facility, first, last, type, capacity, label, note, position)`,
      [
        departureId,
        rooms.map(({ facilityId }) => facilityId),
        rooms.map(({ from }) => from),
        rooms.map(({ to }) => to),
        rooms.map(({ type }) => type),
        rooms.map(({ capacity }) => capacity),
        rooms.map(({ label }) => label),
        rooms.map(({ note }) => note),
      ],
    );
    await this.database.execute(
      `insert into departure_room_travelers (departure_id, position, traveler_id, from_date, to_date, place, booking_id)
       select $1, given.room, given.traveler, given.first, given.last, given.place, traveler.booking_id
       from unnest($2::int[], $3::text[], $4::date[], $5::date[]) with ordinality
         as given (room, traveler, first, last, place)
       join booking_travelers traveler on traveler.id = given.traveler`,
      [departureId, ...columnsOf(rooms)],
    );
    await this.raiseVersions([departureId]);
  }

  /** Travelers of a locked booking who have lost their seat on a departure leave its rooms. */
  async dropUnseated(bookingId: string): Promise<void> {
    const locked = await this.database.query<{ id: string }>(
      `select departure_id as id from departure_roomings
       where departure_id in (select departure_id from departure_room_travelers where booking_id = $1)
       order by departure_id for update`,
      [bookingId],
    );
    if (locked.length === 0) return;
    const left = await this.database.query<{ id: string }>(
      `delete from departure_room_travelers taken
       where taken.booking_id = $1 and not ${hasSeat('taken.traveler_id', 'taken.departure_id')}
       returning taken.departure_id as id`,
      [bookingId],
    );
    if (left.length > 0) await this.raiseVersions(left.map(({ id }) => id));
  }

  /** Deletes the rooms of departures that ended `days` ago, also the nights after them. Returns the number of departures. */
  async deleteOlderThan(days: number): Promise<number> {
    const locked = await this.database.query<{ id: string }>(
      `select rooming.departure_id as id from departure_roomings rooming
       join departures departure on departure.id = rooming.departure_id
       where departure.ends_at < $1::timestamptz - make_interval(days => $2)
         and exists (select from departure_rooms room where room.departure_id = rooming.departure_id)
       order by rooming.departure_id for update of rooming`,
      [this.clock.now(), days],
    );
    const ids = locked.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await this.database.execute('delete from departure_rooms where departure_id = any($1)', [ids]);
    await this.raiseVersions(ids);
    return ids.length;
  }

  async staysOf(person: Person): Promise<Stay[]> {
    return this.database.query<Stay>(
      `select room.departure_id as "departureId", room.from_date::text as "from", room.to_date::text as "to", room.type, room.label,
         case when not exists (
           select from departure_room_travelers other
           where other.departure_id = taken.departure_id and other.position = taken.position
             and other.traveler_id <> taken.traveler_id
         ) then room.note end as note,
         (departure.ends_at at time zone departure.time_zone)::date::text as "departureEnd", departure.ends_at < $5 as "isPast"
       from departure_room_travelers taken
       join departure_rooms room on room.departure_id = taken.departure_id and room.position = taken.position
       join departures departure on departure.id = taken.departure_id
       where taken.traveler_id in (${TRAVELERS_OF_PERSON})
       order by room.from_date, room.departure_id, room.position`,
      [...travelerKeysOf(person), this.clock.now()],
    );
  }

  /**
   * The person leaves the rooms of departures that have ended. Their notes and labels, which nobody needs any more, are deleted.
   * Returns the number of these rooms.
   */
  async leavePast(person: Person): Promise<number> {
    return this.database.transaction(async () => {
      const locked = await this.database.query<{ id: string }>(
        `select rooming.departure_id as id from departure_roomings rooming
         where rooming.departure_id in (
           select taken.departure_id from departure_room_travelers taken
           join departures departure on departure.id = taken.departure_id and departure.ends_at < $5
           where taken.traveler_id in (${TRAVELERS_OF_PERSON}))
         order by rooming.departure_id for update`,
        [...travelerKeysOf(person), this.clock.now()],
      );
      if (locked.length === 0) return 0;
      const ids = locked.map(({ id }) => id);
      const left = await this.database.query(
        `with gone as (
           delete from departure_room_travelers taken
           where taken.departure_id = any($5) and taken.traveler_id in (${TRAVELERS_OF_PERSON})
           returning taken.departure_id, taken.position
         )
         update departure_rooms room set label = null, note = null from gone
         where room.departure_id = gone.departure_id and room.position = gone.position
         returning room.position`,
        [...travelerKeysOf(person), ids],
      );
      await this.raiseVersions(ids);
      return left.length;
    });
  }

  private async raiseVersions(departureIds: readonly string[]): Promise<void> {
    await this.database.execute(
      'update departure_roomings set version = version + 1, updated_at = $2 where departure_id = any($1)',
      [departureIds, this.clock.now()],
    );
  }
}

/** The travelers of rooms as columns: number of the room from 1, traveler, first night, day of leaving. */
function columnsOf(rooms: readonly Room[]): [number[], string[], string[], string[]] {
  const taken = rooms.flatMap(({ travelerIds, from, to }, index) =>
    travelerIds.map((id) => ({ room: index + 1, id, from, to })),
  );
  return [
    taken.map(({ room }) => room),
    taken.map(({ id }) => id),
    taken.map(({ from }) => from),
    taken.map(({ to }) => to),
  ];
}
