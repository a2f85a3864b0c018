import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordDocumentJobs } from '../../src/modules/documents/records/record-documents.jobs.js';
import { DocumentsData } from '../../src/modules/documents/documents-data.js';
import { DeliveryJobs } from '../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { EnclosedFiles } from '../../src/platform/files/enclosed-files.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  makeBooking,
  type One,
  type Page,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { addTraveler, assign } from '../bookings/travelers.js';
import { newCustomer } from '../customers/customers.js';
import { type MailServer, startMailServer } from '../notifications/mail-server.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { makeTrip, MANUAL } from '../trips/trips.js';
import { newTemplate, TEMPLATES } from './document-templates.js';
import { DOCUMENTS, printed, type RecordDocument, render, requested, textOf } from './documents.js';

const folder = mkdtempSync(join(tmpdir(), 'travel-documents-'));
afterAll(() => rmSync(folder, { recursive: true }));

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    env: {
      ...{ JOBS: 'false', FILES_DIR: folder, RATE_LIMIT_FACTOR: '1000' },
      ...{ SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
    },
  });
  owner = app.as('owner');
});

const read = async (id: string) => (await owner.get<One<RecordDocument>>(`${DOCUMENTS}/${id}`)).body.data;
const download = (id: string, query = '', client = owner) =>
  client.get<{ code: string }>(`${DOCUMENTS}/${id}/download${query}`);
const dispatch = (id: string, body: object = {}) =>
  owner.post<One<{ id: string; files: object[] }>>(`${DOCUMENTS}/${id}/dispatch`, body);
const filesStored = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());
const confirmationOf = (subjectId: string, over: object = {}) => ({
  ...{ kind: 'confirmation', subjectType: 'booking', subjectId },
  ...over,
});

async function booked(over: object = {}) {
  const departure = await newDeparture(app, { startsAt: '2127-03-09T06:00:00Z', endsAt: '2127-03-11T15:00:00Z' });
  const sale = await confirmedBooking(owner, {
    booking: { customerName: 'Maria Ionescu', customerLanguage: 'de-AT', ...over },
    item: { departureId: departure.id, quantity: 2, title: 'Adult' },
  });
  const maria = await addTraveler(owner, sale.booking.id, { firstName: 'Maria', lastName: 'Ionescu' });
  await assign(owner, sale.item, [maria.id]);
  return { ...sale, departure, path: `${BOOKINGS}/${sale.booking.id}` };
}

