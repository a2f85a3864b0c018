import { type CsvCell, csvLines } from '../../../platform/http/csv.js';
import type { RoomingListResponse, RoomingListRoom, RoomingPerson } from './rooming.dto.js';

/** A person, a room, or both. */
interface Line {
  number: number | null;
  room: RoomingListRoom | null;
  person: RoomingPerson | null;
}

const COLUMNS: readonly (readonly [name: string, cell: (line: Line) => CsvCell])[] = [
  ['room', ({ number }) => number],
  ['label', ({ room }) => room?.label],
  ['facility', ({ room }) => room?.facilityName],
  ['type', ({ room }) => room?.type],
  ['from', ({ room }) => room?.from],
  ['to', ({ room }) => room?.to],
  ['capacity', ({ room }) => room?.capacity],
  ['note', ({ room }) => room?.note],
  ['bookingNumber', ({ person }) => person?.bookingNumber],
  ['provisional', ({ person }) => person?.isProvisional],
  ['name', ({ person }) => person?.name],
  ['customerName', ({ person }) => person?.customerName],
  ['unit', ({ person }) => person?.unit],
  ['age', ({ person }) => person?.age],
];

/** One row per person, those without a room first, and one per empty room. */
export function roomingListCsv({ withoutRoom, rooms }: RoomingListResponse): string {
  const lines: Line[] = withoutRoom.map((person) => ({ number: null, room: null, person }));
  for (const [index, room] of rooms.entries()) {
    const people = room.people.length === 0 ? [null] : room.people;
    lines.push(...people.map((person) => ({ number: index + 1, room, person })));
  }
  return csvLines([COLUMNS.map(([name]) => name), ...lines.map((line) => COLUMNS.map(([, cell]) => cell(line)))]);
}
