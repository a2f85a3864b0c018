import { beforeAll, describe, expect, it } from '@jest/globals';
import { BookingRetentionJobs } from '../../src/modules/bookings/bookings/booking-retention.jobs.js';
import { TravelerRetentionJobs } from '../../src/modules/bookings/travelers/traveler-retention.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { newDeparture } from '../operations/departures.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { book, makeTrip, MANUAL, price, reserve } from '../trips/trips.js';
import {
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  eventsOf,
  insisting,
  invalid,
  makeBooking,
  type One,
  type Page,
  problem,
  staffWith,
} from './bookings.js';
import { addTraveler, assign, CONSENT, type Seats, type Traveler, travelersOf } from './travelers.js';

const NUMBER = 'XR054321987';
const NOTE = 'Carries insulin, see Dr Ursulescu';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const refused = (status: number, code: string, details?: object) => ({
  status,
  body: expect.objectContaining(problem(code, details)),
});
const listed = async (bookingId: string): Promise<Traveler[]> =>
  (await owner.get<Page<Traveler>>(travelersOf(bookingId))).body.data;
const seatsOf = async ({ bookingId, id }: { bookingId: string; id: string }): Promise<Seats> =>
  (await owner.get<One<Seats>>(`${BOOKINGS}/${bookingId}/items/${id}/travelers`)).body.data;

