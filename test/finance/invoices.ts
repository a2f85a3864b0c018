import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { issue } from '../setup/issues.js';
import type { TestClient } from '../setup/client.js';
import type { TestApp } from '../setup/app.js';

export const PATH = '/v1/admin/finance/supplier-invoices';

/** The members of an invoice that the tests read; the contract tests check the others. */
export interface Invoice extends Record<string, unknown> {
  id: string;
  status: string;
  version: number;
  totalCents: number;
  warnings: string[];
  lines: Record<string, unknown>[];
}

export interface Envelope {
  data: Invoice;
}

/** Files that share a database must not use each other's numbers. */
const FILE = randomBytes(4).toString('hex');
let made = 0;

/** A body with a supplier and a number that no other invoice has. */
export function body(over: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return {
    supplierName: `Supplier ${FILE}-${made}`,
    invoiceNumber: `N-${FILE}-${made}`,
    currency: 'EUR',
    totalCents: 11_900,
    issueDate: '2027-01-15',
    ...over,
  };
}

export async function make(client: TestClient, over: Record<string, unknown> = {}): Promise<Invoice> {
  const { status, body: answer } = await client.post<Envelope>(PATH, body(over));
  expect(status).toBe(201);
  return answer.data;
}

/** A staff token of the owner with these scopes only. */
export async function staffWith(app: TestApp, ...scopes: string[]): Promise<TestClient> {
  const { status, body: answer } = await app
    .as('owner')
    .post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', { name: 'Test', scopes });
  expect(status).toBe(201);
  return app.with(answer.data.token);
}

export interface Entry {
  action: string;
  reason: string | null;
  actorId: string;
  before: Invoice | null;
  after: Invoice | null;
}

/** The ledger entries of the invoice, oldest first. */
export async function entriesOf(client: TestClient, id: string): Promise<Entry[]> {
  const { body: list } = await client.get<{ data: { id: string }[] }>(
    `/v1/admin/action-ledger/entries?subjectType=supplier_invoice&subjectId=${id}`,
  );
  const entries = await Promise.all(
    list.data.map((entry) => client.get<{ data: Entry }>(`/v1/admin/action-ledger/entries/${entry.id}`)),
  );
  return entries.map((entry) => entry.body.data).reverse();
}

/** The names of the invoice's events in the order of the subscriber, as soon as there are `count`. */
export async function eventsOf(app: TestApp, id: string, count: number): Promise<string[]> {
  for (;;) {
    const { body: messages } = await app
      .as('platform')
      .get<{ event: string; data: { supplierInvoiceId: string } }[]>(
        '/realtime/v1/channels/finance.supplier-invoices/messages?limit=1000',
      );
    const events = messages.filter(({ data }) => data.supplierInvoiceId === id).map(({ event }) => event);
    if (events.length >= count) return events;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The body of an error with the members that all errors have. */
export function problem(code: string, details?: object): object {
  return {
    error: expect.any(String),
    code,
    requestId: expect.stringMatching(/^[A-Za-z0-9._-]{8,128}$/),
    ...(details ? { details } : {}),
  };
}

/** A 400 with one issue. */
export function invalid(path: string, code: unknown, message: unknown = expect.any(String)): object {
  return problem('invalid_request', { issues: [issue(path, code, message)], fields: { [path]: [message] } });
}
