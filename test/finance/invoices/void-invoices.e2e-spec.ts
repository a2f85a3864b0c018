/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem, staffWith } from '../invoices.js';
import { makeSeries } from '../number-series/series.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { draft, type Envelope, type Invoice, issue, pay, PATH, read, sell, takeBack, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await useOwnSeries(owner);
});

async function newDraft(): Promise<Invoice> {
  const { id: bookingId } = await sell(app, { plan: [100_000] });
  return draft(owner, { bookingId, lines: [{ description: 'By hand', unitPriceCents: 1_000 }] });
}

async function issued(seriesId: string): Promise<Invoice> {
  return (await issue(owner, (await newDraft()).id, { seriesId })).body.data;
}

describe('POST /v1/admin/finance/invoices/{id}/voiding', () => {
  it('voiding an invoice keeps its number, which is never assigned again', async () => {
    const series = await makeSeries(owner);
    const { id, number } = await issued(series.id);
    const { status, body } = await voiding(owner, id);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      status: 'void',
      number,
      voidReason: 'Made out to the wrong company',
      voidedAt: expect.any(String),
      overdue: false,
      version: 3,
    });
    expect(await read(owner, id)).toEqual(body.data);
    expect((await issued(series.id)).number).toBe(`${series.prefix}0002`);
    const again = await voiding(owner, id);
    expect([again.status, again.body]).toEqual([409, problem('invalid_transition', { from: 'void', to: 'void' })]);
  });

  it('voiding an invoice with payments is rejected with 409 credit_note_required until they are reversed', async () => {
    const series = await makeSeries(owner);
    const { id } = await issued(series.id);
    const payment = await pay(app, id, 400);
    const { status, body } = await voiding(owner, id);
    expect([status, body]).toEqual([409, problem('credit_note_required', { reason: 'paid' })]);
    await takeBack(owner, payment);
    expect((await voiding(owner, id)).status).toBe(200);
  });

  it('an invoice that was sent, credited in part, or issued in a closed month cannot be voided', async () => {
    const series = await makeSeries(owner);
    const [sent, credited, closed] = [await issued(series.id), await issued(series.id), await issued(series.id)];
    const sentOn = sent.issueDate;
    const delivered = await owner.post<Envelope>(`${PATH}/${sent.id}/delivery`, { sentOn });
    expect(delivered.body.data).toMatchObject({ sentOn, sentAt: expect.any(String), status: 'issued' });
    await issuedNote(owner, credited, { lines: [{ linePosition: 1, amountCents: 1 }] });
    const reasons = [];
    for (const { id } of [sent, credited]) reasons.push((await voiding(owner, id)).body);
    expect(reasons).toEqual(['sent', 'credited'].map((reason) => problem('credit_note_required', { reason })));
    const month = closed.issueDate?.slice(0, 7);
    await app.sql(
      `update accounting_periods set status = 'closed', closed_at = now(), closed_by = 'test' where period = $1`,
      [month],
    );
    const late = await voiding(owner, closed.id);
    await app.sql(
      `update accounting_periods set status = 'open', closed_at = null, closed_by = null where period = $1`,
      [month],
    );
    expect([late.status, late.body]).toEqual([409, problem('credit_note_required', { reason: 'month_closed' })]);
  });

  it('a sending is recorded once, for an issued invoice, on a day from the issue to today; its reversal permits voiding', async () => {
    const series = await makeSeries(owner);
    const [open, made] = [await newDraft(), await issued(series.id)];
    const deliver = (id: string, sentOn: string | null) => owner.post<Envelope>(`${PATH}/${id}/delivery`, { sentOn });
    expect((await deliver(open.id, made.issueDate)).body).toEqual(problem('invoice_not_issued'));
    expect((await deliver(made.id, '2020-01-01')).status).toBe(400);
    expect((await deliver(made.id, made.issueDate)).status).toBe(200);
    expect((await deliver(made.id, made.issueDate)).body).toEqual(problem('invoice_sent', { sentOn: made.issueDate }));
    const [entry] = await app.sql<{ id: string }>(
      `select id from action_ledger_entries where subject_id = $1 and action = 'finance.invoice.deliver'`,
      [made.id],
    );
    const reversal = await owner.post(`/v1/admin/action-ledger/entries/${entry?.id}/reversals`, { reason: 'Not sent' });
    expect([reversal.status, reversal.text]).toEqual([201, reversal.text]);
    expect((await voiding(owner, made.id)).status).toBe(200);
  });

  it('voiding an invoice needs finance:void, deleting one finance:delete, issuing one finance:write', async () => {
    const [write, read_] = [await staffWith(app, 'finance:*'), await staffWith(app, 'finance:read')];
    const { id } = await newDraft();
    const answers = [
      await write.post(`${PATH}/${id}/voiding`, { reason: 'x' }),
      await read_.delete(`${PATH}/${id}`),
      await read_.post(`${PATH}/${id}/issuance`),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      ['finance:void', 'finance:delete', 'finance:write'].map((requiredScope) => [
        403,
        problem('forbidden', { requiredScope }),
      ]),
    );
    expect((await read_.get(`${PATH}/${id}`)).status).toBe(200);
  });
});
