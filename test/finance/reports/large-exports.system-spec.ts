import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import { problem } from '../invoices.js';
import { approved } from '../payments/payments.js';
import { tokenOf } from '../../setup/credentials.js';
import { readReport, REPORTS } from './reporting.js';

const ROWS = 100_000;
const PATH = `${REPORTS}/vat/documents?side=input&from=2026-01-01&to=2026-01-31&format=csv`;
const SMALL = `${REPORTS}/vat/documents?side=input&from=2026-02-01&to=2026-02-28&format=csv`;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', DATABASE_POOL_SIZE: '16' } });
  // More bytes than the buffers of a connection take, so that a client which does not read stops its export.
  const supplierName = 'ü'.repeat(250);
  const bill = await approved(app.as('owner'), 119_00, { currency: 'HUF', issueDate: '2026-01-02', supplierName });
  await copies(bill.id, ROWS - 1);
});

/** Inserts copies of a supplier invoice without the service. */
async function copies(billId: string, count: number): Promise<void> {
  await app.sql('alter table supplier_invoices disable trigger user');
  await app.sql(
    `insert into supplier_invoices
     select copy.* from supplier_invoices bill, generate_series(1, $2::integer) number,
       jsonb_populate_record(bill, jsonb_build_object(
         'id', 'sinv_' || lpad(($2::bigint * 1000000 + number)::text, 26, '0'), 'invoice_number', 'COPY-' || $2 || '-' || number,
         'number_key', 'copy-' || $2 || '-' || number)) copy
     where bill.id = $1`,
    [billId, count],
  );
  await app.sql('alter table supplier_invoices enable trigger user');
}

/** A client that reads the header of the response and then nothing. */
async function stalled(): Promise<{ outgoing: ClientRequest; response: IncomingMessage }> {
  const headers = { authorization: `Bearer ${tokenOf(app.credentials, 'owner')}` };
  const { hostname: host, port } = new URL(app.url);
  const outgoing = request({ host, port, path: PATH, headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { outgoing, response };
}

/**
 * Repeats the request until a connection for exports is free: a connection becomes free a moment after the response of its
 * export.
 */
async function stalledWhenFree(): ReturnType<typeof stalled> {
  for (;;) {
    const one = await stalled();
    if (one.response.statusCode === 200) return one;
    one.outgoing.destroy();
    await pause(100);
  }
}

/** An export is rejected if other exports occupy the caller's connections for reports for too long. */
async function untilExported(): Promise<void> {
  for (;;) {
    const { status } = await app.as('owner').get(SMALL);
    if (status === 200) return;
    expect(status).toBe(429);
    await pause(100);
  }
}

describe('exports of large reports', () => {
  it('a report of 100,000 rows is sent completely, and its sums are those of the JSON', async () => {
    const { status, text: file } = await app.as('owner').get(PATH);
    const lines = file.split('\r\n');
    expect([status, lines.length]).toEqual([200, ROWS + 2]);
    const column = (lines[0] ?? '').split(',').indexOf('grossCents');
    const sum = lines.slice(1, -1).reduce((cents, line) => cents + Number(line.split(',')[column]), 0);
    const { totals } = await readReport(app, PATH.slice(REPORTS.length + 1).replace('format=csv', 'limit=1'));
    expect(totals).toMatchObject([{ count: ROWS, grossCents: sum }]);
  });

  it('exports use up a part of the pool only, and a client that disconnects or does not read loses its export', async () => {
    const [first, second] = [await stalledWhenFree(), await stalledWhenFree()];
    const third = app.as('owner').get(SMALL);
    expect((await app.as('owner').get('/v1/admin/finance/supplier-invoices?limit=1')).status).toBe(200);

    // The third one has waited for its turn.
    first.outgoing.destroy();
    expect((await third).status).toBe(200);
    const fourth = await stalledWhenFree();
    // Neither client has read anything for some seconds.
    await untilExported();
    await expect(text(second.response).then(({ length }) => length)).rejects.toThrow('aborted');
    fourth.outgoing.destroy();
  });

  it('one row more is rejected with 422 report_too_large, and the service goes on', async () => {
    const [bill] = await app.sql<{ id: string }>('select id from supplier_invoices order by created_at desc limit 1');
    await copies(bill?.id ?? '', 1);
    const { status, body } = await app.as('owner').get(PATH);
    expect([status, body]).toEqual([422, problem('report_too_large', { field: 'format', maxRows: ROWS })]);
    expect((await app.as('owner').get(`${REPORTS}/vat?format=csv`)).status).toBe(200);
  });
});
