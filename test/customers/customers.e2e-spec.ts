import { randomInt, randomUUID } from 'node:crypto';
import { BookingsService } from '../../src/modules/bookings/index.js';
import { CustomersService } from '../../src/modules/customers/index.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Booking,
  BOOKINGS,
  bookingBody,
  entriesAbout,
  makeBooking,
  type One,
  readBooking,
} from '../bookings/bookings.js';
import { type ErrorBody, errorBody, invalid } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { eventually } from '../launcher/wait.js';
import { book, makeTrip, MANUAL, price, readTrip, reserve } from '../trips/trips.js';
import { type ChangedCustomer, type Customer, customer, CUSTOMERS, newCustomer, readCustomer } from './customers.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const found = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await owner.get<{ data: Customer[] }>(`${CUSTOMERS}?${new URLSearchParams(query)}`);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
};

const reverse = async (customerId: string, action: string) => {
  const path = '/v1/admin/action-ledger/entries';
  const { body } = await owner.get<{ data: { id: string }[] }>(`${path}?subjectId=${customerId}&action=${action}`);
  return owner.post<ErrorBody>(`${path}/${body.data[0]?.id ?? ''}/reversals`, { reason: 'A mistake' });
};

describe('POST /v1/admin/customers', () => {
  it('a new person is answered with all its members, and its telephone number in the form of E.164', async () => {
    const lastName = `Ñandú ${randomUUID()}`;
    const answer = await owner.post<ChangedCustomer>(CUSTOMERS, {
      firstName: 'José',
      lastName,
      emails: [{ address: 'Jose@Example.com', label: 'private' }, { address: 'work@example.com' }],
      phones: [
        { number: '030 123456', label: null },
        { number: '+40 240 555 010', isPrimary: true },
      ],
      addresses: [{ line1: 'Unter den Linden 1', city: 'Berlin', postalCode: '10117', country: 'DE' }],
      language: 'de',
      birthDate: '1980-02-29',
      tags: ['regular'],
    });

    const { data } = answer.body;
    expect(answer.status).toBe(201);
    expect(data).toEqual({
      id: expect.stringMatching(/^cus_[0-9a-z]{26}$/),
      kind: 'person',
      status: 'active',
      displayName: `José ${lastName}`,
      firstName: 'José',
      lastName,
      companyName: null,
      emails: [
        { address: 'Jose@Example.com', label: 'private', isPrimary: true },
        { address: 'work@example.com', label: null, isPrimary: false },
      ],
      phones: [
        { number: '+4930123456', label: null, isPrimary: false },
        { number: '+40240555010', label: null, isPrimary: true },
      ],
      addresses: [
        {
          ...{ label: null, line1: 'Unter den Linden 1', line2: null, city: 'Berlin' },
          ...{ region: null, postalCode: '10117', country: 'DE' },
        },
      ],
      language: 'de',
      birthDate: '1980-02-29',
      taxId: null,
      vatId: null,
      notes: null,
      tags: ['regular'],
      mergedIntoId: null,
      archivedAt: null,
      version: 1,
      createdAt: expect.any(String),
      updatedAt: data['createdAt'],
    });
    expect([answer.headers['location'], answer.headers['etag']]).toEqual([`${CUSTOMERS}/${data.id}`, '"1"']);
    expect(await readCustomer(app, data.id)).toEqual(data);
  });

  it.each([
    { terms: { lastName: null }, path: 'lastName', code: 'missing_for_kind' },
    { terms: { kind: 'company' }, path: 'companyName', code: 'missing_for_kind' },
    { terms: { phones: [{ number: '030 123456' }] }, path: 'phones.0.number', code: 'phone_country_unknown' },
    { terms: { phones: [{ number: 'call +40 240 555 010' }] }, path: 'phones.0.number', code: 'phone_country_unknown' },
    { terms: { phones: [{ number: '+40 240 555 010 ask Ana' }] }, path: 'phones.0.number', code: 'not_a_phone_number' },
    { terms: { phones: [{ number: '+40 240 555 010 ext. 12' }] }, path: 'phones.0.number', code: 'not_a_phone_number' },
    { terms: { addresses: [{ label: 'home' }] }, path: 'addresses.0', code: 'empty' },
    { terms: { phones: [{ number: '+49' }] }, path: 'phones.0.number', code: 'not_a_phone_number' },
    { terms: { phones: [{ number: '110', country: 'AQ' }] }, path: 'phones.0.number', code: 'not_a_phone_number' },
    {
      terms: { phones: [{ number: '+49 30 123456' }, { number: '030/123456', country: 'DE' }] },
      path: 'phones',
      code: 'duplicate',
    },
    { terms: { emails: [{ address: 'a@b.example' }, { address: 'A@B.example' }] }, path: 'emails', code: 'duplicate' },
    {
      terms: {
        emails: [
          { address: 'a@b.example', isPrimary: true },
          { address: 'c@d.example', isPrimary: true },
        ],
      },
      path: 'emails',
      code: 'several_defaults',
    },
    { terms: { emails: Array(11).fill({ address: 'a@b.example' }) }, path: 'emails', code: 'too_many' },
    { terms: { language: 'German' }, path: 'language', code: 'wrong_format' },
    { terms: { addresses: [{ country: 'UK' }] }, path: 'addresses.0.country', code: 'wrong_format' },
  ])('the value of $path is rejected with $code', async ({ terms, path, code }) => {
    const answer = await owner.post<ErrorBody>(CUSTOMERS, customer(terms));
    const issues = answer.body.details?.issues ?? [];
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, issues)]);
    expect(issues.map((issue) => [issue.path, issue.code])).toContainEqual([path, code]);
  });

  it('a customer with the contact, or the name and birth date, of another one is created with a warning', async () => {
    const address = `${randomUUID()}@example.com`;
    const first = await newCustomer(app, { emails: [{ address }] });
    const same = await owner.post<ChangedCustomer>(
      CUSTOMERS,
      customer({ emails: [{ address: address.toUpperCase() }] }),
    );
    expect(same.body.warnings).toEqual([{ code: 'possible_duplicate', customerId: first.id }]);

    const lastName = `Özil ${randomUUID()}`;
    const person = await newCustomer(app, { lastName, birthDate: '1988-10-15' });
    const namesake = await owner.post<ChangedCustomer>(CUSTOMERS, {
      lastName: lastName.replace('Ö', 'o'),
      birthDate: '1988-10-15',
    });
    expect(namesake.body.warnings).toEqual([{ code: 'possible_duplicate', customerId: person.id }]);
    expect((await owner.post<ChangedCustomer>(CUSTOMERS, { lastName, birthDate: '1988-10-16' })).body.warnings).toEqual(
      [],
    );
  });
});

