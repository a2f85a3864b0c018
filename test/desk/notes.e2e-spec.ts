import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  confirmedBooking,
  invalid,
  makeBooking,
  type One,
  type Page,
  problem,
  staffWith,
} from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { draft as draftInvoice } from '../finance/invoices/invoicing.js';
import { hire } from '../identity/staff.js';
import { newDeparture } from '../operations/departures.js';
import { newProduct } from '../products/products.js';
import { entryOf, reversed } from '../action-ledger/reversals.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newNote, NOTES, type Note } from './notes.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const onCustomer = async () => ({ subjectType: 'customer', subjectId: (await newCustomer(app)).id });
const onBooking = async () => ({ subjectType: 'booking', subjectId: (await makeBooking(owner)).id });

async function listed(query: string, client = owner): Promise<string[]> {
  const { status, body } = await client.get<Page<Note>>(`${NOTES}?${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }) => id);
}

describe('notes', () => {
  it('a note on each kind of record names the record and its author', async () => {
    const customer = await newCustomer(app, { firstName: 'Maria', lastName: 'Ionescu' });
    const { booking } = await confirmedBooking(owner);
    const { id: productId } = await newProduct(app, { name: 'Delta by boat' });
    const departure = await newDeparture(app, {
      ...{ productId, startsAt: '2127-06-10T05:00:00Z', endsAt: '2127-06-10T14:30:00Z', timeZone: 'Europe/Bucharest' },
    });
    const invoice = await draftInvoice(owner, { bookingId: booking.id, payerName: 'Carpathia Events' });

    const titles: Record<string, unknown> = {};
    for (const [subjectType, { id: subjectId }] of Object.entries({ customer, booking, departure, invoice })) {
      const note = await newNote(owner, { subjectType, subjectId });
      expect(note).toMatchObject({ subjectType, subjectId, pinned: false, visibility: 'internal', version: 1 });
      expect(note['authorName']).toEqual(expect.any(String));
      titles[subjectType] = note.subjectTitle;
    }

    expect(titles).toEqual({
      ...{ customer: 'Maria Ionescu', booking: booking.number, departure: 'Delta by boat 2127-06-10' },
      invoice: 'Carpathia Events',
    });
  });

  it('an unknown record is not found, an unknown kind is invalid, and 5,001 characters are too many', async () => {
    const unknown = await owner.post(NOTES, {
      ...{ subjectType: 'booking', subjectId: 'book_01k0dem000e000000000009999', text: 'x' },
    });
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found', { field: 'subjectId' })]);
    const subject = await onBooking();
    const other = await owner.post(NOTES, { ...subject, subjectType: 'user', text: 'x' });
    expect([other.status, other.body]).toEqual([400, invalid('subjectType', 'unknown_value')]);
    const long = await owner.post(NOTES, { ...subject, text: 'é'.repeat(5_001) });
    expect([long.status, long.body]).toEqual([400, invalid('text', 'too_long')]);
    expect((await newNote(owner, subject, { text: 'é'.repeat(5_000) })).text).toHaveLength(5_000);
  });

  it('a list shows the notes of a record, filtered and sorted', async () => {
    const subject = await onBooking();
    const first = await newNote(owner, subject, { pinned: true });
    const second = await newNote(owner, subject, { visibility: 'guide' });
    await newNote(owner, await onBooking());
    const about = `subjectType=booking&subjectId=${subject.subjectId}`;
    expect(await listed(about)).toEqual([second.id, first.id]);
    expect(await listed(`${about}&sort=createdAt`)).toEqual([first.id, second.id]);
    expect(await listed(`${about}&pinned=true`)).toEqual([first.id]);
    expect(await listed(`${about}&visibility=guide`)).toEqual([second.id]);
    expect(await listed(`${about}&authorId=user_01k0dem000e000000000009999`)).toEqual([]);
  });

  it('a note needs the scopes of its record, and a list leaves out what the caller may not read', async () => {
    const [customer, booking] = [await onCustomer(), await onBooking()];
    const [hidden, shown] = [await newNote(owner, customer), await newNote(owner, booking)];
    const reader = await staffWith(app, 'desk:read', 'desk:write', 'bookings:read', 'bookings:write');
    const missing = (requiredScope: string) => [403, problem('forbidden', { requiredScope })];

    expect(await listed('', reader)).toContain(shown.id);
    expect(await listed('', reader)).not.toContain(hidden.id);
    const list = await reader.get(`${NOTES}?subjectType=booking,customer`);
    expect([list.status, list.body]).toEqual(missing('customers:read'));
    for (const path of [`${NOTES}/${hidden.id}`, `${NOTES}/${hidden.id}/revisions`]) {
      const { status, body } = await reader.get(path);
      expect([status, body]).toEqual(missing('customers:read'));
    }
    const refused = [
      await reader.post(NOTES, { ...customer, text: 'x' }),
      await reader.patch(`${NOTES}/${hidden.id}`, { pinned: true }),
      await reader.delete(`${NOTES}/${hidden.id}`),
    ];
    expect(refused.map(({ status, body }) => [status, body])).toEqual(refused.map(() => missing('customers:write')));
    const { status, body } = await (await staffWith(app, 'bookings:*')).get(NOTES);
    expect([status, body]).toEqual(missing('desk:read'));
  });

  it('only the author changes a note, and its former texts stay as revisions', async () => {
    const subject = await onBooking();
    const note = await newNote(owner, subject, { text: 'First' });
    const colleague = await hire(app, ['sales']);
    const refused = await colleague.client.patch(`${NOTES}/${note.id}`, { text: 'Other' });
    expect([refused.status, refused.body]).toEqual([403, problem('author_required')]);

    expect((await owner.patch(`${NOTES}/${note.id}`, { text: 'Second' })).status).toBe(200);
    const pinned = await owner.patch<One<Note>>(`${NOTES}/${note.id}`, { pinned: true });
    expect(pinned.body.data).toMatchObject({ text: 'Second', pinned: true, version: 3 });

    const { body } = await colleague.client.get<Page<object>>(`${NOTES}/${note.id}/revisions`);
    expect(body).toMatchObject({
      data: [
        { version: 2, text: 'Second' },
        { version: 1, text: 'First' },
      ],
      total: 2,
    });
    const entry = await entryOf(app, note.id, 'desk.note.update');
    expect(JSON.stringify(entry)).not.toContain('Second');
  });

  it('the author deletes a note with its revisions; another user needs desk:delete', async () => {
    const subject = await onBooking();
    const colleague = await hire(app, ['sales']);
    const [own, other] = [await newNote(colleague.client, subject), await newNote(owner, subject)];
    const refused = await colleague.client.delete(`${NOTES}/${other.id}`);
    expect([refused.status, refused.body]).toEqual([403, problem('forbidden', { requiredScope: 'desk:delete' })]);
    expect((await colleague.client.delete<One<Note>>(`${NOTES}/${own.id}`)).body.data.text).toBe(own.text);
    expect((await owner.delete(`${NOTES}/${other.id}`)).status).toBe(200);
    expect((await owner.get(`${NOTES}/${other.id}`)).status).toBe(404);
    expect(await app.sql('select from note_revisions where note_id = any($1)', [[own.id, other.id]])).toEqual([]);
  });

  it('of two concurrent changes of the same version one is stored with one revision', async () => {
    const note = await newNote(owner, await onBooking());
    const change = (text: string) => owner.patch(`${NOTES}/${note.id}`, { text }, { headers: { 'If-Match': '"1"' } });
    const answers = await Promise.all(['One', 'Two', 'Three', 'Four'].map(change));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect(await app.sql('select from note_revisions where note_id = $1', [note.id])).toHaveLength(2);
  });
});

describe('notes on customers', () => {
  it('notes move when customers are merged, and back when the merge is reversed', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const note = await newNote(owner, { subjectType: 'customer', subjectId: duplicate.id });
    const own = await newNote(owner, { subjectType: 'customer', subjectId: survivor.id });
    const merged = await owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] });
    expect(merged.status).toBe(200);
    expect(await listed(`subjectId=${survivor.id}`)).toEqual([own.id, note.id]);
    expect(await listed(`subjectId=${duplicate.id}`)).toEqual([]);

    await reversed(app, survivor.id, 'customers.customer.merge');
    expect(await listed(`subjectId=${survivor.id}`)).toEqual([own.id]);
    expect(await listed(`subjectId=${duplicate.id}`)).toEqual([note.id]);
  });

  it('a merged customer accepts no notes, also while it is being merged', async () => {
    const [survivor, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const subject = { subjectType: 'customer', subjectId: duplicate.id };
    const [merged, ...notes] = await Promise.all([
      owner.post(`${CUSTOMERS}/${survivor.id}/merges`, { duplicateIds: [duplicate.id] }),
      ...[1, 2, 3, 4, 5].map((number) => owner.post(NOTES, { ...subject, text: `Note ${number}` })),
    ]);
    expect(merged.status).toBe(200);
    const late = await owner.post(NOTES, { ...subject, text: 'Late' });
    expect([late.status, late.body]).toEqual([409, problem('customer_merged', { field: 'subjectId' })]);
    const stored = notes.filter(({ status }) => status === 201);
    expect(notes.filter(({ status }) => status !== 201).every(({ status }) => status === 409)).toBe(true);
    expect(await listed(`subjectId=${survivor.id}`)).toHaveLength(stored.length);
    expect(await listed(`subjectId=${duplicate.id}`)).toEqual([]);
  });
});
