import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { DeliveryJobs } from '../../../src/modules/notifications/deliveries/deliveries.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { BOOKINGS, confirmedBooking, makeBooking, type One, problem, staffWith } from '../../bookings/bookings.js';
import { sold } from '../../bookings/vouchers.js';
import { type MailServer, startMailServer } from '../../notifications/mail-server.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { draft, PATH } from '../invoices/invoicing.js';
import { bill } from './rendering.js';

interface Sent {
  id: string;
  kind: string;
  files: { fileName: string; sizeBytes: number }[];
  resendOf: string | null;
}

let server: MailServer;
let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  server = await startMailServer();
  app = await startApp({
    env: {
      ...{ JOBS: 'false', SMTP_URL: server.url, MAIL_FROM: 'Office <office@example.com>' },
      ...{ RATE_LIMIT_FACTOR: '1000' },
    },
  });
  owner = app.as('owner');
});

const work = () => asSystem(() => app.nest.get(DeliveryJobs, { strict: false }).sendDue());
const mailsTo = (recipient: string) => server.mails.filter((mail) => mail.recipient === recipient);
const address = () => `clara-${randomUUID()}@example.com`;
const sendInvoice = (id: string, body: object = {}, client = owner) =>
  client.post<One<Sent>>(`${PATH}/${id}/dispatch`, body);
const sendDocuments = (bookingId: string, body: object) =>
  owner.post<One<Sent>>(`${BOOKINGS}/${bookingId}/dispatch`, body);

async function billed() {
  const invoice = await bill(app);
  const bookingId = String(invoice['bookingId']);
  const recipient = address();
  expect((await owner.patch(`${BOOKINGS}/${bookingId}`, { customerEmail: recipient })).status).toBe(200);
  return { id: invoice.id, number: String(invoice['number']), bookingId, recipient };
}

describe('the dispatch of an invoice', () => {
  it('the invoice is rendered and sent as a PDF, each version once unless it is repeated', async () => {
    const { id, number, recipient } = await billed();
    const sent = await sendInvoice(id);
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      { kind: 'document', status: 'queued', files: [{ attachmentId: null, fileName: `${number}.pdf` }] },
    ]);
    const again = await sendInvoice(id);
    expect([again.status, again.body]).toEqual([409, problem('already_dispatched', { messageId: sent.body.data.id })]);
    const repeated = await sendInvoice(id, { resend: true, subject: 'Your invoice', message: 'Once more.' });
    expect([repeated.status, repeated.body.data.resendOf]).toEqual([201, sent.body.data.id]);
    await work();
    // Both are sent at the same time, so either can arrive first.
    const mails = mailsTo(recipient);
    const [first, second] = [`Invoice ${number}`, 'Your invoice'].map((title) =>
      mails.find(({ subject }) => subject === title),
    );
    expect(mails).toHaveLength(2);
    expect([first?.subject, second?.subject, second?.text?.trim()]).toEqual([
      `Invoice ${number}`,
      'Your invoice',
      'Once more.',
    ]);
    for (const mail of [first, second]) {
      expect(mail?.attachments).toMatchObject([{ filename: `${number}.pdf`, mimeType: 'application/pdf' }]);
      const content = Buffer.from(mail?.attachments[0]?.content as ArrayBuffer);
      expect(content.toString('latin1', 0, 5)).toBe('%PDF-');
    }
  });

  it('of two dispatches at the same time one sends the invoice', async () => {
    const { id, recipient } = await billed();
    await sendInvoice(id);
    const answers = await Promise.all([
      sendInvoice(id, { resend: true, recipientEmail: recipient }),
      sendInvoice(id),
      sendInvoice(id),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 409, 409]);
    const { id: other } = await billed();
    const both = await Promise.all([sendInvoice(other), sendInvoice(other)]);
    // Both may have rendered a version of their own.
    expect(both.map(({ status }) => status)).toContain(201);
  });

  it('a changed invoice is a new version', async () => {
    const { id, bookingId } = await billed();
    const first = await sendInvoice(id);
    const payment = { bookingId, method: 'bank_transfer', currency: 'EUR', amountCents: 500 };
    const paid = await owner.post('/v1/admin/finance/payments', { ...payment, paidOn: app.day() });
    expect(paid.status).toBe(201);
    const second = await sendInvoice(id);
    expect([first.status, second.status]).toEqual([201, 201]);
  });

  it('a draft, an address that is not of the record, and a caller without the scope are rejected', async () => {
    const { id, bookingId } = await billed();
    const foreign = await sendInvoice(id, { recipientEmail: address() });
    expect([foreign.status, foreign.body]).toEqual([
      422,
      problem('recipient_not_on_record', { field: 'recipientEmail' }),
    ]);
    const { id: draftId } = await draft(owner, {
      bookingId,
      payerName: 'A',
      lines: [{ description: 'x', unitPriceCents: 1 }],
    });
    const unissued = await sendInvoice(draftId);
    expect([unissued.status, unissued.body]).toEqual([409, problem('invoice_not_issued')]);
    const without = await sendInvoice(id, {}, await staffWith(app, 'notifications:write'));
    expect([without.status, without.body]).toEqual([
      403,
      problem('forbidden', { requiredScope: 'finance:receivables' }),
    ]);
  });
});

describe('the dispatch of the documents of a booking', () => {
  it('one mail carries the vouchers as they are when it is sent', async () => {
    const recipient = address();
    const { bookingId } = await sold(app, { booking: { customerEmail: recipient } });
    const sent = await sendDocuments(bookingId, { kinds: ['vouchers', 'invoices'] });
    expect([sent.status, sent.body.data.files]).toMatchObject([201, [{ fileName: `vouchers-${bookingId}.pdf` }]]);
    expect((await sendDocuments(bookingId, { kinds: ['vouchers'] })).status).toBe(409);
    await work();
    expect(mailsTo(recipient)).toMatchObject([
      { attachments: [{ filename: `vouchers-${bookingId}.pdf`, mimeType: 'application/pdf' }] },
    ]);
  });

  it('a mail whose vouchers became void before it was sent fails', async () => {
    const recipient = address();
    const { bookingId } = await sold(app, { booking: { customerEmail: recipient } });
    const sent = await sendDocuments(bookingId, { kinds: ['vouchers'] });
    expect((await owner.post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    await work();
    const { body } = await owner.get<One<Sent>>(`/v1/admin/notifications/messages/${sent.body.data.id}`);
    expect([body.data, mailsTo(recipient)]).toMatchObject([{ status: 'failed', reason: 'file_missing' }, []]);
  });

  it('a booking without documents, and one without an address, are rejected', async () => {
    const { id } = await makeBooking(owner, { customerEmail: address() });
    const nothing = await sendDocuments(id, { kinds: ['vouchers', 'invoices'] });
    expect([nothing.status, nothing.body]).toEqual([
      409,
      problem('nothing_to_dispatch', { kinds: ['vouchers', 'invoices'] }),
    ]);
    const { bookingId } = await sold(app);
    const silent = await sendDocuments(bookingId, { kinds: ['vouchers'] });
    expect([silent.status, silent.body]).toEqual([409, problem('no_recipient')]);
    const { booking } = await confirmedBooking(owner);
    expect((await sendDocuments(booking.id, { kinds: [] })).status).toBe(400);
  });
});
