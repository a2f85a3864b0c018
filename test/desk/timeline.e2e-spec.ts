import { beforeAll, describe, expect, it } from '@jest/globals';
import { confirmedBooking, type Page, problem, staffWith } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { draft as draftInvoice } from '../finance/invoices/invoicing.js';
import { contractIn } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newNote } from './notes.js';

interface Timeline extends Page<{ kind: string; id: string; title: string; createdAt: string }> {
  withheld: { kind: string }[];
}

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

async function timeline(customerId: string, query = '', client = owner): Promise<Timeline> {
  const { status, body } = await client.get<Timeline>(`${CUSTOMERS}/${customerId}/timeline${query}`);
  expect(status).toBe(200);
  return body;
}

describe('the timeline of a customer', () => {
  it('it shows bookings, invoices and notes of the customer, newest first, and not those of others', async () => {
    const [customer, other] = [await newCustomer(app), await newCustomer(app)];
    const { booking } = await confirmedBooking(owner, { booking: { customerId: customer.id } });
    await confirmedBooking(owner, { booking: { customerId: other.id } });
    const invoice = await draftInvoice(owner, { bookingId: booking.id });
    const note = await newNote(owner, { subjectType: 'customer', subjectId: customer.id }, { text: 'n'.repeat(300) });
    await newNote(owner, { subjectType: 'booking', subjectId: booking.id });

    const { data, total, withheld } = await timeline(customer.id);

    expect(data).toMatchObject([
      { kind: 'note', id: note.id, title: 'n'.repeat(200), status: null, bookingId: null, totalCents: null },
      { kind: 'invoice', id: invoice.id, status: 'draft', bookingId: booking.id, totalCents: 10_000, currency: 'EUR' },
      { kind: 'booking', id: booking.id, title: booking.number, status: 'confirmed', totalCents: 10_000 },
    ]);
    expect(data[0]?.createdAt).toBe(note['createdAt']);
    expect([total, withheld]).toEqual([3, []]);
    expect((await timeline(customer.id, '?kind=note,invoice')).data.map(({ kind }) => kind)).toEqual([
      'note',
      'invoice',
    ]);
  });

  it('a mail about a contract of a booking is in the timeline of its customer', async () => {
    const customer = await newCustomer(app);
    const { booking } = await confirmedBooking(owner, { booking: { customerId: customer.id } });
    await contractIn(app, 'sent', { bookingId: booking.id });
    const { data, total } = await timeline(customer.id, '?kind=message');
    expect(data).toMatchObject([{ kind: 'message', bookingId: booking.id, totalCents: null, currency: null }]);
    expect(total).toBe(1);
  });

  it('messages that staff wrote are in the timeline and on the page of the booking, also those of a merged duplicate', async () => {
    const [customer, duplicate] = [await newCustomer(app), await newCustomer(app)];
    const { booking } = await confirmedBooking(owner, { booking: { customerId: customer.id } });
    const text = { subject: 'Your question', text: 'There is a lift.', recipientEmail: 'guest@example.com' };
    await owner.patch(`/v1/admin/bookings/${booking.id}`, { customerEmail: text.recipientEmail });
    const emails = [{ address: text.recipientEmail }];
    for (const { id } of [customer, duplicate]) await owner.patch(`${CUSTOMERS}/${id}`, { emails });
    const sent: string[] = [];
    for (const about of [{ bookingId: booking.id }, { customerId: customer.id }, { customerId: duplicate.id }]) {
      const answer = await owner.post<{ data: { id: string } }>('/v1/admin/notifications/messages', {
        ...text,
        ...about,
      });
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
      sent.unshift(answer.body.data.id);
    }
    expect((await owner.post(`${CUSTOMERS}/${customer.id}/merges`, { duplicateIds: [duplicate.id] })).status).toBe(200);
    const { data, total } = await timeline(customer.id, '?kind=message');
    expect([data.map(({ id }) => id), total]).toEqual([sent, 3]);
    const page = await owner.get<{ data: { messages: { id: string }[] } }>(`/v1/admin/desk/bookings/${booking.id}`);
    expect(page.body.data.messages.map(({ id }) => id)).toEqual(sent.slice(2));
  });

  it('pages repeat no entry and leave none out', async () => {
    const customer = await newCustomer(app);
    const { booking } = await confirmedBooking(owner, { booking: { customerId: customer.id } });
    const ids = [booking.id];
    for (const text of ['1', '2', '3', '4', '5']) {
      ids.unshift((await newNote(owner, { subjectType: 'customer', subjectId: customer.id }, { text })).id);
    }
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => timeline(customer.id, `?limit=2&offset=${offset}`)));
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect(pages.map(({ total }) => total)).toEqual([6, 6, 6, 6]);
    const oldest = await timeline(customer.id, '?sort=createdAt&limit=3&offset=1');
    expect(oldest.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(1, 4));
  });

  it('kinds without their scope are left out and named', async () => {
    const customer = await newCustomer(app);
    await newNote(owner, { subjectType: 'customer', subjectId: customer.id });
    await confirmedBooking(owner, { booking: { customerId: customer.id } });
    const reader = await staffWith(app, 'customers:read', 'bookings:read');
    const { data, total, withheld } = await timeline(customer.id, '', reader);
    expect([data.map(({ kind }) => kind), total]).toEqual([['booking'], 1]);
    expect(withheld.map(({ kind }) => kind)).toEqual(['trip', 'invoice', 'message', 'note']);
    const none = await timeline(customer.id, '?kind=note', reader);
    expect(none).toMatchObject({ data: [], total: 0, withheld: [{ kind: 'note' }] });
    const { status, body } = await (await staffWith(app, 'bookings:read')).get(`${CUSTOMERS}/${customer.id}/timeline`);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'customers:read' })]);
  });

  it('an unknown customer is not found', async () => {
    const { status, body } = await owner.get(`${CUSTOMERS}/cus_01k0dem000e000000000009999/timeline`);
    expect([status, body]).toEqual([404, problem('not_found')]);
  });
});
