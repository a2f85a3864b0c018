import { expect } from '@jest/globals';
import { newId } from '../../../src/platform/ids/id.js';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';

export const PATH = '/v1/admin/finance/invoices';

/** The members of an invoice that the tests read; the contract tests check the others. */
export interface Invoice extends Record<string, unknown> {
  id: string;
  bookingId: string;
  status: string;
  number: string | null;
  seriesId: string | null;
  issueDate: string | null;
  dueDate: string | null;
  overdue: boolean;
  totalCents: number;
  version: number;
  lines: Record<string, unknown>[];
}

export interface Envelope {
  data: Invoice;
}

export interface Item {
  title?: string;
  quantity?: number;
  unitSellCents: number;
  taxIncludedCents?: number;
  /** With a tax code, the tax must match its first rate. */
  taxCode?: { id: string; code: string; kind?: unknown; rates: { rateBasisPoints: number }[] };
  serviceDate?: string;
}

export interface Sold {
  id: string;
  itemIds: string[];
  /** The installments in the order of the plan. */
  scheduleIds: string[];
}

interface Order {
  status?: string;
  items?: Item[];
  /** The amounts of the installments; they add up to the items. */
  plan?: number[];
  currency?: string;
}

/** Inserts a booking with its items and plan into the tables without the service. */
export async function sell(app: Pick<TestApp, 'sql'>, order: Order = {}): Promise<Sold> {
  const { status = 'confirmed', currency = 'EUR', items = [{ unitSellCents: 100_000 }], plan = [] } = order;
  const [id, planId] = [newId('book'), newId('plan')];
  const itemIds = items.map(() => newId('bkit'));
  const scheduleIds = plan.map(() => newId('psch'));
  const sums = items.map(({ quantity = 1, unitSellCents }) => quantity * unitSellCents);
  const isCancelled = status === 'cancelled';
  const rows = items.map(
    ({ title, quantity = 1, unitSellCents, taxIncludedCents = 0, taxCode, serviceDate }, index) => ({
      taxCodeId: taxCode?.id,
      taxCode: taxCode?.code,
      taxKind: taxCode?.kind,
      taxRate: taxCode?.rates[0]?.rateBasisPoints,
      serviceDate,
      id: itemIds[index],
      type: unitSellCents < 0 ? 'discount' : 'service',
      title: title ?? `Item ${index + 1}`,
      quantity,
      unit: unitSellCents,
      tax: taxIncludedCents,
    }),
  );
  await app.sql(
    `with booking as (
       insert into bookings (id, number, status, currency, total_cents, customer_name, confirmed_at, cancelled_at,
         cancel_reason, version, created_at, updated_at)
       values ($1, right($1, 26), $2, $3, $4, 'Clara Weber', case when $2 <> 'draft' then now() end,
         case when $5 then now() end, case when $5 then 'x' end, 1, now(), now())
     ), item as (
       insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents,
         total_sell_cents, tax_included_cents, pricing_treatment, cancelled_at, version, created_at, updated_at,
         tax_code_id, tax_code, tax_kind, tax_rate_basis_points, service_date)
       select row ->> 'id', $1, $3, row ->> 'type', row ->> 'title', case when $5 then 'cancelled' else 'confirmed' end,
         (row ->> 'quantity')::int, (row ->> 'unit')::bigint, (row ->> 'quantity')::int * (row ->> 'unit')::bigint,
         (row ->> 'tax')::bigint, 'standard', case when $5 then now() end, 1, now() + n * interval '1 ms', now(),
         row ->> 'taxCodeId', row ->> 'taxCode', row ->> 'taxKind', (row ->> 'taxRate')::int, (row ->> 'serviceDate')::date
       from jsonb_array_elements($6::jsonb) with ordinality as rows (row, n)
     ), plan as (
       insert into payment_plans (id, booking_id, plan_version, source, total_cents, is_current, created_at)
       select $7, $1, 1, 'none', $4, true, now() where cardinality($8::text[]) > 0
     )
     insert into payment_schedules (id, booking_id, plan_id, plan_version, currency, position, type, label, basis,
       date_source, due_date, amount_cents, paid_cents, status, waived, version, created_at, updated_at)
     select schedule, $1, $7, 1, $3, n, 'installment', 'Installment ' || n, 'manual', 'manual', date '2027-05-01' + n::int, amount,
       0, 'pending', false, 1, now(), now()
     from unnest($8::text[], $9::bigint[]) with ordinality as rows (schedule, amount, n)`,
    [
      id,
      status,
      currency,
      items.length === 0 ? null : isCancelled ? 0 : sums.reduce((sum, cents) => sum + cents, 0),
      isCancelled,
      JSON.stringify(rows),
      planId,
      scheduleIds,
      plan,
    ],
  );
  return { id, itemIds, scheduleIds };
}

export async function draft(client: TestClient, body: Record<string, unknown>): Promise<Invoice> {
  const answer = await client.post<Envelope>(PATH, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body.data;
}

export function issue(client: TestClient, id: string, body?: object) {
  return client.post<Envelope>(`${PATH}/${id}/issuance`, body);
}

export function voiding(client: TestClient, id: string) {
  return client.post<Envelope>(`${PATH}/${id}/voiding`, { reason: 'Made out to the wrong company' });
}

export async function read(client: TestClient, id: string): Promise<Invoice> {
  const { status, body } = await client.get<Envelope>(`${PATH}/${id}`);
  expect(status).toBe(200);
  return body.data;
}

const PAYMENTS = '/v1/admin/finance/payments';

/** Pays a part of an invoice whose booking has a plan and returns the id of the payment. */
export async function pay(app: TestApp, id: string, amountCents: number): Promise<string> {
  const owner = app.as('owner');
  const { bookingId } = await read(owner, id);
  const { status, text, body } = await owner.post<{ data: { id: string } }>(PAYMENTS, {
    bookingId,
    method: 'cash',
    currency: 'EUR',
    amountCents,
    paidOn: '2026-01-31',
    allocations: [{ invoiceId: id, amountCents }],
  });
  expect([status, text]).toEqual([201, text]);
  return body.data.id;
}

export async function takeBack(client: TestClient, paymentId: string): Promise<void> {
  expect((await client.post(`${PAYMENTS}/${paymentId}/reversal`, { reason: 'The bank returned it' })).status).toBe(200);
}

/** Moves the clock forward to this day of a month. An invoice can be voided until the end of the month of its issue date. */
export function travelToDayOfMonth(app: TestApp, dayOfMonth: number): void {
  while (Number(app.day().slice(8)) !== dayOfMonth) app.travel({ days: 1 });
}