describe('documents of bookings, trips and departures', () => {
  it('a confirmation is printed in the language of the customer, downloaded, and encrypted in the store', async () => {
    const { booking } = await booked();
    const pending = await requested(owner, confirmationOf(booking.id));
    expect(pending).toMatchObject({
      ...confirmationOf(booking.id),
      ...{ subjectTitle: booking['number'], status: 'pending', language: 'de', version: 1, templateVersion: 1 },
      ...{ isOffer: null, sha256: null, dataSha256: null, sizeBytes: null, readyAt: null },
    });
    const early = await download(pending.id);
    expect([early.status, early.body]).toEqual([409, problem('document_not_ready', expect.anything())]);

    await render(app, pending.id);
    expect(await read(pending.id)).toMatchObject({ status: 'ready', isOffer: false, sha256: expect.any(String) });
    const { text, headers } = await textOf(app, pending.id);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="confirmation-${booking['number']}.pdf"`,
    });
    for (const part of [
      'Buchungsbestätigung',
      booking['number'],
      'Maria Ionescu',
      'Adult',
      'Gesamtpreis:',
      '9. März 2127',
    ]) {
      expect(text).toContain(part);
    }
    const entries = await entriesAbout(owner, pending.id);
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'documents.document.create',
      'documents.document.render',
    ]);
  });

  it('the document of a draft is titled as an offer, in each language', async () => {
    const { id } = await makeBooking(owner);
    await addItem(owner, id, { title: 'City tour' });
    const titles = { en: 'Offer', de: 'Angebot', fr: 'Offre', es: 'Oferta', it: 'Offerta', ro: 'Ofertă' };
    for (const [language, title] of Object.entries(titles)) {
      const document = await printed(app, confirmationOf(id, { language }));
      expect(document).toMatchObject({ isOffer: true, language });
      expect((await textOf(app, document.id)).text).toContain(`${title} `);
    }
    const itinerary = await printed(app, confirmationOf(id, { kind: 'itinerary', language: 'en' }));
    expect((await textOf(app, itinerary.id)).text).toContain('Itinerary (Offer)');
  });

  it('a trip, a manifest and a rooming list are printed', async () => {
    const trip = await makeTrip(owner, [MANUAL], { title: 'Around the lake' });
    const offer = await printed(app, { kind: 'itinerary', subjectType: 'trip', subjectId: trip.envelopeId });
    const { text } = await textOf(app, offer.id);
    for (const part of ['Around the lake', 'Private guide', 'Ada Lovelace']) expect(text).toContain(part);

    const { departure } = await booked();
    for (const [kind, title] of [
      ['manifest', 'Manifest'],
      ['rooming_list', 'Rooming list'],
    ]) {
      const source = { kind, subjectType: 'departure', subjectId: departure.id, language: 'en' };
      const list = (await textOf(app, (await printed(app, source)).id)).text;
      expect(list).toContain(title);
      expect(list).toContain('Maria Ionescu');
    }
  });

  it('kinds with operations of their own name them, and others print only their records', async () => {
    const { booking, departure } = await booked();
    const operations = {
      voucher: 'GET /v1/admin/bookings/{bookingId}/voucher-document',
      ticket: 'GET /v1/admin/bookings/{bookingId}/voucher-document',
      invoice: 'POST /v1/admin/finance/invoices/{id}/renditions',
      credit_note: 'POST /v1/admin/finance/credit-notes/{id}/renditions',
    };
    for (const [kind, operation] of Object.entries(operations)) {
      const answer = await owner.post(DOCUMENTS, confirmationOf(booking.id, { kind }));
      const details = { field: 'kind', operation };
      expect([answer.status, answer.body]).toEqual([422, problem('document_kind_elsewhere', details)]);
    }
    const other = { kind: 'manifest', subjectType: 'booking', subjectId: booking.id };
    expect(await owner.post(DOCUMENTS, other)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const unknown = confirmationOf('book_01k0dem000e0000000000zzzzz');
    expect(await owner.post(DOCUMENTS, unknown)).toMatchObject({
      status: 404,
      body: { details: { field: 'subjectId' } },
    });
    expect((await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    const cancelled = await owner.post(DOCUMENTS, confirmationOf(booking.id));
    expect([cancelled.status, cancelled.body]).toEqual([409, problem('booking_cancelled')]);
    expect((await owner.get(`${DEPARTURES}/${departure.id}`)).status).toBe(200);
  });

  it('a document whose data has changed is stale, and a newer version replaces it', async () => {
    const { booking, path } = await booked();
    const first = await printed(app, confirmationOf(booking.id));
    expect((await download(first.id)).status).toBe(302);
    expect((await owner.patch(path, { customerName: 'Maria Popescu' })).status).toBe(200);
    const changed = await download(first.id);
    expect([changed.status, changed.body]).toEqual([409, problem('document_stale')]);
    expect((await textOf(app, first.id, '?allowStale=true')).text).toContain('Maria Ionescu');

    const second = await printed(app, confirmationOf(booking.id));
    expect([second.version, (await read(first.id)).status]).toEqual([2, 'stale']);
    expect((await download(first.id)).body).toEqual(problem('document_stale'));
    expect((await textOf(app, second.id)).text).toContain('Maria Popescu');
    const { body } = await owner.get<Page<RecordDocument>>(`${DOCUMENTS}?subjectId=${booking.id}&status=stale`);
    expect(body.data.map(({ id }) => id)).toEqual([first.id]);
  });

  it('a document of a booking that was cancelled before the rendering fails at the first attempt', async () => {
    const { booking } = await booked();
    const { id } = await requested(owner, confirmationOf(booking.id));
    expect((await owner.post(`${BOOKINGS}/${booking.id}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    await render(app, id);
    expect((await read(id)).status).toBe('failed');
  });

  it('parallel requests get different versions, of which the newest stays ready', async () => {
    const { booking } = await booked();
    const all = await Promise.all([1, 2, 3, 4].map(() => requested(owner, confirmationOf(booking.id))));
    expect(all.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4]);
    await Promise.all(all.map(({ id }) => render(app, id)));
    const states = await Promise.all(all.map(({ id }) => read(id)));
    expect(states.filter(({ status }) => status === 'ready').map(({ version }) => version)).toEqual([4]);
  });

  it('a document that two attempts render at the same time has a file, and only one', async () => {
    const { booking } = await booked();
    const { id } = await requested(owner, confirmationOf(booking.id));
    const before = filesStored().length;
    const enclosed = app.nest.get(EnclosedFiles, { strict: false });
    const put = enclosed.put.bind(enclosed);
    const attempts: Promise<void>[] = [];
    let nameSecond = () => undefined as void;
    const isSecondNamed = new Promise<void>((resolve) => (nameSecond = resolve));
    const spy = jest.spyOn(enclosed, 'put').mockImplementation(async (enclosure) => {
      await put(enclosure);
      if (attempts.length === 1) {
        attempts.push(render(app, id));
        return isSecondNamed;
      }
      nameSecond();
      await attempts[0];
    });
    attempts.push(render(app, id));
    await attempts[0];
    await attempts[1];
    spy.mockRestore();
    expect(attempts).toHaveLength(2);
    expect(filesStored()).toHaveLength(before + 1);
    expect((await textOf(app, id)).text).toContain('Maria Ionescu');
  });

  it('a document needs the scope of its record, and a rooming list that of bookings', async () => {
    const { booking, departure } = await booked();
    const confirmation = await printed(app, confirmationOf(booking.id));
    const rooms = { kind: 'rooming_list', subjectType: 'departure', subjectId: departure.id };
    const list = await printed(app, rooms);
    const guide = await staffWith(app, 'documents:read', 'documents:write', 'operations:read');
    const needed = problem('forbidden', { requiredScope: 'bookings:read' });
    for (const { id } of [confirmation, list]) {
      expect((await guide.get(`${DOCUMENTS}/${id}`)).body).toEqual(needed);
      expect((await download(id, '', guide)).body).toEqual(needed);
    }
    expect((await guide.post(DOCUMENTS, rooms)).body).toEqual(needed);
    const manifest = await printed(app, { ...rooms, kind: 'manifest' }, guide);
    const { body } = await guide.get<Page<RecordDocument>>(`${DOCUMENTS}?limit=100`);
    expect(body.data.map(({ id }) => id)).toContain(manifest.id);
    expect(body.data.every(({ kind }) => kind === 'manifest')).toBe(true);
    expect((await guide.get(`${DOCUMENTS}?subjectType=booking`)).body).toEqual(needed);
  });

  it('a document of a trip also needs the scope of bookings, because it prints the booking of the trip', async () => {
    const trip = await makeTrip(owner, [MANUAL], { title: 'Around the lake' });
    const source = { kind: 'itinerary', subjectType: 'trip', subjectId: trip.envelopeId, language: 'en' };
    const { id } = await printed(app, source);
    const { id: templateId } = await newTemplate(owner, { kind: 'itinerary' });
    const seller = await staffWith(app, 'documents:read', 'documents:write', 'trips:read');
    const needed = problem('forbidden', { requiredScope: 'bookings:read' });
    const preview = `${TEMPLATES}/${templateId}/preview?subjectType=trip&subjectId=${trip.envelopeId}`;
    for (const path of [
      `${DOCUMENTS}/${id}`,
      `${DOCUMENTS}/${id}/download`,
      `${DOCUMENTS}?subjectType=trip`,
      preview,
    ]) {
      expect((await seller.get(path)).body).toEqual(needed);
    }
    expect((await seller.post(DOCUMENTS, source)).body).toEqual(needed);
    expect((await seller.get<Page<RecordDocument>>(DOCUMENTS)).body.data).toEqual([]);
  });
});

