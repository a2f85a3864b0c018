import { requestRendition, fetchFile, linkOf } from '../finance/renditions/rendering.js';
import { closeStreams, rawStream } from '../realtime/following.js';
import { EVENTS, subscriptionToken, ticketPath, TICKETS } from '../realtime/subscriptions.js';
import type { TestApp } from '../setup/app.js';
import { tokenOf } from '../setup/credentials.js';

const CHANNEL = 'demo.news';
const DEPARTURE = '/v1/admin/operations/departures';
const DEMO_DEPARTURE = 'dep_01k0dem000e000000000000009';
const BOOKING = '/v1/admin/bookings/{bookingId}';
const DEMO_BOOKING = '/v1/admin/bookings/book_01k0dem000e000000000000006';
const DEMO_EXPORT = '/v1/admin/customers/cus_01k0dem000e000000000000001/data-exports/cexp_01k0dem000e000000000000001';
const INVOICE = 'inv_01k0dem000e000000000000001';

/**
 * Reads the beginning of responses that are not JSON, or that the client of the tests does not read completely, by operation
 * and type.
 */
export async function textExamples(app: TestApp): Promise<Record<string, string>> {
  const file = 'GET /v1/files/{token}';
  return {
    [`${file} application/pdf`]: await beginningOf(app, { format: 'pdf', lines: 1 }),
    [`${file} text/html`]: await beginningOf(app, { format: 'html', lines: 2 }),
    [`${file} application/octet-stream`]: await beginningOfExport(app),
    'GET /realtime/v1/channels/{channel}/events text/event-stream': await firstMessage(app),
    ...(await streamExamples(app)),
    ...(await reportExamples(app)),
    [`GET ${DEPARTURE}/{id}/manifest application/pdf`]: await pdfExample(
      app,
      `${DEPARTURE}/${DEMO_DEPARTURE}/manifest?format=pdf`,
    ),
    [`GET ${DEPARTURE}/{id}/manifest text/csv`]: await tableExample(app, `${DEPARTURE}/${DEMO_DEPARTURE}/manifest`),
    [`GET ${BOOKING}/voucher-document application/pdf`]: await pdfExample(app, `${DEMO_BOOKING}/voucher-document`),
    [`GET ${BOOKING}/vouchers/{voucherId}/document application/pdf`]: await pdfExample(
      app,
      `${DEMO_BOOKING}/vouchers/vchr_01k0dem000e000000000000001/document`,
    ),
    'GET /v1/admin/document-templates/{id}/preview application/pdf': await pdfExample(
      app,
      '/v1/admin/document-templates/dtpl_01k0dem000e000000000000001/preview',
    ),
    [`GET ${DEPARTURE}/{id}/rooming-list application/pdf`]: await pdfExample(
      app,
      `${DEPARTURE}/${DEMO_DEPARTURE}/rooming-list?format=pdf`,
    ),
    [`GET ${DEPARTURE}/{id}/rooming-list text/csv`]: await tableExample(
      app,
      `${DEPARTURE}/${DEMO_DEPARTURE}/rooming-list`,
    ),
  };
}

const REPORTS = [
  ...['receivables', 'receivables/entries', 'payables', 'payables/entries', 'open-installments', 'unapplied-money'],
  'unbilled-receipts',
  'customer-statement?customer=katherine@example.com',
  'commissions',
  ...['vat', 'vat/documents', 'revenue', 'margin', 'payment-journal', 'invoice-journal', 'numbering'],
];

/** The header and the first row of each report as CSV. */
async function reportExamples(app: TestApp): Promise<Record<string, string>> {
  const examples: Record<string, string> = {};
  for (const report of REPORTS) {
    const [path = '', query = ''] = `/v1/admin/finance/reports/${report}`.split('?');
    examples[`GET ${path} text/csv`] = await tableExample(app, path, query);
  }
  return examples;
}

async function tableExample(app: TestApp, path: string, query = ''): Promise<string> {
  const { text } = await app.as('owner').get(`${path}?format=csv&${query}`);
  return `${text.split('\r\n', 2).join('\r\n')}\r\n`;
}

/** The first line of a file in PDF. */
async function pdfExample(app: TestApp, path: string): Promise<string> {
  const authorization = `Bearer ${tokenOf(app.credentials, 'owner')}`;
  const { bytes } = await fetchFile(`${app.url}${path}`, { authorization });
  return `${bytes.toString('latin1').split('\n', 1).join('')}\n`;
}

async function beginningOf(app: TestApp, { format, lines }: { format: string; lines: number }): Promise<string> {
  const owner = app.as('owner');
  const { id } = await requestRendition(owner, INVOICE, { format });
  const { bytes } = await fetchFile(app.url + (await linkOf(owner, id)));
  return `${bytes.toString('latin1').split('\n').slice(0, lines).join('\n')}\n`;
}

/** The first lines of an export, without its time. */
async function beginningOfExport(app: TestApp): Promise<string> {
  const { headers } = await app.as('owner').get(`${DEMO_EXPORT}/download`);
  const { bytes } = await fetchFile(`${app.url}${headers['location'] ?? ''}`);
  return `${bytes.toString('utf8').split('\n').slice(0, 3).join('\n')}\n`;
}

/** The beginning of a stream of several channels: the position, whose numbers depend on the time, is replaced. */
async function streamExamples(app: TestApp): Promise<Record<string, string>> {
  const token = await subscriptionToken(app);
  const [ofToken, ofTicket] = [
    await rawStream({ url: app.url, path: EVENTS, token }),
    await rawStream({ url: app.url, path: await ticketPath(app, token) }),
  ];
  const beginning = async ({ response }: typeof ofToken) => {
    let received = '';
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.toString();
      if (received.includes('event: position\ndata: {}\n\n')) break;
    }
    return received.replace(/^id: .*$/m, 'id: 2f8a61d0.m3k5x9q1');
  };
  return {
    [`GET ${EVENTS} text/event-stream`]: await beginning(ofToken),
    [`GET ${TICKETS}/{ticket}/events text/event-stream`]: await beginning(ofTicket),
  };
}

/** Reads a stream after the first message of the demo channel, up to the second message. */
async function firstMessage(app: TestApp): Promise<string> {
  const token = app.credentials.platformKey;
  const path = `/realtime/v1/channels/${CHANNEL}/messages?limit=100`;
  const [first] = (await app.with(token).get<{ id: string }[]>(path)).body;
  const { response } = await rawStream({ url: app.url, token, channel: CHANNEL, sinceId: first?.id ?? '' });
  let received = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received += chunk.toString();
    const end = received.indexOf('\n\n', received.indexOf('event: message'));
    if (!received.includes('event: message') || end < 0) continue;
    closeStreams();
    return received.slice(0, end + 2);
  }
  throw new Error(`The stream ended with: ${received}`);
}