describe('the travelers of a booking', () => {
  it('a traveler is answered without the number of the document and without notes, which only their own scope reveals', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const traveler = await addTraveler(owner, bookingId, {
      firstName: 'Maria',
      lastName: 'Ionescu',
      birthDate: '1984-03-09',
      nationality: 'RO',
      phone: '0240 555 010',
      emergencyContact: { name: 'Ion', phone: '+40 240 555 011' },
      document: { type: 'passport', number: NUMBER, issuingCountry: 'RO', expiresOn: '2131-04-30' },
      dietary: ['vegan'],
      healthNote: NOTE,
      healthDataConsent: CONSENT,
    });

    expect(traveler).toMatchObject({
      ...{ position: 1, isLead: true, status: 'active', phone: '+40240555010', missing: [], itemIds: [] },
      emergencyContact: { name: 'Ion', phone: '+40240555011' },
      document: { type: 'passport', ending: '87', issuingCountry: 'RO', expiresOn: '2131-04-30' },
      ...{ dietary: ['vegan'], hasHealthNote: true, hasMobilityNote: false },
      healthDataConsent: { ...CONSENT, givenAt: expect.any(String) },
    });
    expect(JSON.stringify(traveler)).not.toContain('sealedNumber');
    const stored = await app.sql('select * from booking_travelers where id = $1', [traveler.id]);
    expect(JSON.stringify(stored)).not.toMatch(/54321|insulin/);

    const path = `${travelersOf(bookingId)}/${traveler.id}/document/reveal`;
    const clerk = await staffWith(app, 'bookings:*', 'customers:*');
    expect((await clerk.post(path, { purpose: 'Curiosity' })).status).toBe(403);
    const revealed = await owner.post<One<object>>(path, { purpose: 'Check-in with the airline' });
    expect(revealed.body.data).toEqual({ number: NUMBER, healthNote: NOTE, mobilityNote: null });
    expect(revealed.headers['cache-control']).toBe('no-store');
    const entries = await entriesAbout(owner, traveler.id);
    expect(entries).toMatchObject([
      { action: 'bookings.traveler.create' },
      { action: 'customers.document.reveal', reason: 'Check-in with the airline' },
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/Ionescu|54321|insulin/);
  });

  it('a sealed value that was copied to another traveler cannot be opened there', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const document = { type: 'id_card', number: NUMBER, issuingCountry: 'RO' };
    const [one, other] = [await addTraveler(owner, bookingId, { document }), await addTraveler(owner, bookingId)];
    await app.sql(
      'update booking_travelers set document = (select document from booking_travelers where id = $1) where id = $2',
      [one.id, other.id],
    );

    const answer = await owner.post(`${travelersOf(bookingId)}/${other.id}/document/reveal`, { purpose: 'Check' });

    expect(answer).toMatchObject(refused(409, 'sealed_value_unreadable'));
  });

  it.each([{ dietary: ['halal'] }, { healthNote: NOTE }, { mobilityNote: 'Uses a wheelchair' }])(
    '%j needs a consent: sent, sent earlier, or recorded for the customer',
    async (health) => {
      const { id: bookingId } = await makeBooking(owner);
      const { id: customerId } = await newCustomer(app);

      expect(await owner.post(travelersOf(bookingId), health)).toMatchObject(refused(422, 'consent_required'));
      expect(await owner.post(travelersOf(bookingId), { ...health, customerId })).toMatchObject(
        refused(422, 'consent_required'),
      );
      const consent = { purpose: 'health_data', granted: true, source: 'form' };
      expect((await owner.post(`${CUSTOMERS}/${customerId}/consents`, consent)).status).toBe(201);
      await addTraveler(owner, bookingId, { ...health, customerId });
      const agreed = await addTraveler(owner, bookingId, { healthDataConsent: CONSENT });
      expect((await owner.patch(`${travelersOf(bookingId)}/${agreed.id}`, health)).status).toBe(200);
    },
  );

  it('a traveler copies what the request leaves out from an active customer', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const { id: customerId } = await newCustomer(app, {
      firstName: 'José',
      lastName: 'Ñandú',
      birthDate: '1980-02-29',
      language: 'es',
      emails: [{ address: 'jose@example.com' }],
    });

    expect(await addTraveler(owner, bookingId, { customerId, lastName: 'Nandu' })).toMatchObject({
      ...{ customerId, firstName: 'José', lastName: 'Nandu', birthDate: '1980-02-29', language: 'es' },
      ...{ email: 'jose@example.com', phone: null },
    });
    await owner.post(`${CUSTOMERS}/${customerId}/archival`);
    expect(await owner.post(travelersOf(bookingId), { customerId })).toMatchObject(refused(409, 'customer_archived'));
    const unknown = 'cus_01k0dem000e0000000000zzzzz';
    expect(await owner.post(travelersOf(bookingId), { customerId: unknown })).toMatchObject(refused(404, 'not_found'));
  });

  it('a withdrawal clears what rests on the consent of the customer, and other members can still be changed', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const { id: customerId } = await newCustomer(app);
    const consent = (granted: boolean) =>
      owner.post(`${CUSTOMERS}/${customerId}/consents`, { purpose: 'health_data', granted, source: 'form' });
    await consent(true);
    const { id } = await addTraveler(owner, bookingId, { customerId, dietary: ['vegan'], healthNote: NOTE });
    const own = await addTraveler(owner, bookingId, { customerId, dietary: ['halal'], healthDataConsent: CONSENT });

    expect((await consent(false)).status).toBe(201);

    expect(await listed(bookingId)).toMatchObject([
      { id, dietary: [], hasHealthNote: false },
      { id: own.id, dietary: ['halal'] },
    ]);
    expect((await owner.patch(`${travelersOf(bookingId)}/${id}`, { lastName: 'Pop' })).status).toBe(200);
    const again = await owner.patch(`${travelersOf(bookingId)}/${id}`, { dietary: ['vegan'] });
    expect(again).toMatchObject(refused(422, 'consent_required'));
  });

  it('a change keeps what was typed, and the customer that the traveler has, even if it is archived by now', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const { id: customerId } = await newCustomer(app, { firstName: 'Maria' });
    const traveler = await addTraveler(owner, bookingId, { firstName: 'Maria-Elena', nationality: 'RO' });
    const path = `${travelersOf(bookingId)}/${traveler.id}`;

    expect((await owner.patch<One<Traveler>>(path, { customerId })).body.data).toMatchObject({
      firstName: 'Maria-Elena',
    });
    await owner.post(`${CUSTOMERS}/${customerId}/archival`);
    const changed = await owner.patch<One<Traveler>>(path, { customerId, phone: '0240 555 010' });
    expect(changed).toMatchObject({ status: 200, body: { data: { phone: '+40240555010', version: 3 } } });

    const same = await owner.put<Page<Traveler>>(travelersOf(bookingId), {
      travelers: [{ id: traveler.id, customerId }],
    });
    expect(same.body.data).toMatchObject([{ version: 3 }]);
    const wrong = { travelers: [{ id: traveler.id }, { phone: '0240 555 010' }] };
    expect(await owner.put(travelersOf(bookingId), wrong)).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: 'travelers.1.phone', code: 'phone_country_unknown' }] } },
    });
  });

  it('twelve travelers that are added at once have twelve positions and one lead', async () => {
    const { id: bookingId } = await makeBooking(owner);

    const answers = await Promise.all(
      Array.from({ length: 12 }, () => insisting(() => owner.post(travelersOf(bookingId), { isLead: true }))),
    );

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    const travelers = await listed(bookingId);
    expect(travelers.map(({ position }) => position)).toEqual(travelers.map((_, index) => index + 1));
    expect(travelers.filter(({ isLead }) => isLead)).toHaveLength(1);
  });

  it('changes of a traveler beside the merge of its customer are stored or rejected, never lost', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const { id: bookingId } = await makeBooking(owner);
    const { id } = await addTraveler(owner, bookingId, { customerId: duplicate.id });
    const path = `${travelersOf(bookingId)}/${id}`;
    const patches = Array.from({ length: 8 }, (_, index) =>
      insisting(() => owner.patch(path, { firstName: `N${index}` })),
    );

    const [merged, ...changed] = await Promise.all([
      insisting(() => owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] })),
      ...patches,
    ]);

    expect([merged.status, ...changed.map(({ status }) => status)]).toEqual([200, ...changed.map(() => 200)]);
    const { body } = await owner.get<One<Traveler>>(path);
    expect(body.data).toMatchObject({ customerId: survivor.id, firstName: expect.stringMatching(/^N\d$/) });
  });

  it('a booking has one lead: a new one replaces it, and the next one follows a lead that is deleted', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const [first, second, third] = [
      await addTraveler(owner, bookingId),
      await addTraveler(owner, bookingId),
      await addTraveler(owner, bookingId, { isLead: true }),
    ];
    const leads = async () => (await listed(bookingId)).filter(({ isLead }) => isLead).map(({ id }) => id);
    expect(await leads()).toEqual([third.id]);

    const cancelled = await owner.patch(`${travelersOf(bookingId)}/${third.id}`, { status: 'cancelled' });
    expect(cancelled).toMatchObject(refused(409, 'traveler_is_lead'));
    await owner.patch(`${travelersOf(bookingId)}/${second.id}`, { isLead: true });
    expect(await leads()).toEqual([second.id]);
    expect((await owner.delete(`${travelersOf(bookingId)}/${second.id}`)).status).toBe(200);
    expect(await leads()).toEqual([first.id]);
  });

  it('the whole list is replaced in one request: kept, changed, new and deleted travelers in a new order', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const [a, b, c] = [
      await addTraveler(owner, bookingId, { lastName: 'A' }),
      await addTraveler(owner, bookingId, { lastName: 'B' }),
      await addTraveler(owner, bookingId, { lastName: 'C' }),
    ];

    const travelers = [{ id: c.id, isLead: true }, { lastName: 'D' }, { id: a.id, lastName: 'AA' }];
    const { status, body } = await owner.put<Page<Traveler>>(travelersOf(bookingId), { travelers });

    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 3, limit: 200, offset: 0 });
    expect(body.data.map(({ id, lastName, position, isLead }) => ({ id, lastName, position, isLead }))).toEqual([
      { id: c.id, lastName: 'C', position: 1, isLead: true },
      { id: expect.any(String), lastName: 'D', position: 2, isLead: false },
      { id: a.id, lastName: 'AA', position: 3, isLead: false },
    ]);
    const stale = { headers: { 'If-Match': '"1"' } };
    expect(await owner.put(travelersOf(bookingId), { travelers: [] }, stale)).toMatchObject(
      refused(412, 'precondition_failed'),
    );
    const twice = { travelers: [{ id: a.id }, { id: a.id }] };
    expect(await owner.put(travelersOf(bookingId), twice)).toMatchObject({
      status: 400,
      body: invalid('travelers', 'duplicate'),
    });
    const gone = await owner.put(travelersOf(bookingId), { travelers: [{ id: b.id }] });
    expect(gone).toMatchObject(refused(404, 'not_found'));
    const leads = { travelers: [{ isLead: true }, { isLead: true }] };
    expect(await owner.put(travelersOf(bookingId), leads)).toMatchObject({
      status: 400,
      body: invalid('travelers', 'several_defaults'),
    });
    expect(await listed(bookingId)).toHaveLength(3);
  });

  it('a booking takes 200 travelers, and a cancelled booking none', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const many = { travelers: Array.from({ length: 200 }, () => ({})) };
    expect((await owner.put(travelersOf(bookingId), many)).status).toBe(200);
    expect(await owner.post(travelersOf(bookingId), {})).toMatchObject(refused(409, 'traveler_limit_reached'));

    const { booking } = await confirmedBooking(owner);
    const { id } = await addTraveler(owner, booking.id);
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill', initiator: 'customer' });
    const closed = refused(409, 'booking_closed');
    expect(await owner.post(travelersOf(booking.id), {})).toMatchObject(closed);
    expect(await owner.delete(`${travelersOf(booking.id)}/${id}`)).toMatchObject(closed);
  });

  it('a change without the current version is rejected, and each change is an event without personal data', async () => {
    const { id: bookingId } = await makeBooking(owner);
    const { id } = await addTraveler(owner, bookingId);
    const path = `${travelersOf(bookingId)}/${id}`;
    const ifMatch = { headers: { 'If-Match': '"1"' } };

    expect((await owner.patch(path, { lastName: 'Pop' }, ifMatch)).status).toBe(200);
    expect((await owner.patch(path, { lastName: 'Popa' }, ifMatch)).status).toBe(412);

    const events = (await eventsOf(app, bookingId, 3)).filter(({ event }) => event === 'booking_traveler.changed');
    const common = { id: expect.any(String), bookingId, travelerId: id, bookingItemId: null };
    expect(events.map(({ data }) => data)).toEqual([
      { ...common, change: 'created', version: 1 },
      { ...common, change: 'updated', version: 2 },
    ]);
  });
});