describe('GET /v1/admin/customers', () => {
  it('a search ignores accents, apostrophes, hyphens, case and the order of words', async () => {
    const mark = randomUUID().slice(0, 8);
    const { id } = await newCustomer(app, { firstName: `José-${mark}`, lastName: 'Ñandú O’Neil' });
    for (const search of [`jose ${mark}`, `nandu ${mark} JOSE`, `${mark} O'Neil`, `oneil jose ${mark}`]) {
      expect([search, await found({ search })]).toEqual([search, [id]]);
    }
    for (const search of [`${mark} %`, `${mark}_`, `jose\\ ${mark}`]) expect(await found({ search })).toEqual([]);
  });

  it('a telephone number is found in each spelling, and an e-mail address in each case', async () => {
    const subscriber = String(randomInt(1_000_000, 10_000_000));
    const address = `${randomUUID()}@example.com`;
    const phones = [{ number: `030 ${subscriber}`, country: 'DE' }];
    const { id } = await newCustomer(app, { phones, emails: [{ address }] });
    for (const search of [`+49 30 ${subscriber}`, `(030) ${subscriber}`, `004930${subscriber}`, subscriber]) {
      expect([search, await found({ search })]).toEqual([search, [id]]);
    }
    for (const phone of [`+49 (30) ${subscriber}`, `+49 (0)30 ${subscriber}`, `004930${subscriber}`]) {
      expect([phone, await found({ phone })]).toEqual([phone, [id]]);
    }
    expect(await found({ email: address.toUpperCase() })).toEqual([id]);
    expect(await found({ search: address.slice(0, 20) })).toEqual([id]);
  });

  it('filters select by keyword, kind, language and status, and the page is sorted by name', async () => {
    const tag = randomUUID();
    const one = await newCustomer(app, { lastName: 'Zoe', tags: [tag], language: 'sv' });
    const two = await newCustomer(app, { kind: 'company', companyName: 'Abba AB', tags: [tag, 'x'], lastName: null });
    const gone = await newCustomer(app, { tags: [tag] });
    expect((await owner.post(`${CUSTOMERS}/${gone.id}/archival`)).status).toBe(200);
    expect(await found({ tag })).toEqual([two.id, one.id]);
    expect(await found({ tag, sort: '-name' })).toEqual([one.id, two.id]);
    expect(await found({ tag, kind: 'company' })).toEqual([two.id]);
    expect(await found({ tag, language: 'sv' })).toEqual([one.id]);
    expect(await found({ tag, status: 'archived' })).toEqual([gone.id]);
    expect(await found({ tag, status: 'active,archived', sort: 'createdAt' })).toEqual([one.id, two.id, gone.id]);
  });
});