describe('the dispatch of a document', () => {
  it('the document is rendered and sent to the customer once, and manifests are not sent', async () => {
    const recipient = `clara-${randomUUID()}@example.com`;
    const { booking, departure, path } = await booked({ customerEmail: recipient });
    const { id } = await requested(owner, confirmationOf(booking.id));
    const sent = await dispatch(id);
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      { kind: 'document', files: [{ attachmentId: null, fileName: `confirmation-${booking['number']}.pdf` }] },
    ]);
    expect((await dispatch(id)).body).toEqual(problem('already_dispatched', { messageId: sent.body.data.id }));
    await asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
    const [mail] = server.mails.filter((one) => one.recipient === recipient);
    expect(mail?.subject).toBe('Ihre Buchungsbestätigung');
    expect(mail?.text).toContain('Guten Tag Maria Ionescu,');
    expect(Buffer.from(mail?.attachments[0]?.content as ArrayBuffer).toString('latin1', 0, 5)).toBe('%PDF-');

    await owner.patch(path, { customerName: 'Maria Popescu' });
    expect((await dispatch(id, { resend: true })).body).toEqual(problem('document_stale'));
    expect((await dispatch(id, { resend: true, allowStale: true })).status).toBe(201);
    const manifest = await printed(app, { kind: 'manifest', subjectType: 'departure', subjectId: departure.id });
    expect((await dispatch(manifest.id)).body).toEqual(problem('document_not_for_customers'));
  });
});