describe('the seats of a booking item', () => {
  it('travelers keep their seats, and no more get one than the item has people', async () => {
    const { id: departureId } = await newDeparture(app);
    const { booking, item } = await confirmedBooking(owner, { item: { departureId, quantity: 2 } });
    const [a, b, c] = [
      await addTraveler(owner, booking.id),
      await addTraveler(owner, booking.id),
      await addTraveler(owner, booking.id),
    ];

    expect((await assign(owner, item, [a.id, b.id])).seats).toEqual([
      { seat: 1, travelerId: a.id },
      { seat: 2, travelerId: b.id },
    ]);
    expect(await assign(owner, item, [c.id, b.id])).toEqual({
      ...{ itemId: item.id, people: 2 },
      seats: [
        { seat: 1, travelerId: c.id },
        { seat: 2, travelerId: b.id },
      ],
    });
    const path = `${BOOKINGS}/${booking.id}/items/${item.id}/travelers`;
    const all = { travelerIds: [a.id, b.id, c.id] };
    expect(await owner.put(path, all)).toMatchObject(refused(409, 'too_many_travelers', { travelers: 3, people: 2 }));
    const { id: other } = await addTraveler(owner, (await makeBooking(owner)).id);
    expect(await owner.put(path, { travelerIds: [other] })).toMatchObject(refused(404, 'not_found'));
  });

  it('a lower quantity drops placeholders first, then the highest positions', async () => {
    const { booking, item } = await confirmedBooking(owner, { item: { quantity: 4 } });
    const people = [
      await addTraveler(owner, booking.id, { lastName: 'A' }),
      await addTraveler(owner, booking.id, { lastName: null }),
      await addTraveler(owner, booking.id, { lastName: 'B' }),
      await addTraveler(owner, booking.id, { lastName: 'C' }),
    ];
    const [a, , b] = people;
    await assign(
      owner,
      item,
      people.map(({ id }) => id),
    );

    expect((await owner.patch(`${BOOKINGS}/${booking.id}/items/${item.id}`, { quantity: 2 })).status).toBe(200);

    expect(await seatsOf(item)).toMatchObject({
      people: 2,
      seats: [
        { seat: 1, travelerId: a?.id },
        { seat: 2, travelerId: b?.id },
      ],
    });
    expect((await listed(booking.id)).map(({ itemIds }) => itemIds.length)).toEqual([1, 0, 1, 0]);
  });

  it('a booking is found by its departure, and by travelers whose names are missing', async () => {
    const { id: departureId } = await newDeparture(app);
    const { booking, item } = await confirmedBooking(owner, { item: { departureId } });
    const found = async (query: string) => {
      const { body } = await owner.get<Page<{ id: string }>>(`${BOOKINGS}?departureId=${departureId}${query}`);
      return body.data.map(({ id }) => id);
    };
    expect(await found('&travelersIncomplete=true')).toEqual([booking.id]);

    const { id } = await addTraveler(owner, booking.id, { lastName: null });
    await assign(owner, item, [id]);
    expect(await found('&travelersIncomplete=true')).toEqual([booking.id]);
    await owner.patch(`${travelersOf(booking.id)}/${id}`, { lastName: 'Ionescu' });

    expect([await found('&travelersIncomplete=true'), await found('&travelersIncomplete=false')]).toEqual([
      [],
      [booking.id],
    ]);
    await owner.post(`${BOOKINGS}/${booking.id}/items/${item.id}/cancellation`);
    expect(await found('')).toEqual([]);
  });

  it('a traveler lacks what the product of an item requires', async () => {
    const { id: productId } = await newProduct(app, { requiredTravelerFields: ['birthDate', 'document'] });
    const { id: departureId } = await newDeparture(app, { productId });
    const { booking, item } = await confirmedBooking(owner, { item: { departureId } });
    const { id } = await addTraveler(owner, booking.id);
    await assign(owner, item, [id]);
    const incomplete = async () => {
      const path = `${BOOKINGS}?departureId=${departureId}&travelersIncomplete=true`;
      return [
        (await listed(booking.id)).map(({ missing }) => missing),
        (await owner.get<Page<object>>(path)).body.total,
      ];
    };
    expect(await incomplete()).toEqual([[['birthDate', 'document']], 1]);

    await owner.patch(`${travelersOf(booking.id)}/${id}`, { birthDate: '1984-03-09' });
    expect(await incomplete()).toEqual([[['document']], 1]);
    const document = { type: 'passport', number: NUMBER, issuingCountry: 'RO' };
    await owner.patch(`${travelersOf(booking.id)}/${id}`, { document });
    expect(await incomplete()).toEqual([[[]], 0]);
  });

  it('the party of a booked trip becomes the travelers on the seats of its items', async () => {
    const travelerParty = {
      billing: { name: 'Maria Ionescu', email: 'maria.ionescu@example.com' },
      travelers: [{ name: 'Maria Ionescu', birthDate: '1984-03-09', phone: '+40 240 555 010' }, { name: 'Ion' }],
    };
    const { envelopeId } = await makeTrip(owner, [{ ...MANUAL, quantity: 3 }], { travelerParty });
    await price(owner, envelopeId);
    await reserve(owner, envelopeId);
    const { bookingId } = (await book(owner, envelopeId)).body.data;

    const travelers = await listed(String(bookingId));
    expect(travelers).toMatchObject([
      { firstName: 'Maria', lastName: 'Ionescu', birthDate: '1984-03-09', phone: '+40240555010', isLead: true },
      { firstName: null, lastName: 'Ion', isLead: false },
    ]);
    expect(travelers.map(({ itemIds }) => itemIds.length)).toEqual([1, 1]);
  });
});