describe('the customer of a booking', () => {
  const contacts = (mark: string) => ({
    firstName: 'Ada',
    lastName: mark,
    emails: [{ address: `${mark}@example.com` }],
    phones: [{ number: '+40240555010' }],
    addresses: [{ line1: 'Strada 1', postalCode: '500030', city: 'Brasov', country: 'RO' }],
    language: 'ro',
  });
  const copies = ({
    customerId,
    customerName,
    customerEmail,
    customerPhone,
    customerLanguage,
    customerAddress,
  }: Booking) => [customerId, customerName, customerEmail, customerPhone, customerLanguage, customerAddress];

  it('a booking copies what it does not name itself, and follows later changes while it is open', async () => {
    const mark = randomUUID();
    const { id } = await newCustomer(app, contacts(mark));
    const copied = await makeBooking(owner, { customerId: id, customerName: undefined });
    const own = await makeBooking(owner, { customerId: id, customerName: 'Aunt Ada', customerPhone: '112' });
    const closed = await makeBooking(owner, { customerId: id, customerName: undefined });
    await owner.post(`${BOOKINGS}/${closed.id}/cancellation`, { reason: 'A test' });
    const address = 'Strada 1\n500030 Brasov\nRO';
    const values = [id, `Ada ${mark}`, `${mark}@example.com`, '+40240555010', 'ro', address];
    expect(copies(copied)).toEqual(values);
    expect(copies(own)).toEqual([id, 'Aunt Ada', `${mark}@example.com`, '112', 'ro', address]);

    const changes = { firstName: 'Grace', emails: [{ address: `g.${mark}@example.com` }], phones: [] };
    expect((await owner.patch(`${CUSTOMERS}/${id}`, changes)).status).toBe(200);

    const after = [`g.${mark}@example.com`, null, 'ro', address];
    expect(copies(await readBooking(owner, copied.id))).toEqual([id, `Grace ${mark}`, ...after]);
    expect(copies(await readBooking(owner, own.id))).toEqual([id, 'Aunt Ada', after[0], '112', 'ro', address]);
    expect(copies(await readBooking(owner, closed.id))).toEqual(values);
    const ids = (await owner.get<{ data: Booking[] }>(`${BOOKINGS}?customerId=${id}&sort=createdAt`)).body.data;
    expect(ids.map((booking) => booking.id)).toEqual([copied.id, own.id, closed.id]);
  });

  it('all open bookings of an agency follow a change, the first ones at once and the others by jobs', async () => {
    const { id } = await newCustomer(app, { kind: 'company', companyName: 'Old name' });
    for (let batch = 0; batch < 21; batch += 1) {
      await Promise.all(
        Array.from({ length: 10 }, () => makeBooking(owner, { customerId: id, customerName: undefined })),
      );
    }
    const own = await makeBooking(owner, { customerId: id, customerName: 'Own name' });
    const last = await app.sql<{ id: string }>(
      'select id from bookings where customer_id = $1 order by id desc limit 2',
      [id],
    );
    await owner.patch(`${CUSTOMERS}/${id}`, { companyName: 'New name' });
    const followers = async (text: string) => {
      const found = await app.sql(`select from bookings where customer_id = $1 and ${text}`, [id]);
      return found.length;
    };
    expect(await followers(`customer_name = 'New name'`)).toBeGreaterThanOrEqual(200);
    // The second change and an edit of a booking come before the jobs of the first one, or after them.
    await Promise.all([
      owner.patch(`${CUSTOMERS}/${id}`, { companyName: 'Newest name', phones: [{ number: '+40240555010' }] }),
      owner.patch(`${BOOKINGS}/${last[1]?.id ?? ''}`, { notes: 'Edited meanwhile' }),
    ]);
    const newest = `customer_name = 'Newest name' and customer_phone = '+40240555010'`;
    await eventually(async () => ((await followers(newest)) === 210 ? true : null));
    expect(await readBooking(owner, own.id)).toMatchObject({ customerName: 'Own name' });
  });

  it('another customer replaces the copies of an open booking, and only the reference of a closed one', async () => {
    const [one, two] = await Promise.all([newCustomer(app, contacts('One')), newCustomer(app, { lastName: 'Two' })]);
    const open = await makeBooking(owner, { customerId: one.id, customerName: undefined });
    const changed = await owner.patch<One<Booking>>(`${BOOKINGS}/${open.id}`, {
      customerId: two.id,
      customerPhone: '1',
    });
    expect(copies(changed.body.data)).toEqual([two.id, 'Two', null, '1', null, null]);

    const closed = await makeBooking(owner, { customerId: one.id });
    await owner.post(`${BOOKINGS}/${closed.id}/cancellation`, { reason: 'A test' });
    const moved = await owner.patch<One<Booking>>(`${BOOKINGS}/${closed.id}`, { customerId: two.id });
    expect([moved.body.data['customerId'], moved.body.data['customerName']]).toEqual([two.id, 'Ada Lovelace']);

    await owner.post(`${BOOKINGS}/${open.id}/cancellation`, { reason: 'A test' });
    expect((await owner.post(`${CUSTOMERS}/${two.id}/archival`)).status).toBe(200);
    const same = { customerId: two.id, notes: 'Sent again with the archived customer' };
    expect((await owner.patch(`${BOOKINGS}/${closed.id}`, same)).status).toBe(200);
  });

  it('a booking needs a name or a customer, who must exist and be active', async () => {
    const nobody = await owner.post<ErrorBody>(BOOKINGS, bookingBody({ customerName: undefined }));
    const issues = [{ path: 'customerName', message: 'customerName is required', code: 'required' }];
    expect([nobody.status, nobody.body]).toEqual([400, invalid(nobody, issues)]);

    const unknown = await owner.post<ErrorBody>(BOOKINGS, bookingBody({ customerId: 'cus_unknown' }));
    expect([unknown.status, unknown.body.details]).toEqual([404, { field: 'customerId' }]);

    const { id } = await newCustomer(app);
    await owner.post(`${CUSTOMERS}/${id}/archival`);
    const archived = await owner.post<ErrorBody>(BOOKINGS, bookingBody({ customerId: id }));
    expect([archived.status, archived.body.code]).toEqual([409, 'customer_archived']);
  });

  it('a customer with an open booking is not archived, and an archived one is not changed', async () => {
    const { id } = await newCustomer(app);
    const booking = await makeBooking(owner, { customerId: id });
    const inUse = await owner.post<ErrorBody>(`${CUSTOMERS}/${id}/archival`);
    const message = 'The customer has open bookings';
    expect([inUse.status, inUse.body]).toEqual([
      409,
      errorBody(inUse, { code: 'customer_in_use', error: message, details: { bookings: 1 } }),
    ]);
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'A test' });
    expect((await owner.post(`${CUSTOMERS}/${id}/archival`)).status).toBe(200);
    const late = await owner.patch<ErrorBody>(`${CUSTOMERS}/${id}`, { firstName: 'Late' });
    expect([late.status, late.body.code]).toEqual([409, 'customer_archived']);
    const back = await owner.post<ErrorBody>(`${BOOKINGS}/${booking.id}/reinstatement`, { reason: 'A mistake' });
    expect([back.status, back.body.code]).toEqual([409, 'customer_archived']);
  });
});

