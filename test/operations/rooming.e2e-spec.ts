import { beforeAll, describe, expect, it } from '@jest/globals';
import { DeskData } from '../../src/modules/desk/desk-data.js';
import { RoomingRetentionJobs } from '../../src/modules/desk/rooming/rooming-retention.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  type One,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { addTraveler, assign, travelersOf } from '../bookings/travelers.js';
import { newCustomer } from '../customers/customers.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';
import { DEPARTURES, newDeparture } from './departures.js';
import { newFacility } from './facilities.js';

interface Room extends Record<string, unknown> {
  travelerIds: string[];
}

interface Rooming {
  rooms: Room[];
  version: number;
  updatedAt: string | null;
}

interface Person {
  name: string;
  travelerId: string | null;
}

interface RoomingList {
  withoutRoom: Person[];
  rooms: { people: Person[] }[];
  totals: object[];
}

const NIGHTS = { from: '2127-03-09', to: '2127-03-11' };
const UNKNOWN = 'trav_01k0dem000e0000000000zzzzz';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const room = (travelerIds: string[], over: object = {}) => ({ ...NIGHTS, type: 'double', travelerIds, ...over });
const pathOf = (id: string) => `${DEPARTURES}/${id}/rooming`;
const put = (id: string, rooms: object[], headers: Record<string, string> = {}) =>
  owner.put<One<Rooming>>(pathOf(id), { rooms }, { headers });
const read = async (id: string): Promise<Rooming> => (await owner.get<One<Rooming>>(pathOf(id))).body.data;
const inRooms = async (id: string) => (await read(id)).rooms.map(({ travelerIds }) => travelerIds);

async function write(id: string, rooms: object[]): Promise<Rooming> {
  const { status, body, text } = await put(id, rooms);
  if (status !== 200) throw new Error(`The rooms were rejected: ${text}`);
  return body.data;
}

async function list(id: string, client = owner): Promise<RoomingList> {
  const { status, body } = await client.get<One<RoomingList>>(`${DEPARTURES}/${id}/rooming-list`);
  expect(status).toBe(200);
  return body.data;
}

/** A departure with an item for three people: Maria, Ion and a guest. */
async function group() {
  const departure = await newDeparture(app, { startsAt: '2127-03-09T06:00:00Z', endsAt: '2127-03-11T15:00:00Z' });
  const sale = await confirmedBooking(owner, {
    item: { departureId: departure.id, quantity: 3, title: 'Adult' },
    booking: { customerName: 'Maria Ionescu' },
  });
  const maria = await addTraveler(owner, sale.booking.id, { firstName: 'Maria' });
  const ion = await addTraveler(owner, sale.booking.id, { firstName: 'Ion' });
  await assign(owner, sale.item, [maria.id, ion.id]);
  const item = `${BOOKINGS}/${sale.booking.id}/items/${sale.item.id}`;
  return { id: departure.id, sale, item, maria: maria.id, ion: ion.id };
}

