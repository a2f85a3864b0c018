import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import type { Answer } from '../../setup/http.js';
import { PATH as SUPPLIER_INVOICES, problem } from '../invoices.js';
import { approved, type Envelope, retryWhileBusy, out, PAYMENTS, recorded, reverse, settledOf } from './payments.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const together = <Body>(count: number, call: (index: number) => Promise<Answer<Body>>) =>
  Promise.all(Array.from({ length: count }, (_, index) => retryWhileBusy(() => call(index))));

describe('concurrent payments for supplier invoices', () => {
  it('two concurrent payments of 60 % of a supplier invoice record one and reject the other', async () => {
    const { id } = await approved(owner, 1000);
    const answers = await together(2, () => owner.post(PAYMENTS, out(id, 600)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422]);
    const rejected = answers.find(({ status }) => status === 422);
    expect(rejected?.body).toEqual(
      problem('over_allocated', { available: 600, outstanding: 400, field: 'allocations' }),
    );
    expect(await settledOf(owner, id)).toMatchObject({ status: 'approved', paidCents: 600 });
  });

  it('thirty concurrent payments of a twentieth pay the supplier invoice exactly', async () => {
    const { id } = await approved(owner, 1000);
    const answers = await together(30, () => owner.post<Envelope>(PAYMENTS, out(id, 50)));
    const recordedOnes = answers.filter(({ status }) => status === 201);
    expect(recordedOnes).toHaveLength(20);
    // Later payments find the invoice paid.
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
    expect(await settledOf(owner, id)).toMatchObject({ status: 'paid', paidCents: 1000 });
  });

  it('concurrent reversals of a supplier payment are one 200, the others 409', async () => {
    const { id: supplierInvoiceId } = await approved(owner, 1000);
    const { id } = await recorded(owner, out(supplierInvoiceId, 1000));
    const answers = await together(8, () => reverse(owner, id));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    expect(await settledOf(owner, supplierInvoiceId)).toMatchObject({ status: 'approved', paidCents: 0, version: 3 });
  });

  it('a concurrent reversal and deallocation release the money once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id: supplierInvoiceId } = await approved(owner, 1000);
      const { id, allocations } = await recorded(owner, out(supplierInvoiceId, 700));
      const path = `${PAYMENTS}/${id}/allocations/${allocations[0]?.id}`;
      await Promise.all([reverse(owner, id), owner.delete(path), reverse(owner, id), owner.delete(path)]);
      expect(await settledOf(owner, supplierInvoiceId)).toMatchObject({ status: 'approved', paidCents: 0 });
    }
  });

  it('concurrent requests with the same Idempotency-Key record one supplier payment', async () => {
    const { id } = await approved(owner, 1000);
    const headers = { 'Idempotency-Key': `pay-once-${id}` };
    const send = () => owner.post<Envelope>(PAYMENTS, out(id, 100), { headers });
    const answers = await together(6, send);
    const again = await send();
    expect(again.status).toBe(201);
    for (const { status, body } of answers) if (status === 201) expect(body).toEqual(again.body);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(await settledOf(owner, id)).toMatchObject({ paidCents: 100 });
  });

  it('concurrent payment and voiding never leave a paid void invoice', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await approved(owner, 1000);
      const voiding = () => owner.post(`${SUPPLIER_INVOICES}/${id}/voiding`, { reason: 'Not ours' });
      const [paid, voided] = await Promise.all([owner.post(PAYMENTS, out(id, 100)), voiding()]);
      expect([paid.status, voided.status].sort()).toEqual(paid.status === 201 ? [201, 409] : [200, 409]);
    }
  });
});