describe('personal data in documents', () => {
  it('an erasure deletes the documents that name the person, with their files', async () => {
    const { booking, departure } = await booked();
    const { booking: other } = await booked();
    const kept = await printed(app, confirmationOf(other.id));
    const before = filesStored().length;
    const manifest = { kind: 'manifest', subjectType: 'departure', subjectId: departure.id };
    const documents = [await printed(app, confirmationOf(booking.id)), await printed(app, manifest)];
    expect(filesStored()).toHaveLength(before + 2);

    const person = { customerIds: [], emails: [], names: [], bookings: [{ id: booking.id }] };
    const data = app.nest.get(DocumentsData, { strict: false });
    const [, held] = await asSystem(() => data.collect(person as never));
    expect(held?.records).toMatchObject([{ id: documents[0]?.id }, { id: documents[1]?.id }]);
    const count = await asSystem(() =>
      app.nest.get(Database, { strict: false }).transaction(() => data.erase(person as never)),
    );
    expect(count).toBe(2);
    expect(filesStored()).toHaveLength(before);
    for (const { id } of documents) expect((await owner.get(`${DOCUMENTS}/${id}`)).status).toBe(404);
    expect((await download(kept.id)).status).toBe(302);
  });

  it('an erasure finds documents that named the person before the booking left the departure or the customer', async () => {
    const { booking, departure } = await booked();
    const { departure: next } = await booked();
    const customer = await newCustomer(app);
    const path = `/v1/admin/bookings/${booking.id}`;
    expect((await owner.patch(path, { customerId: customer.id })).status).toBe(200);
    const manifest = await printed(app, { kind: 'manifest', subjectType: 'departure', subjectId: departure.id });
    const rooms = await printed(app, { kind: 'rooming_list', subjectType: 'departure', subjectId: departure.id });
    const confirmation = await printed(app, confirmationOf(booking.id));
    const { body: items } = await owner.get<{ data: { id: string }[] }>(`${path}/items`);
    for (const { id } of items.data) {
      expect((await owner.patch(`${path}/items/${id}`, { departureId: next.id })).status).toBe(200);
    }
    expect((await owner.patch(path, { customerId: (await newCustomer(app)).id })).status).toBe(200);

    const data = app.nest.get(DocumentsData, { strict: false });
    const person = { customerIds: [customer.id], emails: [], names: [], bookings: [] };
    const [, held] = await asSystem(() => data.collect(person as never));
    expect(held?.records).toMatchObject([manifest, rooms, confirmation].map(({ id }) => ({ id })));
    await asSystem(() => app.nest.get(Database, { strict: false }).transaction(() => data.erase(person as never)));
    for (const { id } of [manifest, rooms, confirmation]) {
      expect((await owner.get(`${DOCUMENTS}/${id}`)).status).toBe(404);
    }
  });

  it('documents end with the travel data of their record', async () => {
    const departure = await newDeparture(app);
    const manifest = await printed(app, { kind: 'manifest', subjectType: 'departure', subjectId: departure.id });
    const { booking } = await booked();
    const confirmation = await printed(app, confirmationOf(booking.id));
    const draft = await printed(app, confirmationOf((await makeBooking(owner)).id));
    await app.sql(
      `update departures set starts_at = '2020-01-01T08:00:00Z', ends_at = '2020-01-02T08:00:00Z' where id = $1`,
      [departure.id],
    );
    await asSystem(() => app.nest.get(RecordDocumentJobs, { strict: false }).eraseEnded());
    expect((await owner.get(`${DOCUMENTS}/${manifest.id}`)).status).toBe(404);
    for (const { id } of [confirmation, draft]) expect((await read(id)).status).toBe('ready');
  });
});
