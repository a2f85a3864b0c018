import { expect } from '@jest/globals';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import type { Answer } from '../../setup/http.js';
import { make as makeSupplierInvoice, PATH as SUPPLIER_INVOICES } from '../invoices.js';

export const PAYMENTS = '/v1/admin/finance/payments';
export const UNKNOWN = { payment: 'pay_01k0dem000e000000000009999', allocation: 'pall_01k0dem000e000000000009999' };

export interface Allocation {
  id: string;
  scheduleId: string | null;
  invoiceId: string | null;
  supplierInvoiceId: string | null;
  amountCents: number;
  effectiveOn: string;
}

/** The members of a payment that the tests read; the contract tests check the others. */
export interface Payment extends Record<string, unknown> {
  id: string;
  status: string;
  amountCents: number;
  unappliedCents: number;
  warnings: string[];
  version: number;
  allocations: Allocation[];
}

export interface Envelope {
  data: Payment;
}

/** The body of a payment sent for a supplier invoice. */
export function out(supplierInvoiceId: string, amountCents: number, over: Record<string, unknown> = {}) {
  return {
    direction: 'out',
    supplierInvoiceId,
    method: 'bank_transfer',
    currency: 'EUR',
    amountCents,
    paidOn: '2026-01-15',
    ...over,
  };
}

/** Records a payment and expects success. */
export async function recorded(client: TestClient, body: object): Promise<Payment> {
  const answer = await client.post<Envelope>(PAYMENTS, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

export async function read(client: TestClient, id: string): Promise<Payment> {
  return (await client.get<Envelope>(`${PAYMENTS}/${id}`)).body.data;
}

/**
 * Repeats a call while the service is busy, as a client does: on a loaded machine the lock of a booking can take longer
 * than a request may wait. A 503 has written nothing.
 */
export async function retryWhileBusy<Given extends { status: number }>(call: () => Promise<Given>): Promise<Given> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503 && answer.status !== 429) return answer;
  }
}

export function reverse(client: TestClient, id: string): Promise<Answer<Envelope>> {
  return client.post<Envelope>(`${PAYMENTS}/${id}/reversal`, { reason: 'The bank returned it' });
}

/** An approved supplier invoice with this total; in a foreign currency it states a rate. */
export async function approved(client: TestClient, totalCents: number, over: Record<string, unknown> = {}) {
  const { currency = 'EUR' } = over;
  const rate = currency === 'EUR' ? {} : { baseCurrency: 'EUR', exchangeRate: '0.4637' };
  return makeSupplierInvoice(client, { totalCents, status: 'approved', issueDate: '2026-01-02', ...rate, ...over });
}

export interface Settled {
  status: string;
  paidCents: number;
  version: number;
}

/** The status and paid amount of a supplier invoice. */
export async function settledOf(client: TestClient, id: string): Promise<Settled> {
  const { data } = (await client.get<{ data: Settled }>(`${SUPPLIER_INVOICES}/${id}`)).body;
  return { status: data.status, paidCents: data.paidCents, version: data.version };
}

/** The ledger entries of a payment, oldest first. */
export async function entriesOf(app: TestApp, id: string): Promise<Record<string, unknown>[]> {
  return app.sql(
    `select action, reason, before, after from action_ledger_entries
     join ledger_payloads on entry_id = id where subject_type = 'payment' and subject_id = $1 order by sequence`,
    [id],
  );
}

interface Wanted {
  of: readonly [fact: string, id: string];
  count: number;
}

/** Events whose data contains this id, as soon as there are `count`; oldest first. */
export async function eventsOf(app: TestApp, channel: string, { of: [name, id], count }: Wanted) {
  for (;;) {
    const { body } = await app
      .as('platform')
      .get<{ event: string; data: Record<string, unknown> }[]>(`/realtime/v1/channels/${channel}/messages?limit=1000`);
    const events = body.filter(({ data }) => data[name] === id);
    if (events.length >= count) return events.map(({ event, data }) => ({ event, data }));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the audit snapshot of a payment: all members of the response that are not computed. */
export function stored({ warnings: _computed, ...columns }: Payment): Omit<Payment, 'warnings'> {
  return columns;
}