describe('bookings without a customer record', () => {
  const link = () => asSystem(() => app.nest.get(BookingsService, { strict: false }).linkCustomers(() => {}));
  const customerOf = async ({ id }: Booking) => String((await readBooking(owner, id))['customerId']);

  it('bookings with an address get the customer of this address and name, and those without one stay as they are', async () => {
    const customerEmail = `${randomUUID()}@example.com`;
    const known = await newCustomer(app, {
      firstName: 'Björn',
      lastName: 'Åberg',
      emails: [{ address: customerEmail }],
    });
    const same = await makeBooking(owner, { customerEmail: customerEmail.toUpperCase(), customerName: 'B. Aberg' });
    const partner = await makeBooking(owner, { customerEmail, customerName: 'Anna Lund' });
    const again = await makeBooking(owner, { customerEmail, customerName: 'Anna  LUND' });
    const other = await makeBooking(owner, { customerEmail, customerName: 'Erik Lund' });
    const companies = [];
    for (const customerName of ['Alpha Tours S.R.L.', 'Adria Travel SRL']) {
      companies.push(await makeBooking(owner, { customerEmail, customerName }));
    }
    const without = await makeBooking(owner, { customerName: 'Anna Lund' });

    expect(await link()).toBeGreaterThanOrEqual(6);

    expect(await customerOf(same)).toBe(known.id);
    const created = await customerOf(partner);
    expect(await readCustomer(app, created)).toMatchObject({ displayName: 'Anna Lund', lastName: 'Lund' });
    expect(await customerOf(again)).toBe(created);
    const all = await Promise.all([same, partner, other, ...companies].map(customerOf));
    expect(new Set(all).size).toBe(5);
    expect(await readCustomer(app, all.at(-1) ?? '')).toMatchObject({
      kind: 'company',
      displayName: 'Adria Travel SRL',
    });
    expect((await readBooking(owner, without.id))['customerId']).toBeNull();
    expect(await readBooking(owner, same.id)).toMatchObject({ customerName: 'B. Aberg', version: 2 });
    expect(await link()).toBe(0);
  });

  it('the booking of a trip belongs to the customer with the address and name of the billing contact', async () => {
    const billing = { name: 'Grace Hopper', email: `${randomUUID()}@example.com`, phone: '+40 240 555 010' };
    const travelerParty = { billing, travelers: [{ name: 'Grace Hopper' }] };
    const bookings: Booking[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const { envelopeId } = await makeTrip(owner, [MANUAL], { travelerParty });
      for (const step of [price, reserve, book]) expect((await step(owner, envelopeId)).status).toBe(200);
      bookings.push(await readBooking(owner, String((await readTrip(owner, envelopeId)).bookingId)));
    }
    const [first, second] = bookings.map((booking) => booking['customerId']);
    const phones = [{ number: '+40240555010', label: null, isPrimary: true }];
    expect(await readCustomer(app, String(first))).toMatchObject({ firstName: 'Grace', lastName: 'Hopper', phones });
    expect(second).toBe(first);
    expect(bookings.map((booking) => booking['customerPhone'])).toEqual(['+40 240 555 010', '+40 240 555 010']);
  });

  it('sales to a new customer at the same time create one customer', async () => {
    const contact = { name: 'Ada Lovelace', email: `${randomUUID()}@example.com` };
    const customers = app.nest.get(CustomersService, { strict: false });
    const ids = await Promise.all(Array.from({ length: 8 }, () => asSystem(() => customers.findOrCreate(contact))));
    expect(new Set(ids).size).toBe(1);
  });
});

