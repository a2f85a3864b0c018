import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { BookingsService } from '../../src/modules/bookings/index.js';
import { DataExportsService } from '../../src/modules/customers/privacy/data-exports.service.js';
import { ErasuresService } from '../../src/modules/customers/privacy/erasures.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { BOOKINGS, confirmedBooking, makeBooking, type One, staffWith } from '../bookings/bookings.js';
import { addTraveler, CONSENT, travelersOf } from '../bookings/travelers.js';
import { vouchersOf } from '../bookings/vouchers.js';
import { csvOf, upload } from '../desk/imports.js';
import { attached } from '../documents/attachments.js';
import { printed } from '../documents/documents.js';
import { newNote } from '../desk/notes.js';
import { newTask } from '../desk/tasks.js';
import { readWaiting, waitingForFull } from '../desk/waiting-list.js';
import { DEPARTURES } from '../operations/departures.js';
import { received } from '../finance/payments/bookings.js';
import { draft as draftInvoice } from '../finance/invoices/invoicing.js';
import { recorded } from '../finance/payments/payments.js';
import { draft as draftContract } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { makeTrip, MANUAL } from '../trips/trips.js';
import { CUSTOMERS, newCustomer, readCustomer } from './customers.js';

interface Planned {
  module: string;
  kind: string;
  dataClass: string;
  count: number;
  action: string;
  keptUntil: string | null;
}

interface Erasure {
  id: string;
  status: string;
  plan: Planned[];
  blockers: string[];
  steps: { module: string; erasedRecords: number | null; finishedAt: string | null }[];
}

const folder = mkdtempSync(join(tmpdir(), 'travel-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  // The tests run the jobs themselves.
  app = await startApp({ env: { JOBS: 'false', FILES_DIR: folder } });
  owner = app.as('owner');
});

const REASON = { reason: 'Request by letter' };
const complete = () => asSystem(() => app.nest.get(BookingsService).progressByDate());
const run = (erasureId: string) =>
  asSystem(() => app.nest.get(ErasuresService, { strict: false }).erase({ erasureId }));
const plan = (id: string) => owner.post<One<Erasure>>(`${CUSTOMERS}/${id}/erasures`, REASON);
const readErasure = async (id: string, erasureId: string) =>
  (await owner.get<One<Erasure>>(`${CUSTOMERS}/${id}/erasures/${erasureId}`)).body.data;
const execute = (id: string, erasureId: string) =>
  owner.post<One<Erasure>>(`${CUSTOMERS}/${id}/erasures/${erasureId}/execution`);

/** What an export of the data of a customer contains. */
async function exportOf(id: string): Promise<{ kind: string; records: object[] }[]> {
  const { id: exportId } = (await owner.post<One<{ id: string }>>(`${CUSTOMERS}/${id}/data-exports`)).body.data;
  await asSystem(() => app.nest.get(DataExportsService, { strict: false }).write({ exportId }));
  const download = await owner.get(`${CUSTOMERS}/${id}/data-exports/${exportId}/download`);
  const { text } = await app.get(String(download.headers['location']));
  return (JSON.parse(text) as { data: { kind: string; records: object[] }[] }).data;
}

/** The status and the error of a rejected request. */
const rejection = ({ status, body }: Answer) => ({ status, ...(body as object) });

/** The tables with a row that contains one of the words, in any column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const tables = await app.sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'graphile_worker')
       and not (select relispartition from pg_class where oid = format('%I.%I', schemaname, tablename)::regclass)
     order by name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const patterns = words.map((word) => `%${word}%`);
    const rows = await app.sql(`select from ${name} as row where row::text ilike any($1) limit 1`, [patterns]);
    if (rows.length > 0) found.push(name.replace('public.', ''));
  }
  return found;
}

/** Files whose bytes contain one of the words. */
function filesWith(...words: string[]): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return files.filter((file) => {
    if (!statSync(file).isFile()) return false;
    const text = readFileSync(file, 'latin1');
    return words.some((word) => text.includes(word));
  });
}

