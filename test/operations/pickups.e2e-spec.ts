import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, makeBooking, type One, readBooking } from '../bookings/bookings.js';
import { addTraveler, assign } from '../bookings/travelers.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';
import { DEPARTURES, newDeparture } from './departures.js';

interface Manifest {
  groups: { label: string | null; people: number }[];
  people: { name: string; bookingNumber: string; pickup: object | null }[];
}

const FACILITIES = '/v1/admin/operations/facilities';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function newFacility(name: string): Promise<string> {
  const { status, body } = await owner.post<One<{ id: string }>>(FACILITIES, { name, kind: 'other' });
  expect(status).toBe(201);
  return body.data.id;
}

/** A departure at 08:00 with two pickups, the second one earlier. */
async function departureWithPickups() {
  const [station, hotel] = [await newFacility('Station'), await newFacility('Hotel Sol')];
  const departure = await newDeparture(app, {
    ...{ startsAt: '2127-03-09T06:00:00Z', endsAt: '2127-03-09T15:00:00Z' },
    pickups: [
      { facilityId: station, minutesBefore: 15 },
      { facilityId: hotel, minutesBefore: 45 },
    ],
  });
  return { departure, station, hotel };
}

async function soldTo(customerName: string, item: object) {
  const booking = await makeBooking(owner, { customerName });
  return { booking, item: await addItem(owner, booking.id, { title: 'Seat', ...item }) };
}

const manifest = async (id: string, query = ''): Promise<Manifest> => {
  const { status, body } = await owner.get<One<Manifest>>(`${DEPARTURES}/${id}/manifest${query}`);
  expect(status).toBe(200);
  return body.data;
};

describe('the pickups of a departure', () => {
  it('they have a time that moves with the start, one for each facility, and facilities that are not archived', async () => {
    const { departure, station, hotel } = await departureWithPickups();
    const path = `${DEPARTURES}/${departure.id}`;
    const moved = await owner.patch<One<object>>(path, { startsAt: '2127-03-09T07:00:00Z' });
    expect(moved.body.data).toMatchObject({
      pickups: [
        { facilityId: station, minutesBefore: 15, pickupAt: '2127-03-09T06:45:00.000Z' },
        { facilityId: hotel, minutesBefore: 45, pickupAt: '2127-03-09T06:15:00.000Z' },
      ],
    });

    const twice = { facilityId: hotel, minutesBefore: 1 };
    const duplicate = await owner.patch<object>(path, { pickups: [twice, twice] });
    expect(duplicate).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'pickups.1.facilityId' }] } } });
    const inUse = await owner.delete<object>(`${FACILITIES}/${hotel}`);
    expect(inUse).toMatchObject({ status: 409, body: { code: 'facility_in_use', details: { departures: 1 } } });
    expect((await owner.patch(path, { pickups: [{ facilityId: station, minutesBefore: 15 }] })).status).toBe(200);
    expect((await owner.delete(`${FACILITIES}/${hotel}`)).status).toBe(200);
    const archived = await owner.patch<object>(path, { pickups: [twice] });
    expect(archived).toMatchObject({
      ...{ status: 409, body: { code: 'facility_archived', details: { field: 'pickups.0.facilityId' } } },
    });
  });

  it('the people of an item have its pickup with its time and note on the manifest, earlier pickups first', async () => {
    const { departure, station, hotel } = await departureWithPickups();
    const place = { departureId: departure.id };
    const own = await soldTo('Ann Own', place);
    await soldTo('Zoe Hotel', { ...place, pickupFacilityId: hotel, pickupNote: 'Back entrance' });
    await soldTo('Bob Station', { ...place, pickupFacilityId: station });
    await soldTo('Cid Station', { ...place, pickupFacilityId: station, quantity: 2 });

    const { people } = await manifest(departure.id);
    expect(people.map(({ pickup }) => pickup)).toEqual([
      { facilityId: hotel, facilityName: 'Hotel Sol', localTime: '2127-03-09 07:15', note: 'Back entrance' },
      ...[1, 2, 3].map(() => {
        return { facilityId: station, facilityName: 'Station', localTime: '2127-03-09 07:45', note: null };
      }),
      null,
    ]);
    const byPickup = await manifest(departure.id, '?groupBy=pickup');
    expect(byPickup.groups).toEqual([
      { label: '07:15 Hotel Sol', people: 1 },
      { label: '07:45 Station', people: 3 },
      { label: null, people: 1 },
    ]);

    const path = `${BOOKINGS}/${own.booking.id}/items/${own.item.id}`;
    expect((await owner.patch(path, { pickupFacilityId: hotel, pickupNote: 'Room 12' })).status).toBe(200);
    expect((await manifest(departure.id)).people[0]).toMatchObject({ pickup: { note: 'Room 12' } });
    const without = await owner.patch<object>(path, { departureId: null });
    expect(without).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'pickupFacilityId' }] } } });
    const unknown = await owner.patch<object>(path, { pickupFacilityId: 'fac_01k0dem000e000000000099999' });
    expect(unknown).toMatchObject({ status: 404, body: { details: { field: 'pickupFacilityId' } } });
    expect(await readBooking(owner, own.booking.id)).toMatchObject({ status: 'draft' });
  });

  it('the grouping by pickup holds for the CSV and the PDF too', async () => {
    const { departure, hotel } = await departureWithPickups();
    const late = await soldTo('Adam Late', { departureId: departure.id });
    const early = await soldTo('Zoe Early', { departureId: departure.id, pickupFacilityId: hotel, pickupNote: '=1+1' });
    const traveler = await addTraveler(owner, early.booking.id, { firstName: 'Zoe', lastName: 'Early' });
    await assign(owner, early.item, [traveler.id]);

    const { text } = await owner.get(`${DEPARTURES}/${departure.id}/manifest?format=csv&groupBy=pickup`);
    const [header = '', first, second] = text.trimEnd().split('\r\n');
    expect(header).toContain(',option,pickupTime,pickup,pickupNote,');
    expect(first).toContain(`,2127-03-09 07:15,Hotel Sol,'=1+1,`);
    expect(second).toContain(late.booking.number);

    const { bytes } = await fetchFile(`${app.url}${DEPARTURES}/${departure.id}/manifest?format=pdf&groupBy=pickup`, {
      authorization: `Bearer ${tokenOf(app.credentials, 'owner')}`,
    });
    const page = (await pagesOf(bytes)).join(' ');
    expect(page).toContain('07:15 Hotel Sol (1)');
    expect(page.indexOf('Zoe Early')).toBeLessThan(page.indexOf('Adam Late'));
  });
});