describe('reversals', () => {
  it('the reversal of an update restores all values from the payload of the entry', async () => {
    const before = await newCustomer(app, {
      firstName: 'Ada',
      emails: [{ address: 'ada@example.com' }],
      phones: [{ number: '+40240555010' }],
      addresses: [{ city: 'Brasov', country: 'RO' }],
      birthDate: '1984-03-09',
      tags: ['x'],
    });
    const changes = {
      firstName: null,
      emails: [],
      phones: [],
      addresses: [],
      birthDate: null,
      tags: [],
      notes: 'Late',
    };
    await owner.patch(`${CUSTOMERS}/${before.id}`, changes);
    expect((await reverse(before.id, 'customers.customer.update')).status).toBe(201);
    expect(await readCustomer(app, before.id)).toEqual({ ...before, version: 3, updatedAt: expect.any(String) });
  });

  it('the reversal of an archival makes the customer active again', async () => {
    const { id } = await newCustomer(app);
    await owner.post(`${CUSTOMERS}/${id}/archival`);
    expect((await reverse(id, 'customers.customer.archive')).status).toBe(201);
    expect(await readCustomer(app, id)).toMatchObject({ status: 'active', archivedAt: null });
  });

  it('the reversal of a merge separates the customers with their bookings, unless one of them moved again', async () => {
    const survivor = await newCustomer(app, { firstName: null, emails: [{ address: 'one@example.com' }] });
    const duplicate = await newCustomer(app, { firstName: 'Ada', emails: [{ address: 'two@example.com' }] });
    const booking = await makeBooking(owner, { customerId: duplicate.id });
    const merge = () => owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] });
    expect((await merge()).status).toBe(200);
    expect((await reverse(survivor.id, 'customers.customer.merge')).status).toBe(201);
    expect(await readCustomer(app, survivor.id)).toMatchObject({ firstName: null, emails: survivor.emails });
    expect(await readCustomer(app, duplicate.id)).toMatchObject({ status: 'active', mergedIntoId: null });
    expect((await readBooking(owner, booking.id))['customerId']).toBe(duplicate.id);

    expect((await merge()).status).toBe(200);
    const { id: third } = await newCustomer(app);
    await owner.patch(`${BOOKINGS}/${booking.id}`, { customerId: third });
    const late = await reverse(survivor.id, 'customers.customer.merge');
    expect([late.status, late.body.code, late.body.details]).toEqual([
      ...[409, 'reversal_conflict'],
      { reason: 'changed_since', bookingId: booking.id },
    ]);
    expect(await readCustomer(app, duplicate.id)).toMatchObject({ status: 'merged' });
  });
});