describe('the rooms of a departure', () => {
  it('rooms are written as a whole and read in their order, with the capacity of their type', async () => {
    const { id, maria, ion } = await group();
    const { id: facilityId } = await newFacility(app);
    expect(await read(id)).toMatchObject({ rooms: [], version: 1, updatedAt: null });

    const types = { single: 1, double: 2, twin: 2, triple: 3, quad: 4 };
    const empty = Object.keys(types).map((type) => ({ ...NIGHTS, type }));
    const full = room([ion, maria], { facilityId, label: '12', note: 'Cot\nplease', capacity: 3 });
    const written = await put(id, [full, ...empty]);

    expect(written).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    expect(written.body.data.rooms[0]).toEqual(full);
    expect(written.body.data.rooms.slice(1).map(({ capacity }) => capacity)).toEqual(Object.values(types));
    const found = await owner.get<One<Rooming>>(pathOf(id));
    expect(found.body).toEqual(written.body);
    expect(found.headers.etag).toBe('"2"');
    expect(await write(id, [room([maria])])).toMatchObject({ rooms: [{ travelerIds: [maria] }], version: 3 });
  });

  it('a room without nights, a family room without capacity and a mistyped year are invalid', async () => {
    const { id } = await group();
    const wrong: [object[], string, string][] = [
      [[room([], { to: NIGHTS.from })], 'rooms.0.to', 'end_before_start'],
      [[room([]), room([], { type: 'family' })], 'rooms.1.capacity', 'required'],
      [[room([], { type: 'dorm' })], 'rooms.0.capacity', 'required'],
      [[room([]), room([], { from: '2128-03-09', to: '2128-03-11' })], 'rooms.1.to', 'too_large'],
      [[room([], { to: '2127-06-08' })], 'rooms.0.to', 'too_large'],
      [Array.from({ length: 501 }, () => room([])), 'rooms', 'too_many'],
      [[room([], { note: 'x'.repeat(501) })], 'rooms.0.note', 'too_long'],
    ];
    for (const [rooms, path, code] of wrong) {
      expect(await put(id, rooms)).toMatchObject({ status: 400, body: { details: { issues: [{ path, code }] } } });
    }
    expect((await put(id, [room([], { to: '2127-06-07' })])).status).toBe(200);
    expect(
      (
        await write(
          id,
          Array.from({ length: 500 }, () => room([])),
        )
      ).rooms,
    ).toHaveLength(500);
  });

  it('a room with more travelers than beds is full', async () => {
    const { id, maria, ion } = await group();

    const answer = await put(id, [room([]), room([maria, ion], { type: 'single' })]);

    const details = { index: 1, capacity: 1, travelers: 2 };
    expect(answer).toMatchObject({ status: 409, body: problem('room_full', details) });
    expect((await put(id, [room([maria, ion], { type: 'single', capacity: 2 })])).status).toBe(200);
  });

  it('a traveler has one room in a night: two rooms may only follow each other', async () => {
    const { id, maria } = await group();
    const later = { from: '2127-03-10', to: '2127-03-12' };

    const answers = [
      await put(id, [room([maria], later), room([]), room([maria])]),
      await put(id, [room([]), room([maria], { to: '2127-03-20' }), room([maria], later)]),
    ];

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 409, body: problem('traveler_has_room', { index: 2 }) });
    }
    const next = { from: NIGHTS.to, to: '2127-03-12' };
    expect((await write(id, [room([maria], next), room([maria])])).rooms).toHaveLength(2);
  });

  it('a traveler has one room in a night also across departures, even if the rooms are written in parallel', async () => {
    const { id, sale, maria } = await group();
    const other = await newDeparture(app, { startsAt: '2127-03-10T06:00:00Z', endsAt: '2127-03-12T15:00:00Z' });
    await assign(owner, await addItem(owner, sale.booking.id, { departureId: other.id }), [maria]);

    const answers = await Promise.all([put(id, [room([maria])]), put(other.id, [room([maria])])]);

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [taken, free] = answers[0]?.status === 200 ? [id, other.id] : [other.id, id];
    const second = await put(free, [room([]), room([maria])]);
    expect(second).toMatchObject({ status: 409, body: problem('traveler_has_room', { index: 1 }) });
    expect(await inRooms(free)).toEqual([]);
    await write(free, [room([])]);
    const copy = `insert into departure_room_travelers (departure_id, position, traveler_id, from_date, to_date, place, booking_id)
      select $2, position, traveler_id, from_date, to_date, place, booking_id from departure_room_travelers where departure_id = $1`;
    await expect(app.sql(copy, [taken, free])).rejects.toThrow('departure_room_travelers_one_room');
    await write(taken, []);
    expect((await write(free, [room([maria])])).rooms).toHaveLength(1);
  });

  it('only travelers with a seat of the departure and facilities that are not archived can be named', async () => {
    const { id, sale, maria } = await group();
    const stranger = (await group()).maria;
    const unseated = await addTraveler(owner, sale.booking.id);
    const { id: facilityId } = await newFacility(app);
    await owner.delete(`/v1/admin/operations/facilities/${facilityId}`);

    for (const traveler of [stranger, unseated.id, UNKNOWN]) {
      const answer = await put(id, [room([]), room([maria, traveler])]);
      expect(answer).toMatchObject({ status: 404, body: problem('not_found', { field: 'rooms.1.travelerIds.1' }) });
    }
    const archived = await put(id, [room([maria], { facilityId })]);
    expect(archived).toMatchObject({ status: 404, body: problem('not_found', { field: 'rooms.0.facilityId' }) });
    expect(await inRooms(id)).toEqual([]);
    const unknown = 'dep_01k0dem000e0000000000zzzzz';
    expect((await put(unknown, [])).status).toBe(404);
    expect((await owner.get(pathOf(unknown))).status).toBe(404);
  });

  it('of two parallel writes of the same version one wins, and the other is told that the rooms have changed', async () => {
    const { id, maria, ion } = await group();
    const { version } = await write(id, []);
    const headers = { 'If-Match': `"${version}"` };

    const answers = await Promise.all([maria, ion].map((traveler) => put(id, [room([traveler])], headers)));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await inRooms(id)).toEqual([[[maria, ion][winner]]]);
  });

  it('the first rooms of a departure are written once if two writes expect that there are none', async () => {
    const { id, maria, ion } = await group();
    const writes = [maria, ion].map((traveler) => put(id, [room([traveler])], { 'If-Match': '"1"' }));

    expect((await Promise.all(writes)).map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('the ledger records the rooms that changed with ids, without notes and labels', async () => {
    const { id, maria, ion } = await group();
    await write(id, [room([maria], { note: 'Secret wish' }), room([])]);
    await write(id, [room([maria, ion], { label: 'Suite Secret' }), room([])]);

    const entries = (await entriesAbout(owner, id)).filter(({ action }) => action === 'operations.rooming.replace');

    expect(entries).toMatchObject([
      { before: { roomingVersion: 1, rooms: [] }, after: { roomingVersion: 2, rooms: [{ travelerIds: [maria] }, {}] } },
      { before: { rooms: [{ travelerIds: [maria] }] }, after: { rooms: [{ travelerIds: [maria, ion] }] } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Secret');
  });
});

describe('leaving a room', () => {
  type Group = Awaited<ReturnType<typeof group>>;
  const traveler = ({ sale, maria }: Group) => `${travelersOf(sale.booking.id)}/${maria}`;
  const BOTH: Record<string, (group: Group) => Promise<{ status: number }>> = {
    'the item is cancelled': ({ item }) => owner.post(`${item}/cancellation`),
    'the item moves to another departure': async ({ item }) =>
      owner.patch(item, { departureId: (await newDeparture(app)).id }),
    'the booking is cancelled': ({ sale }) =>
      owner.post(`${BOOKINGS}/${sale.booking.id}/cancellation`, { reason: 'Ill' }),
  };
  const MARIA: Record<string, (group: Group) => Promise<{ status: number }>> = {
    'the traveler is deleted': (one) => owner.delete(traveler(one)),
    'the traveler is cancelled': async (one) => {
      await owner.patch(`${travelersOf(one.sale.booking.id)}/${one.ion}`, { isLead: true });
      return owner.patch(traveler(one), { status: 'cancelled' });
    },
    'another traveler gets the seats': ({ item, ion }) => owner.put(`${item}/travelers`, { travelerIds: [ion] }),
    'the travelers are replaced': ({ sale, ion }) =>
      owner.put(travelersOf(sale.booking.id), { travelers: [{ id: ion }] }),
    'the item has fewer seats': async ({ item, sale, maria, ion }) => {
      await owner.put(travelersOf(sale.booking.id), { travelers: [{ id: ion }, { id: maria }] });
      return owner.patch(item, { quantity: 1 });
    },
  };

  it.each(Object.keys({ ...BOTH, ...MARIA }))('a traveler leaves the room when %s', async (cause) => {
    const one = await group();
    const { version } = await write(one.id, [room([one.maria, one.ion])]);

    const { status } = (await (BOTH[cause] ?? MARIA[cause])?.(one)) ?? { status: 0 };

    expect(status).toBe(200);
    const left = await read(one.id);
    expect(left.rooms.map(({ travelerIds }) => travelerIds)).toEqual([cause in BOTH ? [] : [one.ion]]);
    expect(left.version).toBeGreaterThan(version);
  });

  it('the other travelers stay in their rooms, and the version stays, if nobody lost a seat', async () => {
    const { id, item, sale, maria, ion } = await group();
    const { version } = await write(id, [room([maria, ion])]);

    await owner.patch(`${travelersOf(sale.booking.id)}/${ion}`, { firstName: 'Ioan' });
    await owner.put(`${item}/travelers`, { travelerIds: [ion, maria] });
    await owner.patch(item, { quantity: 2 });

    expect(await read(id)).toMatchObject({ rooms: [{ travelerIds: [maria, ion] }], version });
  });

  it('a reinstated item does not return its travelers to a room that others may have', async () => {
    const { id, item, maria } = await group();
    await write(id, [room([maria])]);
    await owner.post(`${item}/cancellation`);

    expect((await owner.post(`${item}/reinstatement`, { reason: 'Mistake' })).status).toBe(200);

    expect(await inRooms(id)).toEqual([[]]);
    expect((await put(id, [room([maria])])).status).toBe(200);
  });

  it('a cancellation in parallel to a write leaves no cancelled traveler in a room', async () => {
    for (let round = 0; round < 6; round += 1) {
      const one = await group();
      if (round % 2 === 0) await write(one.id, [room([one.maria])]);
      const cancel = round % 3 === 0 ? MARIA['the traveler is deleted'] : BOTH['the item is cancelled'];

      const [written, cancelled] = await Promise.all([put(one.id, [room([one.ion, one.maria])]), cancel?.(one)]);

      expect(cancelled?.status).toBe(200);
      expect([200, 404]).toContain(written.status);
      expect((await inRooms(one.id)).flat()).not.toContain(one.maria);
    }
  });

  it('rooms are deleted with their notes 30 days after the departure', async () => {
    const { id, maria } = await group();
    const { version } = await write(id, [room([maria], { note: 'Baby cot' })]);
    const erase = () => asSystem(() => app.nest.get(RoomingRetentionJobs, { strict: false }).deletePast());
    const end = (ago: string) =>
      app.sql(
        `update departures set starts_at = $2::timestamptz - interval '40 days', ends_at = $2::timestamptz - $3::interval where id = $1`,
        [id, app.now(), ago],
      );
    await end('29 days');
    await erase();
    expect(await inRooms(id)).toEqual([[maria]]);

    await end('30 days 1 second');
    await erase();

    expect(await read(id)).toMatchObject({ rooms: [], version: version + 1 });
    await erase();
    expect((await read(id)).version).toBe(version + 1);
  });
});

describe('the rooms of a person whose data is erased', () => {
  const person = (one: string) => ({ customerIds: [one], names: [], emails: [], bookings: [] });
  const kinds = async (customerId: string) =>
    (await asSystem(() => holder().collect(person(customerId)))).filter(({ dataClass }) => dataClass === 'travel');
  const holder = () => app.nest.get(DeskData, { strict: false });

  it('the person leaves the rooms of the past with their notes, and keeps those ahead', async () => {
    const { id, maria, ion, sale } = await group();
    const { id: customerId } = await newCustomer(app);
    await owner.patch(`${travelersOf(sale.booking.id)}/${maria}`, { customerId });
    const { version } = await write(id, [room([maria, ion], { note: 'Both like tea' }), room([], { note: 'Cot' })]);
    const night = { departureId: id, ...NIGHTS, type: 'double', label: null, note: null, departureEnd: '2127-03-11' };
    expect(await kinds(customerId)).toEqual([
      { dataClass: 'travel', kind: 'rooms ahead', keptUntil: '2127-04-10', records: [night] },
      { dataClass: 'travel', kind: 'rooms', keptUntil: null, records: [] },
    ]);
    expect(await asSystem(() => holder().erase(person(customerId)))).toBe(0);
    expect(await read(id)).toMatchObject({ rooms: [{ travelerIds: [maria, ion] }, {}], version });

    await app.sql(
      `update departures set starts_at = $2::timestamptz - interval '3 days', ends_at = $2::timestamptz - interval '1 day' where id = $1`,
      [id, app.now()],
    );
    expect(await kinds(customerId)).toMatchObject([{ records: [] }, { kind: 'rooms', records: [{ departureId: id }] }]);
    expect(await asSystem(() => holder().erase(person(customerId)))).toBe(1);

    const rooms = [{ travelerIds: [ion], note: null }, { note: 'Cot' }];
    expect(await read(id)).toMatchObject({ rooms, version: version + 1 });
    expect(await asSystem(() => holder().erase(person(customerId)))).toBe(0);
  });
});

describe('the rooming list of a departure', () => {
  it('people without a room come first, then the rooms, and the totals per night and type', async () => {
    const { id, sale, maria, ion } = await group();
    const other = await addItem(owner, sale.booking.id, { departureId: id, title: 'Dinner' });
    await assign(owner, other, [ion]);
    const { id: facilityId } = await newFacility(app, { name: 'Hotel Delta' });
    await write(id, [room([maria], { facilityId }), room([], { to: '2127-03-10' }), room([], { type: 'single' })]);

    const found = await list(id);

    expect(found.withoutRoom.map(({ name }) => name)).toEqual(['Ion Ionescu', 'Guest 3 of 3']);
    expect(found.rooms).toMatchObject([
      { facilityName: 'Hotel Delta', type: 'double', people: [{ name: 'Maria Ionescu', travelerId: maria }] },
      { people: [], facilityName: null },
      { type: 'single', people: [] },
    ]);
    expect(found.totals).toEqual([
      { night: '2127-03-09', type: 'single', rooms: 1, capacity: 1, people: 0 },
      { night: '2127-03-09', type: 'double', rooms: 2, capacity: 4, people: 1 },
      { night: '2127-03-10', type: 'single', rooms: 1, capacity: 1, people: 0 },
      { night: '2127-03-10', type: 'double', rooms: 1, capacity: 2, people: 1 },
    ]);
  });

  it('the CSV has a row per person and per empty room, and no cell becomes a formula', async () => {
    const { id, sale, maria } = await group();
    await write(id, [room([maria], { label: '=1+1' }), room([])]);

    const { text, headers } = await owner.get(`${DEPARTURES}/${id}/rooming-list?format=csv`);

    expect(headers['content-disposition']).toBe('attachment; filename="rooming-list-2127-03-09.csv"');
    const [header, ...lines] = text.trimEnd().split('\r\n');
    expect(header).toMatch(/^room,label,facility,type,from,to,capacity,note,bookingNumber,/);
    const { number } = sale.booking;
    expect(lines).toEqual([
      `,,,,,,,,${number},false,Ion Ionescu,Maria Ionescu,Adult,`,
      `,,,,,,,,${number},false,Guest 3 of 3,Maria Ionescu,Adult,`,
      `1,'=1+1,,double,2127-03-09,2127-03-11,2,,${number},false,Maria Ionescu,Maria Ionescu,Adult,`,
      `2,,,double,2127-03-09,2127-03-11,2,,,,,,,`,
    ]);
  });

  it('the PDF contains the people without a room, the rooms and the totals', async () => {
    const { id, maria } = await group();
    await write(id, [room([maria], { label: 'Suite 7', note: 'Baby cot' })]);

    const path = `${app.url}${DEPARTURES}/${id}/rooming-list?format=pdf`;
    const { headers, bytes } = await fetchFile(path, { authorization: `Bearer ${tokenOf(app.credentials, 'owner')}` });

    expect(headers['content-type']).toBe('application/pdf');
    expect(headers['content-disposition']).toBe('attachment; filename="rooming-list-2127-03-09.pdf"');
    const text = (await pagesOf(bytes)).join(' ');
    const words = [
      'Without a room: 2',
      'Ion Ionescu',
      'Suite 7',
      'Maria Ionescu',
      'Baby cot',
      '1 × double; Beds: 1 of 2',
    ];
    for (const word of words) expect(text).toContain(word);

    const french = await fetchFile(`${path}&language=fr`, {
      authorization: `Bearer ${tokenOf(app.credentials, 'owner')}`,
    });
    const page = (await pagesOf(french.bytes)).join(' ');
    for (const word of ['Liste des chambres', 'Personne 3 sur 3', '1 × double', '1 sur 2'])
      expect(page).toContain(word);
  });

  it('rooms need the scopes of operations, and the list with names also bookings:read', async () => {
    const { id, maria } = await group();
    await write(id, [room([maria])]);
    const [guide, clerk] = [
      await staffWith(app, 'operations:*'),
      await staffWith(app, 'operations:read', 'bookings:read'),
    ];
    const path = `${DEPARTURES}/${id}/rooming-list`;

    expect((await guide.get(pathOf(id))).status).toBe(200);
    const denied = { status: 403, body: { details: { requiredScope: 'bookings:read' } } };
    for (const format of ['json', 'csv', 'pdf']) {
      expect(await guide.get(`${path}?format=${format}`)).toMatchObject(denied);
    }
    expect((await list(id, clerk)).rooms).toHaveLength(1);
    expect((await clerk.put(pathOf(id), { rooms: [] })).status).toBe(403);
    expect(await inRooms(id)).toEqual([[maria]]);
  });
});