describe('the personal data of travelers', () => {
  it('travel data is erased 30 days after the last service, names with the booking', async () => {
    const { booking } = await confirmedBooking(owner, { item: { serviceDate: app.day(2) } });
    const { id } = await addTraveler(owner, booking.id, {
      firstName: 'Maria',
      document: { type: 'passport', number: NUMBER, issuingCountry: 'RO' },
      emergencyContact: { name: 'Ion', phone: '+40240555011' },
      dietary: ['vegan'],
      healthDataConsent: CONSENT,
    });
    const erase = () => asSystem(() => app.nest.get(TravelerRetentionJobs, { strict: false }).erasePast());
    const read = async () => (await owner.get<One<Traveler>>(`${travelersOf(booking.id)}/${id}`)).body.data;

    app.travel({ days: 32 });
    await erase();
    expect(await read()).toMatchObject({ document: { ending: '87' }, dietary: ['vegan'] });
    app.travel({ days: 1 });
    await erase();
    expect(await read()).toMatchObject({
      ...{ firstName: 'Maria', document: null, emergencyContact: null, dietary: [], healthDataConsent: null },
    });

    const undated = await makeBooking(owner);
    const { id: kept } = await addTraveler(owner, undated.id, { dietary: ['vegan'], healthDataConsent: CONSENT });
    app.travel({ days: 40 });
    await erase();
    expect((await owner.get<One<Traveler>>(`${travelersOf(undated.id)}/${kept}`)).body.data).toMatchObject({
      dietary: ['vegan'],
    });

    await app.sql(`update bookings set status = 'completed' where id = $1`, [booking.id]);
    app.travel({ days: 1_096 });
    await asSystem(() => app.nest.get(BookingRetentionJobs, { strict: false }).erasePast());
    expect(await read()).toMatchObject({ firstName: null, lastName: null });
  });

  it('travelers follow a customer that is merged, and return when the merge is reversed', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const { id: bookingId } = await makeBooking(owner);
    const { id } = await addTraveler(owner, bookingId, { customerId: duplicate.id });
    const customerOf = async () =>
      (await owner.get<One<Traveler>>(`${travelersOf(bookingId)}/${id}`)).body.data.customerId;

    const merged = await owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] });
    expect(merged.status).toBe(200);
    expect(await customerOf()).toBe(survivor.id);

    const entries = '/v1/admin/action-ledger/entries';
    const query = `${entries}?subjectId=${survivor.id}&action=customers.customer.merge`;
    const [entry] = (await owner.get<Page<{ id: string }>>(query)).body.data;
    const reversal = await owner.post(`${entries}/${entry?.id ?? ''}/reversals`, { reason: 'A mistake' });
    expect(reversal.status).toBe(201);
    expect(await customerOf()).toBe(duplicate.id);
  });
});