describe('POST /v1/admin/customers/{customerId}/merges', () => {
  const merge = (id: string, body: object) => owner.post<ErrorBody & One<Customer>>(`${CUSTOMERS}/${id}/merges`, body);

  it('the survivor keeps its values, fills empty ones, unites the lists and gets the bookings', async () => {
    const shared = { number: '+40240555010' };
    const survivor = await newCustomer(app, { notes: 'Kept', emails: [{ address: 'a@b.example' }], phones: [shared] });
    const duplicate = await newCustomer(app, {
      firstName: 'Ada',
      notes: 'Lost',
      language: 'de',
      emails: [{ address: 'A@b.example' }, { address: 'c@d.example', isPrimary: true }],
      phones: [shared],
      tags: ['regular'],
    });
    const booking = await makeBooking(owner, { customerId: duplicate.id, customerName: undefined });

    const answer = await merge(survivor.id, { duplicateIds: [duplicate.id], fields: { lastName: duplicate.id } });

    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      firstName: 'Ada',
      lastName: duplicate['lastName'],
      notes: 'Kept',
      language: 'de',
      emails: [
        { address: 'a@b.example', isPrimary: true },
        { address: 'c@d.example', isPrimary: false },
      ],
      phones: [{ number: '+40240555010', isPrimary: true }],
      tags: ['regular'],
      version: 2,
    });
    expect(await readCustomer(app, duplicate.id)).toMatchObject({ status: 'merged', mergedIntoId: survivor.id });
    const { customerName, customerLanguage, customerPhone } = booking;
    const copies = { customerName, customerLanguage, customerPhone };
    expect(await readBooking(owner, booking.id)).toMatchObject({ customerId: survivor.id, version: 2, ...copies });
    expect((await entriesAbout(owner, duplicate.id)).at(-1)).toMatchObject({
      action: 'customers.customer.update',
      before: { status: 'active' },
      after: { status: 'merged', mergedIntoId: survivor.id },
    });
    const [, entry] = await entriesAbout(owner, survivor.id);
    expect(entry).toMatchObject({
      action: 'customers.customer.merge',
      after: {
        duplicates: [{ id: duplicate.id, version: 2 }],
        records: [{ type: 'booking', id: booking.id, customerId: duplicate.id }],
      },
    });

    const late = await owner.patch<ErrorBody>(`${CUSTOMERS}/${duplicate.id}`, { firstName: 'Late' });
    expect([late.status, late.body.code, late.body.details]).toEqual([
      ...[409, 'customer_merged'],
      { mergedIntoId: survivor.id, customerId: duplicate.id },
    ]);
  });

  it('of two opposite merges at the same time one succeeds and the other is rejected, so no chain forms', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = await Promise.all([newCustomer(app), newCustomer(app)]);
      const answers = await Promise.all([merge(a.id, { duplicateIds: [b.id] }), merge(b.id, { duplicateIds: [a.id] })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('customer_merged');
    }
  });

  it('a merge into itself, of an unknown customer, with a foreign field or too long lists is rejected', async () => {
    const [one, two] = await Promise.all([newCustomer(app), newCustomer(app)]);
    const itself = await merge(one.id, { duplicateIds: [one.id] });
    expect([itself.status, itself.body.details?.issues?.[0]?.code]).toEqual([400, 'same_as_source']);
    const unknown = await merge(one.id, { duplicateIds: ['cus_unknown'] });
    expect([unknown.status, unknown.body.details]).toEqual([404, { field: 'duplicateIds', id: 'cus_unknown' }]);
    const foreign = await merge(one.id, { duplicateIds: [two.id], fields: { notes: 'cus_other' } });
    expect([foreign.status, foreign.body.details?.issues?.[0]?.code]).toEqual([400, 'not_among_merged']);

    const many = Array.from({ length: 6 }, (_, index) => ({ address: `${index}@${randomUUID()}.example` }));
    const full = await newCustomer(app, { emails: many });
    const other = await newCustomer(app, { emails: many.map(({ address }) => ({ address: `x${address}` })) });
    const tooMany = await merge(full.id, { duplicateIds: [other.id] });
    expect([tooMany.status, tooMany.body.code, tooMany.body.details]).toEqual([
      ...[422, 'list_full'],
      { field: 'duplicateIds', list: 'emails', max: 10 },
    ]);
    expect(await readCustomer(app, other.id)).toMatchObject({ status: 'active' });
  });

  it('duplicates with more than 1,000 bookings are merged in the other direction only', async () => {
    const [small, large] = await Promise.all([newCustomer(app), newCustomer(app)]);
    const { id } = await makeBooking(owner, { customerId: large.id });
    const [columns] = await app.sql<{ list: string }>(
      `select string_agg(column_name, ', ') as list from information_schema.columns
       where table_name = 'bookings' and is_generated = 'NEVER' and column_name not in ('id', 'number')`,
    );
    const list = columns?.list ?? '';
    await app.sql(
      `insert into bookings (id, number, ${list}) select id || n, number || '-' || n, ${list}
       from bookings, generate_series(1, 1000) n where id = $1`,
      [id],
    );
    const answer = await merge(small.id, { duplicateIds: [large.id] });
    expect([answer.status, answer.body.code, answer.body.details]).toEqual([
      ...[422, 'too_many_bookings'],
      { field: 'duplicateIds', max: 1000 },
    ]);
    expect(await readCustomer(app, large.id)).toMatchObject({ status: 'active' });
    expect((await merge(large.id, { duplicateIds: [small.id] })).status).toBe(200);
    await app.sql('delete from bookings where customer_id = $1 and id <> $2', [large.id, id]);
  });

  it('possible duplicates are listed in pairs with what they have in common', async () => {
    const address = `${randomUUID()}@example.com`;
    const lastName = `Keller ${randomUUID()}`;
    const one = await newCustomer(app, { lastName, birthDate: '1990-07-21', emails: [{ address }] });
    const two = await newCustomer(app, { lastName, birthDate: '1990-07-21', emails: [{ address }] });
    const { body } = await owner.get<{ data: { customerId: string }[]; total: number }>(
      `${CUSTOMERS}/duplicates?limit=200`,
    );
    expect(body.data.filter(({ customerId }) => customerId === one.id)).toEqual([
      {
        customerId: one.id,
        displayName: lastName,
        duplicateId: two.id,
        duplicateName: lastName,
        reasons: ['email_or_phone', 'name_and_birth_date'],
      },
    ]);
    const former = await newCustomer(app, { lastName: `A ${lastName}`, emails: [{ address: `a.${address}` }] });
    await newCustomer(app, { lastName: 'Other', emails: [{ address: `a.${address}` }] });
    const sorted = async (sort: string) => {
      const path = `${CUSTOMERS}/duplicates?limit=200&sort=${sort}`;
      const { body: found } = await owner.get<{ data: { customerId: string }[] }>(path);
      const ids = found.data.map(({ customerId }) => customerId);
      return ids.filter((id) => [one.id, former.id].includes(id));
    };
    expect(await sorted('createdAt')).toEqual([one.id, former.id]);
    expect(await sorted('-createdAt')).toEqual([former.id, one.id]);
    expect(await sorted('name')).toEqual([former.id, one.id]);
    expect(await sorted('-name')).toEqual([one.id, former.id]);
    const beyond = await owner.get<{ total: number }>(`${CUSTOMERS}/duplicates?offset=100000`);
    expect(beyond.body.total).toBe(body.total + 1);
  });
});

