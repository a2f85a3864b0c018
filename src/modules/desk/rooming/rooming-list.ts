import { daysAfter } from '../../../platform/time/calendar.js';
import type { ManifestPerson, ManifestResponse } from '../manifests/manifest.dto.js';
import {
  ROOM_TYPES,
  type RoomingListResponse,
  type RoomingListRoom,
  type RoomingPerson,
  type RoomingTotal,
} from './rooming.dto.js';
import type { Rooming } from './rooming.repository.js';

/** Joins the people of a manifest with the rooms. A traveler with several seats is listed once. */
export function toRoomingList({ rooms, departureId }: Rooming, manifest: ManifestResponse): RoomingListResponse {
  const travelers = new Map<string, RoomingPerson>();
  const withoutRoom: RoomingPerson[] = [];
  const placed = new Set(rooms.flatMap(({ travelerIds }) => travelerIds));
  for (const person of manifest.people.map(toRoomingPerson)) {
    const { travelerId } = person;
    if (travelerId === null) {
      withoutRoom.push(person);
    } else if (!travelers.has(travelerId)) {
      travelers.set(travelerId, person);
      if (!placed.has(travelerId)) withoutRoom.push(person);
    }
  }
  const listed = rooms.map(({ travelerIds, ...room }) => ({
    ...room,
    people: travelerIds.flatMap((id) => travelers.get(id) ?? []),
  }));
  const { productId, productName, startsAt, timeZone, localStart, generatedAt } = manifest;
  return {
    ...{ departureId, productId, productName, startsAt, timeZone, localStart, generatedAt },
    withoutRoom,
    rooms: listed,
    totals: totalsOf(listed),
  };
}

function toRoomingPerson(person: ManifestPerson): RoomingPerson {
  const { bookingId, bookingNumber, isProvisional, travelerId, name, customerName, unit, age } = person;
  return { bookingId, bookingNumber, isProvisional, travelerId, name, customerName, unit, age };
}

function totalsOf(rooms: readonly RoomingListRoom[]): RoomingTotal[] {
  const totals = new Map<string, RoomingTotal>();
  for (const { from, to, type, capacity, people } of rooms) {
    for (let night = from; night < to; night = daysAfter(night, 1)) {
      const key = `${night} ${ROOM_TYPES.indexOf(type)}`;
      const total = totals.get(key) ?? { night, type, rooms: 0, capacity: 0, people: 0 };
      total.rooms += 1;
      total.capacity += capacity;
      total.people += people.length;
      totals.set(key, total);
    }
  }
  return [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}