it('consents of travelers to the use of health data and their withdrawals stay as proof, also without the traveler', async () => {
  const booking = await makeBooking(owner);
  const { id } = await addTraveler(owner, booking.id, { dietary: ['vegan'], healthDataConsent: CONSENT });
  const path = `${travelersOf(booking.id)}/${id}`;
  await owner.patch(path, { lastName: 'Pop' });
  expect((await owner.patch(path, { dietary: [], healthDataConsent: null })).status).toBe(200);
  expect((await owner.delete(path)).status).toBe(200);

  const proofs = await app.sql(
    `select granted, source, text_version from traveler_consents where traveler_id = $1 order by created_at, granted desc`,
    [id],
  );
  expect(proofs).toEqual([
    { granted: true, source: CONSENT.source, text_version: CONSENT.textVersion },
    { granted: false, source: null, text_version: null },
  ]);
});

it('a consent that a build without proofs recorded gets its proof before the travel data is erased', async () => {
  const { booking } = await confirmedBooking(owner, { item: { serviceDate: app.day(2) } });
  const { id } = await addTraveler(owner, booking.id);
  const consent = { ...CONSENT, givenAt: '2026-03-02T10:00:00.000Z' };
  await app.sql('update booking_travelers set health_data_consent = $2 where id = $1', [id, JSON.stringify(consent)]);
  const proofs = () =>
    app.sql(
      `select granted, source, text_version, given_at, booking_id from traveler_consents where traveler_id = $1`,
      [id],
    );
  expect(await proofs()).toEqual([]);

  app.travel({ days: 40 });
  for (let night = 0; night < 2; night += 1) {
    await asSystem(() => app.nest.get(TravelerRetentionJobs, { strict: false }).erasePast());
  }
  app.travel({ days: -40 });
  expect(await app.sql('select health_data_consent from booking_travelers where id = $1', [id])).toEqual([
    { health_data_consent: null },
  ]);
  expect(await proofs()).toEqual([
    {
      ...{ granted: true, source: CONSENT.source, text_version: CONSENT.textVersion },
      ...{ given_at: new Date(consent.givenAt), booking_id: booking.id },
    },
  ]);
});
