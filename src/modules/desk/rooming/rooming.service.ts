import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, invalidField, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { daysBetween } from '../../../platform/time/calendar.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import type { PrintedHead } from '../manifests/manifest-pdf.js';
import { ManifestsService } from '../manifests/manifests.service.js';
import { MAX_NIGHTS, type RoomBody, type RoomingListResponse, type RoomType } from './rooming.dto.js';
import { toRoomingList } from './rooming-list.js';
import { type Room, type Rooming, RoomingRepository } from './rooming.repository.js';

const HAS_ROOM = 'A traveler of the room has another room in one of its nights';
// Only a backstop: the bookings of the travelers are locked while their other rooms are looked up.
mapConstraint('departure_room_travelers_one_room', () => conflict('traveler_has_room', HAS_ROOM));

const CAPACITIES: Partial<Record<RoomType, number>> = { single: 1, double: 2, twin: 2, triple: 3, quad: 4 };

/** The rooms of departures, which are written as a whole. */
@Injectable()
export class RoomingService {
  constructor(
    private readonly database: Database,
    private readonly repository: RoomingRepository,
    private readonly manifests: ManifestsService,
    private readonly ledger: ActionLedger,
  ) {}

  async get(departureId: string): Promise<Rooming> {
    return this.repository.get(departureId);
  }

  /** The language of a list to print: that of the request, otherwise of the company. */
  async languageOf(query: { language?: DocumentLanguage }): Promise<DocumentLanguage> {
    return this.manifests.languageOf(query);
  }

  /** What the head of a list to print says in this language about the company and the product. */
  async headOf(list: { productId: string }, language: DocumentLanguage): Promise<PrintedHead> {
    return this.manifests.headOf(list, language);
  }

  /** People and rooms at one moment. The names of the people need the scope of bookings, too. */
  async list(departureId: string, language: DocumentLanguage): Promise<RoomingListResponse> {
    return this.database.snapshot(async () => {
      const rooming = await this.repository.get(departureId);
      assertScope('bookings:read');
      return toRoomingList(rooming, await this.manifests.get(departureId, {}, language));
    });
  }

  async replace(departureId: string, bodies: readonly RoomBody[], expected: ExpectedVersions): Promise<Rooming> {
    const rooms = bodies.map(roomOf);
    assertSpan(rooms);
    assertOneRoomEach(rooms);
    const stored = await this.repository.get(departureId);
    assertVersion(expected, stored);
    const travelerIds = [...new Set(rooms.flatMap((room) => room.travelerIds))];
    return this.database.transaction(async () => {
      await this.repository.lockPeople(travelerIds);
      const before = await this.repository.lock(departureId);
      assertVersion(expected, before);
      await this.assertUsable(departureId, rooms, travelerIds);
      await this.repository.replace(departureId, rooms);
      const after = await this.repository.get(departureId);
      this.record(before, after);
      return after;
    });
  }

  /** Call this after seats of a locked booking have changed. */
  async followSeats(bookingId: string): Promise<void> {
    await this.repository.dropUnseated(bookingId);
  }

  /** Returns the number of departures whose rooms were deleted. */
  async deleteOlderThan(days: number): Promise<number> {
    return this.database.transaction(() => this.repository.deleteOlderThan(days));
  }

  private async assertUsable(
    departureId: string,
    rooms: readonly Room[],
    travelerIds: readonly string[],
  ): Promise<void> {
    const seated = await this.repository.seated(departureId, travelerIds);
    const facilities = await this.repository.usableFacilities(rooms.flatMap(({ facilityId }) => facilityId ?? []));
    for (const [index, room] of rooms.entries()) {
      if (room.facilityId !== null && !facilities.has(room.facilityId)) {
        throw notFound({ field: `rooms.${index}.facilityId` });
      }
      const place = room.travelerIds.findIndex((id) => !seated.has(id));
      if (place >= 0) throw notFound({ field: `rooms.${index}.travelerIds.${place}` });
    }
    const taken = await this.repository.findTakenElsewhere(departureId, rooms);
    if (taken !== null) throw hasRoom(taken);
  }

  /** Records the rooms that were deleted or added, without their notes and labels. */
  private record(before: Rooming, after: Rooming): void {
    const [former, present] = [before, after].map(({ rooms }) => rooms.map(imageOf));
    const without = (some: readonly object[] = [], others: readonly object[] = []) => {
      const known = new Set(others.map((one) => JSON.stringify(one)));
      return some.filter((one) => !known.has(JSON.stringify(one)));
    };
    this.ledger.record('operations.rooming.replace', {
      subjectType: 'departure',
      subjectId: after.departureId,
      before: { roomingVersion: before.version, rooms: without(former, present) },
      after: { roomingVersion: after.version, rooms: without(present, former) },
    });
  }
}

function imageOf({ facilityId, from, to, type, capacity, travelerIds }: Room): object {
  return { facilityId, from, to, type, capacity, travelerIds };
}

/** Throws 400 for nights or a capacity that a room cannot have, and 409 for too many people. */
function roomOf(body: RoomBody, index: number): Room {
  const { facilityId = null, from, to, type, label = null, note = null, travelerIds = [] } = body;
  if (to <= from) throw invalidField(`rooms.${index}.to`, 'to must be after from', 'end_before_start');
  const capacity = body.capacity ?? CAPACITIES[type];
  if (capacity === undefined) {
    const path = `rooms.${index}.capacity`;
    throw invalidField(path, `${path} is required for this type`, 'required');
  }
  if (travelerIds.length > capacity) {
    const details = { index, capacity, travelers: travelerIds.length };
    throw conflict('room_full', 'The room has fewer beds than travelers', details);
  }
  return { facilityId, from, to, type, capacity, label, note, travelerIds };
}

/** The totals of a list have a row per night, so a mistyped year must not give thousands. */
function assertSpan(rooms: readonly Room[]): void {
  const [first] = rooms.map(({ from }) => from).sort();
  const index = first === undefined ? -1 : rooms.findIndex(({ to }) => daysBetween(first, to) > MAX_NIGHTS);
  if (index < 0) return;
  const path = `rooms.${index}.to`;
  const message = `${path} must be at most ${MAX_NIGHTS} days after the first night of all rooms`;
  throw invalidField(path, message, 'too_large', { max: MAX_NIGHTS });
}

function assertOneRoomEach(rooms: readonly Room[]): void {
  const stays = rooms.flatMap(({ from, to, travelerIds }, index) => travelerIds.map((id) => ({ id, from, to, index })));
  const latest = new Map<string, { to: string; index: number }>();
  for (const { id, from, to, index } of stays.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))) {
    const earlier = latest.get(id);
    if (earlier && from < earlier.to) throw hasRoom(Math.max(index, earlier.index));
    latest.set(id, { to, index });
  }
}

function hasRoom(index: number): Error {
  return conflict('traveler_has_room', HAS_ROOM, { index });
}
