/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { collect } from './collecting.js';
import { change, outline, planned, repriced, type Schedule } from './plans.js';

const INVOICES = '/v1/admin/finance/invoices';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

/** Makes a draft invoice of this installment and returns its id. */
async function draft({ bookingId, id }: Schedule): Promise<string> {
  const made = await owner.post<{ data: { id: string } }>(INVOICES, { bookingId, scheduleId: id });
  expect(made.status).toBe(201);
  return made.body.data.id;
}

/** Issues an invoice of this installment and returns its id. */
async function invoice(schedule: Schedule): Promise<string> {
  const id = await draft(schedule);
  await issue(id);
  return id;
}

async function issue(invoiceId: string): Promise<void> {
  expect((await owner.post(`${INVOICES}/${invoiceId}/issuance`)).status).toBe(200);
}

describe('an invoiced installment', () => {
  it.each([{ amountCents: 1 }, { amountCents: 30_001 }, { status: 'cancelled' }])(
    'an installment on an active invoice keeps its amount: %j is 409 schedule_invoiced',
    async (body) => {
      const [bookingId, first] = await planned(owner);
      await invoice(first);
      const { status, body: answer } = await change(owner, first, body);
      expect(status).toBe(409);
      expect(answer).toEqual(problem('schedule_invoiced'));
      expect(await outline(owner, bookingId)).toEqual(['30000 pending', '30000 pending', '40000 pending']);
    },
  );

  it('an installment on an active invoice still accepts a label, a due date and its payment', async () => {
    const [, first] = await planned(owner);
    await invoice(first);
    const { amountCents } = first;
    expect((await change(owner, first, { label: 'x', dueDate: '2027-01-01', amountCents })).status).toBe(200);
    expect((await change(owner, first, { status: 'paid' })).body.data.status).toBe('paid');
  });

  it('an installment on an active invoice does not balance changes of other installments', async () => {
    const [bookingId, first, second, third] = await planned(owner);
    await invoice(third);
    await change(owner, first, { amountCents: 40_000 });
    expect(await outline(owner, bookingId)).toEqual(['40000 pending', '20000 pending', '40000 pending']);
    await change(owner, first, { amountCents: 10_000 });
    expect(await outline(owner, bookingId)).toEqual(['10000 pending', '50000 pending', '40000 pending']);
    const { status } = await change(owner, second, { amountCents: 60_001 });
    expect(status).toBe(422);
  });

  it('an installment can be changed again after its invoice is void', async () => {
    const [, first] = await planned(owner);
    const id = await invoice(first);
    expect((await owner.post(`${INVOICES}/${id}/voiding`, { reason: 'Wrong payer' })).status).toBe(200);
    expect((await change(owner, first, { amountCents: 1 })).status).toBe(200);
  });

  it('an installment on a draft invoice changes freely: drafts reserve nothing', async () => {
    const [, first] = await planned(owner);
    await draft(first);
    expect((await change(owner, first, { amountCents: 1 })).status).toBe(200);
  });

  it('a lower total shrinks open installments that are not billed first, then billed ones', async () => {
    const [bookingId, , , third] = await planned(owner);
    await invoice(third);
    expect((await repriced(app, bookingId, 55_000)).status).toBe(200);
    expect(await outline(owner, bookingId)).toEqual(['15000 pending', '30000 cancelled', '40000 pending']);
    expect((await repriced(app, bookingId, 39_999)).status).toBe(200);
    expect(await outline(owner, bookingId)).toEqual(['15000 cancelled', '30000 cancelled', '39999 pending']);
  });
});

describe('a collection by bank transfer', () => {
  it('a collection by bank transfer requests the payment as soon as an invoice exists for what is due', async () => {
    const [bookingId, first, second] = await planned(owner);
    const action = async (body: object = {}) =>
      (await collect(owner, bookingId, { method: 'bank_transfer', ...body }))['recommendedAction'];
    expect(await action()).toBe('issue_invoice');
    const id = await draft(first);
    expect(await action()).toBe('issue_invoice');
    await issue(id);
    expect(await action()).toBe('request_payment');
    expect(await action({ scheduleId: second.id })).toBe('issue_invoice');
    expect(await action({ amountCents: 30_001 })).toBe('issue_invoice');
    expect(await action({ amountCents: 30_000 })).toBe('request_payment');
  });
});
