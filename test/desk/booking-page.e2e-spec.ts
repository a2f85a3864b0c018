import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, confirmedBooking, makeBooking, type One, problem, staffWith } from '../bookings/bookings.js';
import { addTraveler } from '../bookings/travelers.js';
import { draft as draftInvoice, issue } from '../finance/invoices/invoicing.js';
import { draft as draftContract } from '../legal/contracts.js';
import { newDeparture } from '../operations/departures.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import { newNote } from './notes.js';
import { newTask, TASKS } from './tasks.js';
import type { TestClient } from '../setup/client.js';

interface BookingPage extends Record<string, unknown> {
  booking: Record<string, unknown>;
  items: { id: string; status: string }[];
  statement: { kind: string; text: string | null; balanceCents: number }[] | null;
}

const PAGES = '/v1/admin/desk/bookings';
const PAYMENTS = '/v1/admin/finance/payments';
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function page(id: string, client = owner): Promise<BookingPage> {
  const { status, body } = await client.get<One<BookingPage>>(`${PAGES}/${id}`);
  expect(status).toBe(200);
  return body.data;
}

describe('the page of a booking', () => {
  it('a page shows the booking as the list does, its items with their products, travelers, contracts and no mails', async () => {
    const { id: productId } = await newProduct(app, { name: 'Delta by boat' });
    const departure = await newDeparture(app, {
      ...{ productId, startsAt: '2127-06-10T05:00:00Z', endsAt: '2127-06-10T14:30:00Z', timeZone: 'Europe/Bucharest' },
    });
    const { booking, item } = await confirmedBooking(owner, { item: { departureId: departure.id, quantity: 2 } });
    const extra = await addItem(owner, booking.id, { type: 'extra', title: 'Lunch', unitSellCents: 2_000 });
    const traveler = await addTraveler(owner, booking.id, { firstName: 'Maria', lastName: 'Ionescu' });
    const contract = await draftContract(app, { bookingId: booking.id, title: 'Travel contract' });

    const shown = await page(booking.id);

    const list = await owner.get<{ data: object[] }>(`/v1/admin/bookings?search=${encodeURIComponent(booking.number)}`);
    expect(shown.booking).toEqual(list.body.data[0]);
    expect(shown).toMatchObject({
      booking: { id: booking.id, totalCents: 22_000, outstandingCents: 22_000, people: 2 },
      items: [
        {
          ...{ id: item.id, quantity: 2, totalSellCents: 20_000, serviceDate: '2127-06-10', departureId: departure.id },
          ...{ productName: 'Delta by boat', localStart: '2127-06-10 08:00' },
        },
        { id: extra.id, title: 'Lunch', departureId: null, productName: null, localStart: null },
      ],
      travelers: [{ id: traveler.id, firstName: 'Maria', lastName: 'Ionescu', isLead: true, status: 'active' }],
      statement: [],
      contracts: [{ reference: contract.reference, title: 'Travel contract', status: 'draft', issuedAt: null }],
      messages: [],
      ...{ tasks: [], notes: [] },
      withheld: [],
    });
  });

  it('the account is a ledger: documents, payments and their reversals with the balance after each', async () => {
    const { booking } = await confirmedBooking(owner, { item: { unitSellCents: 10_000 } });
    const { id: invoiceId } = await draftInvoice(owner, { bookingId: booking.id });
    await issue(owner, invoiceId);
    const receipt = { direction: 'in', bookingId: booking.id, currency: 'EUR', method: 'cash', paidOn: app.day() };
    const paid = async (amountCents: number, reference: string) => {
      const { status, body } = await owner.post<One<{ id: string }>>(PAYMENTS, { ...receipt, amountCents, reference });
      expect(status).toBe(201);
      return body.data.id;
    };
    const first = await paid(4_000, 'R-1');
    await paid(6_500, 'R-2');
    expect((await owner.post(`${PAYMENTS}/${first}/reversal`, { reason: 'Returned' })).status).toBe(200);

    const { statement } = await page(booking.id);

    expect(statement).toMatchObject([
      {
        on: app.day(),
        kind: 'invoice',
        documentId: invoiceId,
        debitCents: 10_000,
        creditCents: 0,
        balanceCents: 10_000,
      },
      { kind: 'receipt', documentId: first, text: 'R-1', debitCents: 0, creditCents: 4_000, balanceCents: 6_000 },
      { kind: 'receipt', text: 'R-2', creditCents: 6_500, balanceCents: -500 },
      { kind: 'reversal', documentId: first, text: 'R-1', debitCents: 4_000, creditCents: 0, balanceCents: 3_500 },
    ]);
  });

  it('a cancelled item stays on the page', async () => {
    const { booking } = await confirmedBooking(owner);
    const second = await addItem(owner, booking.id);
    const cancelled = await owner.post(`/v1/admin/bookings/${booking.id}/items/${second.id}/cancellation`, {});
    expect(cancelled.status).toBe(200);
    const { items } = await page(booking.id);
    expect(items.find(({ id }) => id === second.id)?.status).toBe('cancelled');
  });

  it('sections without their scope are null and named, and what the customer owes is hidden', async () => {
    const { id } = await makeBooking(owner);
    expect(await page(id, await staffWith(app, 'bookings:read'))).toMatchObject({
      booking: { outstandingCents: null, dueStatus: null },
      ...{ items: [], travelers: [], statement: null, contracts: null, messages: null },
      ...{ tasks: null, notes: null },
      withheld: ['statement', 'contracts', 'messages', 'tasks', 'notes'].map((section) => ({ section })),
    });
  });

  it('the page shows open tasks by their day and pinned notes, newest first', async () => {
    const booking = await makeBooking(owner);
    const subject = { subjectType: 'booking', subjectId: booking.id };
    const undated = await newTask(owner, subject);
    const dated = await newTask(owner, { ...subject, dueOn: '2127-05-10' });
    const done = await newTask(owner, subject);
    await owner.patch(`${TASKS}/${done.id}`, { status: 'done' });
    await newNote(owner, subject);
    const first = await newNote(owner, subject, { pinned: true, text: 'First' });
    const second = await newNote(owner, subject, { pinned: true, text: 'Second' });

    const { tasks, notes } = await page(booking.id);

    expect(tasks).toMatchObject([
      { id: dated.id, title: 'Call back', dueOn: '2127-05-10', assigneeId: null, createdAt: dated['createdAt'] },
      { id: undated.id, dueOn: null, source: 'staff' },
    ]);
    expect(notes).toMatchObject([
      { id: second.id, text: 'Second', visibility: 'internal', createdAt: second['createdAt'] },
      { id: first.id, text: 'First', authorName: first['authorName'] },
    ]);
  });

  it('an unknown booking is not found, and a page needs bookings:read', async () => {
    const unknown = await owner.get(`${PAGES}/book_01k0dem000e000000000009999`);
    expect([unknown.status, unknown.body]).toEqual([404, problem('not_found')]);
    const { status, body } = await (
      await staffWith(app, 'finance:read')
    ).get(`${PAGES}/${(await makeBooking(owner)).id}`);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'bookings:read' })]);
  });
});