/** A customer about whom every module knows something. The words occur nowhere else. */
async function knownEverywhere(word: string) {
  const [name, email] = [`${word}sson`, `${word}@example.com`.toLowerCase()];
  const { id } = await newCustomer(app, {
    firstName: 'Zora',
    lastName: name,
    emails: [{ address: email, isPrimary: true }],
    notes: `${word} calls at night`,
  });
  await owner.post(`${CUSTOMERS}/${id}/consents`, { purpose: 'photo', granted: true, source: 'paper form' });
  const { booking, item } = await confirmedBooking(owner, {
    booking: { customerId: id, notes: `${word} has a dog` },
    item: { serviceDate: app.day(10) },
  });
  await recorded(owner, received(booking.id, Number(booking['totalCents'])));
  const issued = await owner.post<{ data: { id: string }[] }>(vouchersOf(booking.id), { itemIds: [item.id] });
  await owner.post(`${vouchersOf(booking.id)}/${issued.body.data[0]?.id}/voiding`, { reason: 'Lost' });
  const traveler = await addTraveler(owner, booking.id, {
    customerId: id,
    firstName: 'Zora',
    lastName: name,
    document: { type: 'passport', number: `P${word}77`, issuingCountry: 'SE' },
    healthNote: `${word} needs insulin`,
    dietary: ['vegan'],
    healthDataConsent: CONSENT,
    emergencyContact: { name: `Mother of ${word}`, phone: '+46700000001' },
  });
  await addTraveler(owner, booking.id, { lastName: `Other${word}companion` });
  const party = {
    billing: { name, email },
    travelers: [
      { name, email },
      { name: `Friend${word}`, email: 'f@example.com' },
    ],
  };
  const trip = await makeTrip(owner, [MANUAL], { title: `Trip of ${word}`, travelerParty: party });
  await makeTrip(owner, [MANUAL], { title: `Second trip of ${word}`, customerId: id, travelerParty: null });
  const contract = await draftContract(app, { bookingId: booking.id, recipientEmail: email, recipientName: name });
  await newNote(owner, { subjectType: 'customer', subjectId: id }, { text: `${word} was friendly` });
  await newTask(owner, { subjectType: 'customer', subjectId: id, title: `Call ${word}` });
  await upload(owner, 'customers', csvOf('reference,lastName,email', `${word}-9,${name},${email.toUpperCase()}`));
  await attached(owner, { subjectType: 'customer', subjectId: id }, Buffer.from(`${word} signed`), {
    fileName: `Contract of ${word}.txt`,
  });
  const invoice = await draftInvoice(owner, { bookingId: booking.id, payerName: 'Carpathia Events' });
  const [reference] = await app.sql<{ id: string }>('select id from contracts where public_id = $1', [contract.id]);
  const subjects = { traveler: traveler.id, trip: trip.envelopeId, invoice: invoice.id, contract: reference?.id };
  for (const [subjectType, subjectId] of Object.entries(subjects)) {
    await attached(owner, { subjectType, subjectId }, Buffer.from(`${word} on the ${subjectType}`));
  }
  await printed(app, { kind: 'itinerary', subjectType: 'booking', subjectId: booking.id });
  const { entry: waiting } = await waitingForFull(app, { customerId: id, note: `${word} is flexible` });
  return { id, bookingId: booking.id, traveler, trip, contract, email, waiting };
}

