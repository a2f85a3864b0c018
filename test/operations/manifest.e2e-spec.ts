import { beforeAll, describe, expect, it } from '@jest/globals';
import { CheckInRetentionJobs } from '../../src/modules/desk/manifests/check-in-retention.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  makeBooking,
  type One,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { addTraveler, assign, CONSENT, travelersOf } from '../bookings/travelers.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';
import { newProduct } from '../products/products.js';
import { DEPARTURES, newDeparture, read } from './departures.js';

interface Person extends Record<string, unknown> {
  name: string;
  itemId: string;
  seat: number;
  travelerId: string | null;
  isCancelled: boolean;
  checkIn: { state: string; changedBy: string | null };
}

interface Manifest extends Record<string, unknown> {
  sold: number;
  people: Person[];
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const manifest = async (id: string, query = '', client = owner): Promise<Manifest> => {
  const { status, body } = await client.get<One<Manifest>>(`${DEPARTURES}/${id}/manifest${query}`);
  expect(status).toBe(200);
  return body.data;
};
const checkIn = (id: string, body: object) => owner.post(`${DEPARTURES}/${id}/check-ins`, body);

/** A departure with three people: a named one with all data, a guest, and the only one of a draft. */
async function departureWithPeople() {
  const departure = await newDeparture(app, { startsAt: '2127-03-09T06:00:00Z', endsAt: '2127-03-09T15:00:00Z' });
  const item = { departureId: departure.id, quantity: 2, title: 'Adult' };
  const sale = await confirmedBooking(owner, {
    item,
    booking: { customerName: 'Maria Ionescu', customerPhone: '112' },
  });
  await addItem(owner, sale.booking.id, { type: 'extra', title: 'Snowshoes' });
  const maria = await addTraveler(owner, sale.booking.id, {
    ...{ firstName: 'Maria', lastName: 'Ionescu', language: 'ro', phone: '+40240555010' },
    document: { type: 'passport', number: '=XR054321987', issuingCountry: 'RO' },
    ...{ dietary: ['vegan'], healthNote: 'Carries insulin', healthDataConsent: CONSENT },
    emergencyContact: { name: 'Ion', phone: '+40240555011' },
  });
  // The API accepts no birth in the future.
  await app.sql(`update booking_travelers set birth_date = '2115-03-09' where id = $1`, [maria.id]);
  await assign(owner, sale.item, [maria.id]);
  const draft = await makeBooking(owner, { customerName: 'Zoe Zander' });
  await addItem(owner, draft.id, { departureId: departure.id, title: 'Adult' });
  return { departure, sale, maria, draft };
}

describe('the manifest of a departure', () => {
  it('a manifest lists as many people as units are sold: named, guests and provisional, by the last name of the lead', async () => {
    const { departure, sale, maria, draft } = await departureWithPeople();

    const found = await manifest(departure.id);

    expect(found).toMatchObject({
      ...{ departureId: departure.id, localStart: '2127-03-09 08:00', capacity: 20, sold: 3, held: 0 },
      ...{ arrived: 0, noShow: 0, dietary: [{ need: 'vegan', people: 1 }] },
    });
    expect(found.people).toHaveLength(found.sold);
    expect(found.people).toMatchObject([
      {
        ...{ bookingNumber: sale.booking.number, isProvisional: false, travelerId: maria.id, name: 'Maria Ionescu' },
        ...{ unit: 'Adult', age: 12, phone: '+40240555010', language: 'ro', dietary: ['vegan'] },
        ...{ emergencyContact: { name: 'Ion', phone: '+40240555011' }, otherServices: ['Snowshoes'] },
        ...{ isBalanceDue: true, balanceDueCents: 30_000, checkIn: { state: 'none', changedBy: null } },
      },
      { name: 'Guest 2 of 2', travelerId: null, seat: 2, phone: '112', age: null, dietary: [] },
      { name: 'Guest 1 of 1', bookingId: draft.id, isProvisional: true, isBalanceDue: false },
    ]);
    expect(JSON.stringify(found)).not.toMatch(/sealedNumber|healthNote/);
  });

  it('guests are numbered within their booking, and its other seats on the departure are no other services', async () => {
    const { departure, sale, maria } = await departureWithPeople();
    const other = await newDeparture(app, { startsAt: '2127-03-10T06:00:00Z', endsAt: '2127-03-10T15:00:00Z' });
    await addItem(owner, sale.booking.id, { departureId: departure.id, quantity: 2, title: 'Child' });
    await addItem(owner, sale.booking.id, { departureId: other.id, title: 'Boat trip' });

    const rowsOf = async (query: string) => {
      const { people } = await manifest(departure.id, query);
      const own = people.filter(({ bookingId }) => bookingId === sale.booking.id);
      return own.map(({ name, unit, otherServices }) => [name, unit, otherServices]);
    };

    const others = ['Snowshoes', 'Boat trip'];
    const expected = [
      ['Maria Ionescu', 'Adult', others],
      ['Guest 2 of 4', 'Adult', others],
      ['Guest 3 of 4', 'Child', others],
      ['Guest 4 of 4', 'Child', others],
    ];
    for (const groupBy of ['booking', 'option', 'pickup'])
      expect(await rowsOf(`?groupBy=${groupBy}`)).toEqual(expected);
    const { body } = await owner.get<One<{ withoutRoom: Person[] }>>(`${DEPARTURES}/${departure.id}/rooming-list`);
    const unplaced = body.data.withoutRoom.map(({ name }) => name);
    expect(unplaced).toEqual(['Maria Ionescu', 'Guest 2 of 4', 'Guest 3 of 4', 'Guest 4 of 4', 'Guest 1 of 1']);
    await owner.delete(`${travelersOf(sale.booking.id)}/${maria.id}`);
    expect((await rowsOf(''))[0]?.[0]).toBe('Guest 1 of 4');
  });

  it('amounts and sensitive columns need their own scopes, and the ledger records who read the columns', async () => {
    const { departure, maria } = await departureWithPeople();
    const guide = await staffWith(app, 'operations:*');
    expect((await manifest(departure.id, '', guide)).people[0]).not.toHaveProperty('balanceDueCents');
    const denied = await guide.get(`${DEPARTURES}/${departure.id}/manifest?columns=document`);
    expect(denied).toMatchObject({ status: 403, body: { details: { requiredScope: 'customers:sensitive' } } });

    const { people } = await manifest(departure.id, '?columns=document,healthNote');

    expect(people[0]).toMatchObject({
      document: { type: 'passport', number: '=XR054321987', issuingCountry: 'RO', expiresOn: null },
      healthNote: 'Carries insulin',
    });
    const entries = await entriesAbout(owner, departure.id);
    expect(entries.filter(({ action }) => action === 'customers.document.reveal')).toMatchObject([
      {
        after: {
          shown: [
            { member: 'document', travelerIds: [maria.id] },
            { member: 'healthNote', travelerIds: [maria.id] },
          ],
        },
      },
    ]);
  });

  it('the file of a manifest has the same people, and no cell becomes a formula', async () => {
    const { departure, sale } = await departureWithPeople();
    await owner.patch(`${BOOKINGS}/${sale.booking.id}`, { customerName: '=1+1' });

    const { status, text, headers } = await owner.get(`${DEPARTURES}/${departure.id}/manifest?format=csv`);

    expect(status).toBe(200);
    expect(headers['content-disposition']).toBe('attachment; filename="manifest-2127-03-09.csv"');
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^bookingNumber,provisional,cancelled,name,customerName,unit,age,/);
    expect(lines[1]).toContain(`,Maria Ionescu,'=1+1,Adult,12,`);
  });

  it('the list to print is a PDF that contains the people, in any script', async () => {
    const { departure, sale, maria } = await departureWithPeople();
    await owner.patch(`${travelersOf(sale.booking.id)}/${maria.id}`, { firstName: 'مريم', lastName: 'إيونيسكو' });

    const path = `${app.url}${DEPARTURES}/${departure.id}/manifest?format=pdf`;
    const { headers, bytes } = await fetchFile(path, { authorization: `Bearer ${tokenOf(app.credentials, 'owner')}` });

    expect(headers['content-type']).toBe('application/pdf');
    expect(headers['content-disposition']).toBe('attachment; filename="manifest-2127-03-09.pdf"');
    const text = (await pagesOf(bytes)).join(' ');
    for (const word of ['Manifest', '2127-03-09 08:00', 'Guest 2 of 2', 'Snowshoes', 'vegan'])
      expect(text).toContain(word);
  });

  it('the lists to print name the company, the product and the time in words, and have no empty lines', async () => {
    await owner.patch('/v1/admin/organization/profile', { tradeName: 'Delta Tours' });
    const texts = [{ locale: 'de', title: 'Delta mit dem Boot' }];
    const { id: productId } = await newProduct(app, { name: 'Delta by boat', texts });
    const times = { startsAt: '2127-03-09T06:00:00Z', endsAt: '2127-03-09T15:00:00Z', timeZone: 'Europe/Bucharest' };
    const { id } = await newDeparture(app, { productId, ...times });
    const { id: unknown } = await newDeparture(app);

    expect(await manifest(id)).toMatchObject({ productId, productName: 'Delta by boat' });
    expect(await manifest(unknown)).toMatchObject({ productName: null });
    const authorization = `Bearer ${tokenOf(app.credentials, 'owner')}`;
    for (const list of ['manifest', 'rooming-list']) {
      const path = `${app.url}${DEPARTURES}/${id}/${list}?format=pdf&language=de`;
      const pages = await pagesOf((await fetchFile(path, { authorization })).bytes);
      const text = pages.join(' ').replace(/\s+/g, ' ').replaceAll('/ Bucharest', '/Bucharest');
      const [year] = app.now().toISOString().split('-');
      for (const part of [
        'Delta Tours',
        'Produkt: Delta mit dem Boot',
        'Beginn: Sonntag, 9. März 2127 um 08:00 (Europe/Bucharest)',
        'Delta mit dem Boot 2127-03-09 08:00 1 / 1',
      ]) {
        expect(text).toContain(part);
      }
      expect(text).toMatch(new RegExp(`Stand: .* ${year} um \\d\\d:\\d\\d \\(Europe/Bucharest\\)`));
      for (const absent of [productId, 'Treffpunkt:', 'Ressourcen:', 'Ernährung:']) expect(text).not.toContain(absent);
    }
    await owner.patch('/v1/admin/organization/profile', { tradeName: null });
  });

  it('the list to print has the language of the request, otherwise of the company', async () => {
    const { departure } = await departureWithPeople();
    const authorization = `Bearer ${tokenOf(app.credentials, 'owner')}`;
    const printed = async (query: string) => {
      const path = `${app.url}${DEPARTURES}/${departure.id}/manifest?format=pdf${query}`;
      return (await pagesOf((await fetchFile(path, { authorization })).bytes)).join(' ');
    };
    for (const word of ['Passagierliste', 'Gast 2 von 2', 'vorläufig']) {
      expect(await printed('&language=de')).toContain(word);
    }
    await owner.patch('/v1/admin/organization/profile', { defaultLanguage: 'it' });
    expect(await printed('')).toContain('Esigenze alimentari:');
    await owner.patch('/v1/admin/organization/profile', { defaultLanguage: 'en' });
    expect((await manifest(departure.id, '?language=de')).people[1]?.name).toBe('Guest 2 of 2');
  });

  it('cancelled items are listed on request and do not count', async () => {
    const { departure, sale } = await departureWithPeople();
    await owner.post(`${BOOKINGS}/${sale.booking.id}/items/${sale.item.id}/cancellation`);

    expect((await manifest(departure.id)).people).toHaveLength(1);
    const found = await manifest(departure.id, '?includeCancelled=true');
    expect(found.people.map(({ isCancelled }) => isCancelled)).toEqual([true, true, false]);
    expect(found).toMatchObject({ sold: 1, dietary: [] });
  });

  it('an empty departure has an empty manifest, an unknown one none, and more than 2,000 people are too many', async () => {
    const { id } = await newDeparture(app, { capacity: 3_000 });
    expect(await manifest(id)).toMatchObject({ people: [], sold: 0 });
    const unknown = await owner.get(`${DEPARTURES}/dep_01k0dem000e0000000000zzzzz/manifest`);
    expect(unknown).toMatchObject({ status: 404, body: problem('not_found') });

    await confirmedBooking(owner, { item: { departureId: id, quantity: 2_001, unitSellCents: 1 } });
    const crowd = await checkIn(id, { state: 'arrived', travelerIds: ['trav_01k0dem000e000000000000001'] });
    expect(crowd).toMatchObject({ status: 422, body: problem('manifest_too_large', { field: 'id', limit: 2_000 }) });
    const rejected = await owner.get(`${DEPARTURES}/${id}/manifest`);
    expect(rejected).toMatchObject({ status: 422, body: problem('manifest_too_large', { field: 'id', limit: 2_000 }) });
  });
});

