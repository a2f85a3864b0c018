import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { issuedNote } from '../credit-notes/crediting.js';
import { draft, issue, pay, sell, voiding } from '../invoices/invoicing.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { makeSeries, PATH } from './series.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const day = (offset: number) => app.day(offset);

/** Returns the id of an invoice for 1000 issued with this series. */
async function issued(seriesId: string, issueDate?: string): Promise<string> {
  const { id: bookingId } = await sell(app, { plan: [100_000] });
  const { id } = await draft(owner, { bookingId, lines: [{ description: 'Tour', unitPriceCents: 1_000 }] });
  const { status, text } = await issue(owner, id, { seriesId, ...(issueDate ? { issueDate } : {}) });
  expect([status, text]).toEqual([200, text]);
  return id;
}

const release = (seriesId: string, invoiceId: string) =>
  owner.post(`${PATH}/${seriesId}/date-releases`, { invoiceId, reason: 'Issued with a wrong date' });

interface Entry extends Record<string, unknown> {
  sequence: number;
  anomaly: string | null;
}

async function report(seriesId: string, query = ''): Promise<{ data: Entry[]; total: number }> {
  const { status, text, body } = await owner.get<{ data: Entry[]; total: number }>(
    `${PATH}/${seriesId}/sequence-report${query}`,
  );
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** Inserts an invoice with a future date, as earlier builds could issue. */
async function issuedAhead(seriesId: string): Promise<string> {
  app.travel({ days: 20 });
  const id = await issued(seriesId);
  app.travel({ days: -20 });
  return id;
}

describe('POST /v1/admin/finance/invoice-number-series/{id}/date-releases', () => {
  it('a void document with a wrong date blocks today until its date is released', async () => {
    const { id } = await makeSeries(owner);
    await issued(id);
    const wrong = await issuedAhead(id);
    const open = await release(id, wrong);
    expect([open.status, open.body]).toEqual([
      409,
      problem('document_still_open', { invoiceId: wrong, status: 'issued' }),
    ]);
    expect((await voiding(owner, wrong)).status).toBe(200);
    const { id: bookingId } = await sell(app);
    const blocked = await draft(owner, { bookingId });
    const details = { lastIssueDate: day(20) };
    const rejected = await issue(owner, blocked.id, { seriesId: id });
    expect([rejected.status, rejected.body]).toEqual([409, problem('issue_date_out_of_sequence', details)]);

    expect((await release(id, wrong)).status).toBe(200);

    expect((await issue(owner, blocked.id, { seriesId: id })).body.data).toMatchObject({ issueDate: day(0) });
    const again = await release(id, wrong);
    expect([again.status, again.body]).toEqual([409, problem('date_already_released')]);
    const { data } = await report(id);
    expect(data).toMatchObject([
      { sequence: 1, issueDate: day(0), releasedAt: null, anomaly: null },
      { sequence: 2, documentId: wrong, status: 'void', reason: 'Issued with a wrong date', anomaly: null },
      { sequence: 3, documentId: blocked.id, anomaly: null },
    ]);
  });

  it('the date of an invoice that was credited in full can be released, and the last date is that of the others', async () => {
    const { id } = await makeSeries(owner);
    await issued(id, day(-5));
    const wrong = await issuedAhead(id);
    await pay(app, wrong, 1_000);
    await makeSeries(owner, { documentType: 'credit_note', isDefault: true });
    await issuedNote(owner, { id: wrong });
    expect((await release(id, wrong)).status).toBe(200);
    await issued(id, day(-5));
    const { id: bookingId } = await sell(app);
    const { id: early } = await draft(owner, { bookingId });
    const rejected = await issue(owner, early, { seriesId: id, issueDate: day(-6) });
    expect(rejected.body).toEqual(problem('issue_date_out_of_sequence', { lastIssueDate: day(-5) }));
  });

  it('the only document of a series can be released, and any date follows', async () => {
    const { id } = await makeSeries(owner);
    const wrong = await issuedAhead(id);
    await voiding(owner, wrong);
    expect((await release(id, wrong)).status).toBe(200);
    await issued(id, day(-3));
    const { data } = await report(id);
    expect(data.map(({ sequence }) => sequence)).toEqual([1, 2]);
  });

  it('documents of other series are 404, and the release needs finance:numbering', async () => {
    const [{ id }, other] = [await makeSeries(owner), await makeSeries(owner)];
    const invoiceId = await issued(other.id);
    await voiding(owner, invoiceId);
    const { status, body } = await release(id, invoiceId);
    expect([status, body]).toEqual([404, problem('not_found', { field: 'invoiceId' })]);
    const finance = await staffWith(app, 'finance:*');
    expect((await finance.post(`${PATH}/${other.id}/date-releases`, { invoiceId, reason: 'x' })).status).toBe(403);
  });

  it('the database rejects an earlier last date that no release explains', async () => {
    const { id } = await makeSeries(owner);
    await issued(id);
    const written = app.sql(
      'update invoice_number_counters set last_issue_date = last_issue_date - 1 where series_id = $1',
      [id],
    );
    await expect(written).rejects.toMatchObject({ constraint: 'invoice_number_counters_forward' });
  });
});

describe('skipped numbers', () => {
  it('a move of nextNumber by more than 1 needs a reason, and the gap is listed with it', async () => {
    const { id } = await makeSeries(owner);
    await issued(id);
    const silent = await owner.patch(`${PATH}/${id}`, { nextNumber: 5 });
    expect([silent.status, silent.body]).toEqual([400, invalid('reason', 'reason_required')]);
    const moved = await owner.patch(`${PATH}/${id}`, { nextNumber: 5, reason: 'Used on paper' });
    expect(moved.status).toBe(200);
    await issued(id);
    expect(await report(id)).toMatchObject({
      total: 3,
      data: [
        { sequence: 1, lastSequence: 1, anomaly: null },
        { sequence: 2, lastSequence: 4, documentId: null, reason: 'Used on paper', anomaly: 'gap' },
        { sequence: 5, lastSequence: 5, anomaly: null },
      ],
    });
    expect(await report(id, '?anomalous=true')).toMatchObject({ total: 1, data: [{ sequence: 2, anomaly: 'gap' }] });
    const entries = await app.sql(
      `select action from action_ledger_entries where subject_id = $1 and action like '%record_gap'`,
      [id],
    );
    expect(entries).toHaveLength(1);
  });

  it('a series that starts at a later number lists the numbers before it', async () => {
    const { id } = await makeSeries(owner, { nextNumber: 41 });
    await issued(id);
    expect((await report(id)).data).toMatchObject([
      { sequence: 1, lastSequence: 40, anomaly: 'gap' },
      { sequence: 41, anomaly: null },
    ]);
  });

  it('a number that neither a document nor a gap explains is a missing document, and an earlier date is out of order', async () => {
    const { id } = await makeSeries(owner);
    await issued(id, day(-1));
    await issued(id, day(-1));
    await app.sql('update invoice_number_counters set next_number = 5, given = 4 where series_id = $1', [id]);
    expect((await report(id)).data).toMatchObject([
      { sequence: 1 },
      { sequence: 2 },
      { sequence: 3, lastSequence: 4, anomaly: 'missing_document' },
    ]);
    expect((await report(id, '?periodKey=2020')).total).toBe(0);
  });
});

describe('the series of a new installation', () => {
  it('there is a default series for invoices and one for credit notes, with the year in the number', async () => {
    const found = await app.sql<{ document_type: string; pattern: string; prefix: string; reset_period: string }>(
      `select document_type, prefix, pattern, reset_period from invoice_number_series
       where prefix in ('INV-', 'CN-') order by 1 desc`,
    );
    const yearly = { pattern: '{prefix}{YYYY}-{SEQ:4}', reset_period: 'yearly' };
    expect(found).toEqual([
      { document_type: 'invoice', prefix: 'INV-', ...yearly },
      { document_type: 'credit_note', prefix: 'CN-', ...yearly },
    ]);
  });
});