describe('the erasure of a customer', () => {
  it('it erases at once what nothing requires, and keeps the rest until the end that the plan names', async () => {
    const word = 'Quixvar';
    const { id, bookingId, traveler, waiting, email } = await knownEverywhere(word);
    const other = await draftContract(app, { recipientEmail: email, recipientName: `Zora ${word}sson` });
    const [loose] = await app.sql<{ id: string }>('select id from contracts where public_id = $1', [other.id]);
    await attached(owner, { subjectType: 'contract', subjectId: loose?.id }, Buffer.from(`${word} without a booking`));
    const planned = await plan(id);
    expect(planned.status).toBe(201);
    expect(planned.body.data).toMatchObject({ status: 'planned', blockers: ['future_service'], steps: [] });
    const { id: erasureId } = planned.body.data;
    const blocked = await execute(id, erasureId);
    expect(rejection(blocked)).toMatchObject({
      status: 409,
      code: 'erasure_blocked',
      details: { reasons: ['future_service'] },
    });

    app.travel({ days: 12 });
    await complete();
    const started = await execute(id, erasureId);
    expect([started.status, started.body.data.status, started.body.data.blockers]).toEqual([202, 'running', []]);
    const actions = Object.fromEntries(started.body.data.plan.map(({ kind, action }) => [kind, action]));
    expect(actions).toEqual({
      bookings: 'keep',
      items: 'keep',
      vouchers: 'keep',
      travelers: 'keep',
      'consents of travelers': 'keep',
      'travelers after their service': 'erase',
      'other trips': 'erase',
      invoices: 'keep',
      payments: 'keep',
      contracts: 'keep',
      'lines to import': 'erase',
      attachments: 'erase',
      documents: 'erase',
      notes: 'erase',
      tasks: 'erase',
      'waiting entries': 'erase',
      customers: 'erase',
      consents: 'keep',
    });
    expect(await readCustomer(app, id)).toMatchObject({ status: 'erased' });
    expect(rejection(await owner.patch(`${CUSTOMERS}/${id}`, { notes: 'x' }))).toMatchObject({
      code: 'customer_erased',
    });

    await run(erasureId);
    const done = await readErasure(id, erasureId);
    expect(done).toMatchObject({ status: 'done' });
    expect(done.steps.map(({ module }) => module)).toEqual([
      ...['documents', 'bookings', 'trips', 'finance', 'legal', 'notifications', 'desk', 'octo', 'customers'],
    ]);
    expect(await readCustomer(app, id)).toMatchObject({ displayName: 'Erased person', emails: [], notes: null });

    // The plan keeps bookings, travelers and contracts; the ledger has no names of them.
    expect(await tablesWith(word)).toEqual(['booking_travelers', 'bookings', 'contracts']);
    const [row] = await app.sql(
      'select document, health_note, emergency_contact, dietary from booking_travelers where id = $1',
      [traveler.id],
    );
    expect(row).toEqual({ document: null, health_note: null, emergency_contact: null, dietary: [] });
    expect(filesWith(word)).toEqual([]);

    // Units that come free are not offered to a person who is not known any more.
    expect(await readWaiting(app, waiting)).toMatchObject({
      ...{ status: 'withdrawn', endReason: 'customer_erased', customerId: null, customerName: null, note: null },
    });
    await owner.patch(`${DEPARTURES}/${String(waiting['departureId'])}`, { capacity: 5 });
    expect(await readWaiting(app, waiting)).toMatchObject({ status: 'withdrawn', offers: 0 });

    const verified = await app.nest.get(LedgerVerificationService, { strict: false }).verify();
    expect([verified.breaks, verified.findings]).toEqual([[], []]);
    expect(rejection(await execute(id, erasureId))).toMatchObject({ status: 409, code: 'already_erased' });
    expect(rejection(await plan(id))).toMatchObject({ status: 409, code: 'already_erased' });
    const page = await owner.get<{ data: { lastName: string }[] }>(travelersOf(bookingId));
    expect(page.body.data.map(({ lastName }) => lastName)).toContain(`Other${word}companion`);
    app.travel({ days: -12 });
  }, 60_000);

  it('it is blocked by money that is owed or held, and is executed once by parallel requests', async () => {
    const { id } = await newCustomer(app);
    const { booking } = await confirmedBooking(owner, { booking: { customerId: id } });
    await recorded(owner, received(booking.id, 1_000));
    await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' });
    const { body } = await plan(id);
    expect(body.data.blockers).toEqual(['credit_open']);

    const other = await newCustomer(app);
    const draft = await makeBooking(owner, { customerId: other.id });
    const { id: erasureId, blockers } = (await plan(other.id)).body.data;
    expect(blockers).toEqual(['future_service']);
    await owner.post(`${BOOKINGS}/${draft.id}/cancellation`, { reason: 'Not sold' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => execute(other.id, erasureId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409, 409]);
    await Promise.all([run(erasureId), run(erasureId)]);
    expect(await readErasure(other.id, erasureId)).toMatchObject({ status: 'done' });
  });

  it('it reaches duplicates that were merged into the customer', async () => {
    const duplicate = await newCustomer(app, { lastName: 'Wyzzbrook', tags: ['wyzzbrook'] });
    const { id } = await newCustomer(app, { lastName: 'Wyzzbrooke' });
    await owner.post(`${CUSTOMERS}/${id}/merges`, { duplicateIds: [duplicate.id] });
    expect(rejection(await plan(duplicate.id))).toMatchObject({
      code: 'customer_merged',
      details: { mergedIntoId: id },
    });
    const { id: erasureId } = (await plan(id)).body.data;
    await execute(id, erasureId);
    await run(erasureId);
    expect(await tablesWith('wyzzbrook')).toEqual([]);
    expect(await readCustomer(app, duplicate.id)).toMatchObject({ status: 'erased', displayName: 'Erased person' });
  });

  it('a killed process leaves the steps that are done, and the next one continues with the others', async () => {
    const { id, email } = await knownEverywhere('Brimfold');
    app.travel({ days: 12 });
    await complete();
    const { id: erasureId } = (await plan(id)).body.data;
    await execute(id, erasureId);
    await app.sql(
      `insert into notification_messages (id, kind, status, recipient, recipient_kind, subject, text, attempts, send_at, lease_until, contract_id, created_at, updated_at)
       select 'nmsg_01k0dem000e000000000099999', 'contract', 'sending', $1, 'primary', 'Contract', 'Brimfold', 1, now(), now(), reference, now(), now()
       from (select id as reference from contracts where recipient_email = $1) as contract`,
      [email],
    );
    await expect(run(erasureId)).rejects.toThrow('being sent');
    const half = await readErasure(id, erasureId);
    expect(half.status).toBe('running');
    expect(half.steps.filter(({ finishedAt }) => finishedAt !== null).map(({ module }) => module)).toEqual([
      ...['documents', 'bookings', 'trips', 'finance', 'legal'],
    ]);
    await app.sql(
      `update notification_messages set status = 'sent', sent_at = now(), lease_until = null where recipient = $1`,
      [email],
    );
    await run(erasureId);
    const done = await readErasure(id, erasureId);
    expect(done.status).toBe('done');
    expect(done.steps.slice(0, 4)).toEqual(half.steps.slice(0, 4));
    expect(await tablesWith(email)).toEqual(['booking_travelers', 'bookings', 'contracts']);
    app.travel({ days: -12 });
  }, 60_000);

  it('another person with the same e-mail address keeps everything', async () => {
    const shared = { emails: [{ address: 'pair@example.com', isPrimary: true }] };
    const [ann, bob] = [
      await newCustomer(app, { firstName: 'Ann', lastName: 'Pairwood', ...shared }),
      await newCustomer(app, { firstName: 'Bob', lastName: 'Pairwood', ...shared }),
    ];
    const booking = await makeBooking(owner, { customerId: bob.id });
    const traveler = await addTraveler(owner, booking.id, {
      ...{ customerId: bob.id, firstName: 'Bob', lastName: 'Pairwood', email: 'pair@example.com' },
      document: { type: 'passport', number: 'BOB4711', issuingCountry: 'SE' },
    });
    const party = {
      billing: { name: 'Carl Other', email: 'carl@example.com' },
      travelers: [{ name: 'Ann Pairwood', email: 'pair@example.com' }, { name: 'Carl Other' }],
    };
    const { envelopeId } = await makeTrip(owner, [MANUAL], { title: 'Trip of Carl', travelerParty: party });
    const { id: erasureId, plan: planned } = (await plan(ann.id)).body.data;
    expect(planned.map(({ kind }) => kind)).not.toContain('travelers');
    await execute(ann.id, erasureId);
    await run(erasureId);
    const [kept] = await app.sql<{ document: object | null }>('select document from booking_travelers where id = $1', [
      traveler.id,
    ]);
    expect(kept?.document).toMatchObject({ ending: '11' });
    const [trip] = await app.sql('select title, traveler_party as party from trip_envelopes where id = $1', [
      envelopeId,
    ]);
    expect(trip).toMatchObject({
      title: 'Trip of Carl',
      party: { billing: { name: 'Carl Other' }, travelers: [{ name: 'Erased person' }, { name: 'Carl Other' }] },
    });
  });

  it('a trip of an agency loses its billing contact when that person is erased, and an export contains the contact', async () => {
    const agency = await newCustomer(app, { kind: 'company', companyName: 'Billtown Travel' });
    const [name, email, phone] = ['Petra Billwick', 'petra@billwick.example', '+46700000009'];
    const { id } = await newCustomer(app, {
      ...{ firstName: 'Petra', lastName: 'Billwick' },
      emails: [{ address: email, isPrimary: true }],
    });
    const { envelopeId } = await makeTrip(owner, [MANUAL], {
      ...{ customerId: agency.id, title: 'Group of the agency' },
      travelerParty: { billing: { name, email, phone }, travelers: [{ name }, { name: 'Gustav Guest' }] },
    });

    const exported = (await exportOf(id)).find(({ kind }) => kind === 'other trips');
    expect(exported?.records).toMatchObject([{ billing: { name, email, phone }, travelers: [{ name }] }]);
    expect(JSON.stringify(exported)).not.toMatch(/Gustav|Group of the agency/);
    const { id: erasureId } = (await plan(id)).body.data;
    await execute(id, erasureId);
    await run(erasureId);
    const [erased] = await app.sql<{ row: string; party: object }>(
      'select trip::text as row, traveler_party as party from trip_envelopes trip where id = $1',
      [envelopeId],
    );
    expect(erased?.row).not.toMatch(/petra|billwick|46700000009/i);
    expect(erased?.party).toMatchObject({
      billing: { name: 'Erased person' },
      travelers: [{ name: 'Erased person' }, { name: 'Gustav Guest' }],
    });
  });

  it('an export contains the consents of the person as a traveler who was deleted, but not those of companions', async () => {
    const [id, booker] = [
      (await newCustomer(app)).id,
      await newCustomer(app, { firstName: 'Ida', lastName: 'Booker' }),
    ];
    const booking = await makeBooking(owner, { customerId: booker.id, customerName: 'Ida Booker' });
    const consent = (source: string) => ({ healthDataConsent: { ...CONSENT, source } });
    const linked = await addTraveler(owner, booking.id, { customerId: id, ...consent('linked') });
    const named = await addTraveler(owner, booking.id, {
      ...{ firstName: 'Ida', lastName: 'Booker', isLead: true },
      ...consent('named'),
    });
    const companion = await addTraveler(owner, booking.id, { lastName: 'Companion', ...consent('companion') });
    for (const { id: travelerId } of [linked, companion, named]) {
      expect((await owner.delete(`${travelersOf(booking.id)}/${travelerId}`)).status).toBe(200);
    }
    const survivor = await newCustomer(app);
    await owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [id] });

    const consentsOf = async (customerId: string) =>
      (await exportOf(customerId)).filter(({ kind }) => kind === 'consents of travelers').flatMap((one) => one.records);
    expect(await consentsOf(survivor.id)).toMatchObject([{ granted: true, source: 'linked' }]);
    expect(await consentsOf(booker.id)).toMatchObject([{ granted: true, source: 'named' }]);
  });

  it('the job of the retention period keeps a customer about whom a note was written lately', async () => {
    const { id } = await newCustomer(app, { lastName: 'Latecontact' });
    const silent = await newCustomer(app, { lastName: 'Silentcontact' });
    const old = app.now().getTime() - 1_200 * 24 * 3_600_000;
    await app.sql(`update customers set created_at = $2, updated_at = $2 where id = any($1)`, [
      [id, silent.id],
      new Date(old).toISOString(),
    ]);
    await newNote(owner, { subjectType: 'customer', subjectId: id }, { text: 'Called today' });
    await asSystem(() => app.nest.get(ErasuresService, { strict: false }).erasePast());
    expect(await readCustomer(app, id)).toMatchObject({ status: 'active', displayName: 'Latecontact' });
    expect(await readCustomer(app, silent.id)).toMatchObject({ status: 'erased' });
  });

  it('it needs the scope customers:privacy and a reason', async () => {
    const { id } = await newCustomer(app);
    const staff = await staffWith(app, 'customers:*', 'bookings:*');
    expect(rejection(await staff.post(`${CUSTOMERS}/${id}/erasures`, REASON))).toMatchObject({
      status: 403,
      details: { requiredScope: 'customers:privacy' },
    });
    expect((await owner.post(`${CUSTOMERS}/${id}/erasures`, { reason: '' })).status).toBe(400);
    const elsewhere = await newCustomer(app);
    const { id: erasureId } = (await plan(id)).body.data;
    expect((await execute(elsewhere.id, erasureId)).status).toBe(404);
  });
});

