/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem, staffWith } from '../invoices.js';
import { makeSeries } from '../number-series/series.js';
import { draft, type Invoice, issue, pay, PATH, read, sell, takeBack, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
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

  it('voiding an invoice with payments is rejected with 409 invoice_has_payments', async () => {
    const series = await makeSeries(owner);
    const { id } = await issued(series.id);
    const first = await pay(app, id, 400);
    const { status, body } = await voiding(owner, id);
    expect([status, body]).toEqual([409, problem('invoice_has_payments', { paidCents: 400 })]);
    const second = await pay(app, id, 600);
    expect((await voiding(owner, id)).body).toEqual(problem('invoice_has_payments', { paidCents: 1_000 }));
    for (const payment of [first, second]) await takeBack(owner, payment);
    expect((await voiding(owner, id)).status).toBe(200);
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
