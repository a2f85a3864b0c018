/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { useOwnSeries } from '../credit-notes/crediting.js';
import { problem } from '../invoices.js';
import { draft, type Envelope, issue, PATH, read, sell } from './invoicing.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  await useOwnSeries(owner);
});

const BOOKINGS = '/v1/admin/bookings';

async function addItem(bookingId: string, title: string, taxIncludedCents = 0): Promise<string> {
  const item = { type: 'unit', title, unitSellCents: 11_900, taxIncludedCents };
  const { status, text, body } = await owner.post<{ data: { id: string } }>(`${BOOKINGS}/${bookingId}/items`, item);
  expect([status, text]).toEqual([201, text]);
  return body.data.id;
}

const redraw = (id: string, body: object = {}) => owner.post<Envelope>(`${PATH}/${id}/redrawing`, body);

describe('a stale draft', () => {
  it('a draft over Tour A is stale after Tour B was added, Tour A cancelled and the customer renamed', async () => {
    const { id: bookingId } = await sell(app, { items: [] });
    const first = await addItem(bookingId, 'Tour A', 1_900);
    const { id } = await draft(owner, { bookingId });
    const second = await addItem(bookingId, 'Tour B');
    await owner.post(`${BOOKINGS}/${bookingId}/items/${first}/cancellation`, { reason: 'Closed' });
    await owner.patch(`${BOOKINGS}/${bookingId}`, { customerName: 'Clara Weber-Frei' });
    const reasons = ['item_added', 'item_cancelled', 'payer_changed'];
    expect(await read(owner, id)).toMatchObject({ stale: true, staleReasons: reasons });
    const { status, body } = await issue(owner, id);
    expect([status, body]).toEqual([409, problem('draft_stale', { reasons, itemIds: [first, second].sort() })]);
    expect(await read(owner, id)).toMatchObject({ status: 'draft', number: null });
    const { body: issued } = await issue(owner, id, { onStale: 'redraw' });
    expect(issued.data).toMatchObject({
      status: 'issued',
      stale: false,
      payerName: 'Clara Weber-Frei',
      totalCents: 11_900,
      taxCents: 0,
      lines: [{ description: 'Tour B', bookingItemId: second }],
    });
  });

  it('a draft over an installment does not become stale when the installment is paid', async () => {
    const { id: bookingId, scheduleIds } = await sell(app, { plan: [40_000, 60_000] });
    const { id } = await draft(owner, { bookingId, scheduleId: scheduleIds[0] });
    const money = { bookingId, method: 'cash', currency: 'EUR', amountCents: 40_000, paidOn: '2026-01-31' };
    expect((await owner.post('/v1/admin/finance/payments', money)).status).toBe(201);
    expect(await read(owner, id)).toMatchObject({ stale: false, staleReasons: [] });
    expect((await issue(owner, id)).body.data).toMatchObject({ status: 'paid', paidCents: 40_000 });
  });

  it('a redraw keeps a payer that staff entered, and rejects lines that staff entered unless they are discarded', async () => {
    const { id: bookingId } = await sell(app, { items: [] });
    await addItem(bookingId, 'Tour A');
    const { id } = await draft(owner, { bookingId, payerName: 'Weber AG' });
    await addItem(bookingId, 'Tour B');
    const { body } = await redraw(id);
    expect(body.data).toMatchObject({
      payerName: 'Weber AG',
      totalCents: 23_800,
      stale: false,
      linesSource: 'booking',
    });
    const manual = await draft(owner, { bookingId, lines: [{ description: 'By hand', unitPriceCents: 100 }] });
    expect((await redraw(manual.id)).body).toEqual(problem('lines_are_manual'));
    expect((await redraw(manual.id, { discardLines: true })).body.data).toMatchObject({ totalCents: 23_800 });
  });

  it('of two drafts over the same money the second cannot be issued: 422 invoice_exceeds_booking', async () => {
    const { id: bookingId } = await sell(app, { items: [{ unitSellCents: 1_000 }] });
    const [first, second] = [await draft(owner, { bookingId }), await draft(owner, { bookingId })];
    const answers = await Promise.all([issue(owner, first.id), issue(owner, second.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(answers.find(({ status }) => status === 422)?.body).toMatchObject({ code: 'invoice_exceeds_booking' });
  });

  it('an item that changes while the draft is issued is on the invoice as it was before, or the issue is rejected', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id: bookingId } = await sell(app, { items: [] });
      const itemId = await addItem(bookingId, 'Tour A');
      const { id } = await draft(owner, { bookingId });
      const [issued, changed] = await Promise.all([
        issue(owner, id),
        owner.patch(`${BOOKINGS}/${bookingId}/items/${itemId}`, { unitSellCents: 12_000 }),
      ]);
      expect(changed.status).toBe(200);
      expect([200, 409]).toContain(issued.status);
      if (issued.status === 200) expect(issued.body.data.totalCents).toBe(11_900);
      else expect(issued.body).toMatchObject({ code: 'draft_stale' });
    }
  });

  it('cancelling a booking deletes its drafts', async () => {
    const { id: bookingId } = await sell(app, { items: [] });
    await addItem(bookingId, 'Tour A');
    const { id } = await draft(owner, { bookingId });
    expect((await owner.post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Ill' })).status).toBe(200);
    expect((await owner.get(`${PATH}/${id}`)).status).toBe(404);
  });

  it('a correction credits the invoice in full and drafts it again for another payer', async () => {
    const { id: bookingId } = await sell(app, { items: [] });
    await addItem(bookingId, 'Tour A', 1_900);
    const { id } = await draft(owner, { bookingId });
    await issue(owner, id);
    const { status, text, body } = await owner.post<{ data: Record<string, Record<string, unknown>> }>(
      `${PATH}/${id}/correction`,
      { reasonText: 'Wrong company', payerName: 'Weber AG' },
    );
    expect([status, text]).toEqual([201, text]);
    expect(body.data['creditNote']).toMatchObject({ status: 'issued', totalCents: 11_900, taxCents: 1_900 });
    expect(body.data['invoice']).toMatchObject({ status: 'draft', payerName: 'Weber AG', totalCents: 11_900 });
    expect(await read(owner, id)).toMatchObject({ status: 'credited', balanceCents: 0 });
  });
});