describe('the export of a customer', () => {
  interface Export {
    id: string;
    status: string;
  }
  const write = (exportId: string) =>
    asSystem(() => app.nest.get(DataExportsService, { strict: false }).write({ exportId }));

  it('its file contains each class with its purpose and end, sealed values in plain text, and no other person', async () => {
    const word = 'Zanquill';
    const { id } = await knownEverywhere(word);
    const requested = await owner.post<One<Export>>(`${CUSTOMERS}/${id}/data-exports`);
    expect([requested.status, requested.body.data.status]).toEqual([202, 'pending']);
    const path = `${CUSTOMERS}/${id}/data-exports/${requested.body.data.id}`;
    expect(rejection(await owner.get(`${path}/download`))).toMatchObject({ status: 409, code: 'export_not_ready' });

    await write(requested.body.data.id);
    expect((await owner.get<One<Export>>(path)).body.data.status).toBe('ready');
    const download = await owner.get(`${path}/download`);
    expect(download.status).toBe(302);
    const file = await app.get<{ data: { class: string; purpose: string; kind: string; records: object[] }[] }>(
      String(download.headers['location']),
    );
    expect(file.headers['content-type']).toBe('application/octet-stream');
    const { data } = JSON.parse(file.text) as typeof file.body;
    expect(data.map(({ kind }) => kind)).toEqual([
      ...['attachments', 'documents', 'bookings', 'items', 'vouchers', 'travelers', 'consents of travelers'],
      ...['travelers with a service ahead', 'other trips'],
      ...['invoices', 'payments', 'contracts', 'notes', 'tasks', 'waiting entries', 'lines to import', 'customers'],
      'consents',
    ]);
    expect(data.every(({ purpose }) => purpose.length > 5)).toBe(true);
    const sealed = data.find(({ kind }) => kind === 'travelers with a service ahead')?.records;
    expect(sealed).toMatchObject([
      { document: { number: `P${word}77` }, healthNote: `${word} needs insulin`, dietary: ['vegan'] },
    ]);
    expect(file.text).not.toMatch(/companion|Friend/);

    app.travel({ days: 8 });
    expect(rejection(await owner.get(`${path}/download`))).toMatchObject({ status: 410, code: 'export_expired' });
    // The other files are attachments: one of each kind.
    expect(filesWith(word)).toHaveLength(6);
    await asSystem(() => app.nest.get(DataExportsService, { strict: false }).deleteExpired());
    expect(filesWith(word)).toHaveLength(5);
    expect((await owner.get<One<Export>>(path)).body.data.status).toBe('expired');
    app.travel({ days: -8 });
  });

  it('an export that is written while the customer is erased leaves no file', async () => {
    const { id } = await newCustomer(app, { lastName: 'Vindlebrook' });
    const { id: exportId } = (await owner.post<One<Export>>(`${CUSTOMERS}/${id}/data-exports`)).body.data;
    const { id: erasureId } = (await plan(id)).body.data;
    await execute(id, erasureId);
    await Promise.all([write(exportId), run(erasureId)]);
    expect(filesWith('Vindlebrook')).toEqual([]);
    const { data } = (await owner.get<One<Export>>(`${CUSTOMERS}/${id}/data-exports/${exportId}`)).body;
    expect(data.status).toBe('expired');
  });

  it('an erasure deletes its file, and an erased customer has none', async () => {
    const { id } = await newCustomer(app, { lastName: 'Ombrewick' });
    const { id: exportId } = (await owner.post<One<Export>>(`${CUSTOMERS}/${id}/data-exports`)).body.data;
    await write(exportId);
    expect(filesWith('Ombrewick')).toHaveLength(1);
    const { id: erasureId } = (await plan(id)).body.data;
    await execute(id, erasureId);
    await run(erasureId);
    expect(filesWith('Ombrewick')).toEqual([]);
    expect(rejection(await owner.post(`${CUSTOMERS}/${id}/data-exports`))).toMatchObject({ code: 'customer_erased' });
  });
});