describe('checking people in', () => {
  it('the last state of a person counts, by traveler or by seat, and is recorded with its actor', async () => {
    const { departure, sale, maria } = await departureWithPeople();
    const guest = { itemId: sale.item.id, seat: 2 };

    const arrived = await checkIn(departure.id, { state: 'arrived', travelerIds: [maria.id], seats: [guest] });
    expect(arrived).toMatchObject({ status: 200, body: { data: { arrived: 2, noShow: 0, open: 1 } } });
    const repeated = await manifest(departure.id);
    await checkIn(departure.id, { state: 'arrived', seats: [guest] });
    expect((await manifest(departure.id)).people).toEqual(repeated.people);
    const missed = await checkIn(departure.id, { state: 'no_show', seats: [guest] });
    expect(missed.body).toEqual({ data: { arrived: 1, noShow: 1, open: 1 } });

    const found = await manifest(departure.id);
    expect(found).toMatchObject({ arrived: 1, noShow: 1 });
    expect(found.people.map(({ checkIn: { state } }) => state)).toEqual(['arrived', 'no_show', 'none']);
    expect(found.people[0]?.checkIn.changedBy).toMatch(/^atok_/);
    expect((await checkIn(departure.id, { state: 'none', seats: [guest] })).body).toMatchObject({ data: { open: 2 } });
    const entries = await entriesAbout(owner, departure.id);
    expect(entries.filter(({ action }) => action === 'operations.departure.check_in')).toMatchObject([
      { before: { seats: [{ state: 'none' }, { state: 'none' }] }, after: { seats: [{ state: 'arrived' }, {}] } },
      { before: { seats: [{ state: 'arrived' }] }, after: { seats: [{ seat: 2, state: 'no_show' }] } },
      { after: { seats: [{ state: 'none' }] } },
    ]);
    const nobody = await checkIn(departure.id, { state: 'arrived' });
    expect(nobody).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: 'travelerIds', code: 'empty' }] } },
    });
  });

  it('nobody is checked in if one of the people has no seat on the departure', async () => {
    const { departure, sale, maria } = await departureWithPeople();
    const elsewhere = await newDeparture(app);
    const unseated = await addTraveler(owner, sale.booking.id);

    const answers = await Promise.all([
      checkIn(elsewhere.id, { state: 'arrived', travelerIds: [maria.id] }),
      checkIn(departure.id, { state: 'arrived', travelerIds: [maria.id, unseated.id] }),
      checkIn(departure.id, { state: 'arrived', seats: [{ itemId: sale.item.id, seat: 3 }] }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await manifest(departure.id)).toMatchObject({ arrived: 0 });
  });

  it('a check-in belongs to the person who had the seat', async () => {
    const { departure, sale, maria } = await departureWithPeople();
    await checkIn(departure.id, { state: 'arrived', travelerIds: [maria.id] });
    const other = await addTraveler(owner, sale.booking.id, { lastName: 'Pop' });

    await assign(owner, sale.item, [other.id]);
    expect(await manifest(departure.id)).toMatchObject({ arrived: 0, people: [{ name: 'Pop' }, {}, {}] });
    await checkIn(departure.id, { state: 'arrived', travelerIds: [other.id] });
    await owner.delete(`${travelersOf(sale.booking.id)}/${other.id}`);
    expect(await manifest(departure.id)).toMatchObject({ arrived: 0, sold: 3 });
  });

  it('a check-in stays when a guest is named and when the quantity falls, and is not that of a later guest', async () => {
    const { departure, sale, maria } = await departureWithPeople();
    const item = `${BOOKINGS}/${sale.booking.id}/items/${sale.item.id}`;
    const states = async () =>
      (await manifest(departure.id)).people.map(({ name, checkIn: { state } }) => [name, state]);
    await checkIn(departure.id, { state: 'arrived', seats: [{ itemId: sale.item.id, seat: 2 }] });
    const ion = await addTraveler(owner, sale.booking.id, { lastName: 'Ion' });
    await assign(owner, sale.item, [maria.id, ion.id]);
    expect((await states()).slice(0, 2)).toEqual([
      ['Maria Ionescu', 'none'],
      ['Ion', 'arrived'],
    ]);

    await checkIn(departure.id, { state: 'arrived', travelerIds: [ion.id] });
    await assign(owner, sale.item, [ion.id]);
    await owner.patch(item, { quantity: 1 });
    expect((await states())[0]).toEqual(['Ion', 'arrived']);
    await owner.patch(item, { quantity: 2 });
    expect((await states()).slice(0, 2)).toEqual([
      ['Ion', 'arrived'],
      ['Guest 2 of 2', 'none'],
    ]);
  });

  it('parallel check-ins of the same people end with one state for each', async () => {
    const { departure, maria } = await departureWithPeople();
    const states = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 'arrived' : 'no_show'));

    const answers = await Promise.all(states.map((state) => checkIn(departure.id, { state, travelerIds: [maria.id] })));

    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
    const rows = await app.sql('select state from departure_check_ins where departure_id = $1', [departure.id]);
    expect(rows).toHaveLength(1);
  });

  it('check-ins are deleted 30 days after the departure', async () => {
    const { departure, maria } = await departureWithPeople();
    await checkIn(departure.id, { state: 'arrived', travelerIds: [maria.id] });
    const erase = () => asSystem(() => app.nest.get(CheckInRetentionJobs, { strict: false }).deletePast());
    await app.sql(
      `update departures set starts_at = $2::timestamptz - interval '31 days', ends_at = $2::timestamptz - interval '29 days' where id = $1`,
      [departure.id, app.now()],
    );
    await erase();
    expect(await manifest(departure.id)).toMatchObject({ arrived: 1 });

    await app.sql(`update departures set ends_at = $2::timestamptz - interval '30 days 1 second' where id = $1`, [
      departure.id,
      app.now(),
    ]);
    await erase();

    expect(await manifest(departure.id)).toMatchObject({ arrived: 0 });
    expect((await read(app, departure.id)).sold).toBe(3);
  });
});