describe('consents', () => {
  const give = (id: string, terms: object = {}) =>
    owner.post<ErrorBody & One<Record<string, unknown>>>(`${CUSTOMERS}/${id}/consents`, {
      purpose: 'marketing_email',
      granted: true,
      source: 'web form',
      ...terms,
    });
  const current = async (id: string) => {
    const { body } = await owner.get<{ data: Record<string, unknown>[] }>(`${CUSTOMERS}/${id}/consents`);
    return body.data.filter(({ isCurrent }) => isCurrent).map(({ purpose, granted }) => [purpose, granted]);
  };

  it('the newest consent of a purpose counts, whenever it was recorded', async () => {
    const { id } = await newCustomer(app);
    const first = await give(id, { textVersion: '2026-03' });
    expect([first.status, first.body.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^cons_/),
        ...{
          customerId: id,
          purpose: 'marketing_email',
          granted: true,
          source: 'web form',
          textVersion: '2026-03',
          carriedFromId: null,
        },
        ...{ givenAt: expect.any(String), isCurrent: true, createdAt: expect.any(String) },
      },
    ]);
    const path = first.headers['location'] ?? '';
    expect((await owner.get(path)).body).toEqual(first.body);
    await give(id, { purpose: 'photo' });
    const earlier = await give(id, { granted: false, givenAt: '2020-01-01T00:00:00Z' });
    expect(earlier.body.data['isCurrent']).toBe(false);
    expect(await current(id)).toEqual([
      ['photo', true],
      ['marketing_email', true],
    ]);
    await give(id, { granted: false });
    expect(await current(id)).toEqual([
      ['marketing_email', false],
      ['photo', true],
    ]);
    const photos = `${CUSTOMERS}/${id}/consents?purpose=photo`;
    expect((await owner.get<{ total: number }>(photos)).body.total).toBe(1);
    expect(
      (await owner.get(`${CUSTOMERS}/${(await newCustomer(app)).id}${path.slice(path.indexOf('/consents'))}`)).status,
    ).toBe(404);
    const future = await give(id, { givenAt: '2199-01-01T00:00:00Z' });
    expect([future.status, future.body.details?.issues?.[0]?.code]).toEqual([400, 'in_the_future']);
    expect((await give('cus_unknown')).status).toBe(404);
  });

  it('after a merge the withdrawal of one customer beats the later grant of another', async () => {
    const [one, two] = await Promise.all([newCustomer(app), newCustomer(app)]);
    await give(one.id, { granted: false });
    await give(two.id);
    await give(two.id, { purpose: 'photo' });
    await owner.post(`${CUSTOMERS}/${two.id}/merges`, { duplicateIds: [one.id] });
    expect(await current(two.id)).toEqual([
      ['marketing_email', false],
      ['photo', true],
    ]);
    const late = await give(one.id);
    expect([late.status, late.body.code]).toEqual([409, 'customer_merged']);
  });

  it('a withdrawal beats a grant through merges one after another, and in merges of several customers', async () => {
    const [a, b, c, d, e] = await Promise.all(Array.from({ length: 5 }, () => newCustomer(app)));
    const merge = async (into: Customer | undefined, from: Customer | undefined) => {
      const path = `${CUSTOMERS}/${into?.id ?? ''}/merges`;
      expect((await owner.post(path, { duplicateIds: [from?.id] })).status).toBe(200);
    };
    const id = c?.id ?? '';
    await give(a?.id ?? '', { granted: false });
    await give(id);
    await merge(b, a);
    await merge(c, b);
    expect(await current(id)).toEqual([['marketing_email', false]]);
    expect(await readCustomer(app, a?.id ?? '')).toMatchObject({ mergedIntoId: id });
    await give(d?.id ?? '');
    await merge(c, d);
    expect(await current(id)).toEqual([['marketing_email', false]]);
    await give(id);
    await merge(c, e);
    expect(await current(id)).toEqual([['marketing_email', true]]);
  });

  it('the reversal of a merge ends the withdrawal that it carried over', async () => {
    const [one, two, three] = await Promise.all([newCustomer(app), newCustomer(app), newCustomer(app)]);
    await give(three.id, { granted: false });
    await owner.post(`${CUSTOMERS}/${one.id}/merges`, { duplicateIds: [three.id] });
    await give(two.id);
    await owner.post(`${CUSTOMERS}/${two.id}/merges`, { duplicateIds: [one.id] });
    expect(await current(two.id)).toEqual([['marketing_email', false]]);
    expect((await reverse(two.id, 'customers.customer.merge')).status).toBe(201);
    expect(await current(two.id)).toEqual([['marketing_email', true]]);
    expect(await current(one.id)).toEqual([['marketing_email', false]]);
    expect(await readCustomer(app, three.id)).toMatchObject({ status: 'merged', mergedIntoId: one.id });
  });
});
