import { expect } from '@jest/globals';
import type { TestClient } from '../../setup/client.js';
import type { Payment } from './payments.js';

export const INVOICES = '/v1/admin/finance/invoices';

export const TWO = [
  ['2026-03-01', 30_000],
  ['2026-05-02', 70_000],
] as const;

export interface Invoice extends Record<string, unknown> {
  id: string;
  status: string;
  paidCents: number;
  version: number;
}

/** Creates and reads invoices as a member of staff. */
export function invoicing(client: () => TestClient) {
  return { draft, issued, balanceOf };

  async function draft(bookingId: string, over: object = {}): Promise<Invoice> {
    const { status, body, text } = await client().post<{ data: Invoice }>(INVOICES, { bookingId, ...over });
    expect([status, text]).toEqual([201, text]);
    return body.data;
  }

  async function issued(bookingId: string, over: object = {}): Promise<Invoice> {
    const { id } = await draft(bookingId, over);
    const { status, body, text } = await client().post<{ data: Invoice }>(`${INVOICES}/${id}/issuance`, {});
    expect([status, text]).toEqual([200, text]);
    return body.data;
  }

  async function balanceOf(id: string): Promise<Pick<Invoice, 'status' | 'paidCents'>> {
    const { data } = (await client().get<{ data: Invoice }>(`${INVOICES}/${id}`)).body;
    return { status: data.status, paidCents: data.paidCents };
  }
}

/** The target of each allocation of a payment: installment, invoice, amount. */
export const views = ({ allocations }: Payment) =>
  allocations.map(({ scheduleId, invoiceId, amountCents }) => [scheduleId, invoiceId, amountCents]);
