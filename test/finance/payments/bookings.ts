import { newId } from '../../../src/platform/ids/id.js';
import type { TestApp } from '../../setup/app.js';

export interface BookingTerms {
  currency?: string;
  /** Due date and amount of each installment, in the order of their positions. */
  installments?: readonly (readonly [string, number])[];
  status?: 'draft' | 'confirmed';
}

export interface MadeBooking {
  id: string;
  /** Ids of the installments in the order of their positions. */
  schedules: string[];
}

/** A booking with a plan of these installments; without any it has one item of 100000 and no plan. */
export async function bookingWith(app: TestApp, terms: BookingTerms = {}): Promise<MadeBooking> {
  const { currency = 'EUR', installments = [], status = 'confirmed' } = terms;
  const [id, plan] = [newId('book'), newId('plan')];
  const schedules = installments.map(() => newId('psch'));
  const total = installments.reduce((sum, [, amount]) => sum + amount, 0) || 100_000;
  await app.sql(
    `with booking as (
       insert into bookings (id, number, status, currency, total_cents, customer_name, confirmed_at, version, created_at,
         updated_at)
       values ($1, $2, $3, $4, $5, 'Clara Example', case when $3 = 'confirmed' then now() end, 1, now(), now())
     ), item as (
       insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents,
         total_sell_cents, tax_included_cents, pricing_treatment, version, created_at, updated_at)
       values ($6, $1, $4, 'unit', 'City tour', 'confirmed', 1, $5, $5, 0, 'standard', 1, now(), now())
     ), plan as (
       insert into payment_plans (id, booking_id, plan_version, source, total_cents, is_current, created_at)
       select $7, $1, 1, 'none', $5, true, now() where cardinality($8::text[]) > 0
     )
     insert into payment_schedules (id, booking_id, plan_id, plan_version, currency, position, type, label, basis,
       date_source, due_date, amount_cents, paid_cents, status, waived, version, created_at, updated_at)
     select s.id, $1, $7, 1, $4, s.n, 'installment', 'Part ' || s.n, 'manual', 'manual', s.due, s.amount, 0, 'pending', false, 1,
       now(), now()
     from unnest($8::text[], $9::date[], $10::bigint[]) with ordinality as s (id, due, amount, n)`,
    [
      ...[id, id.slice(-20), status, currency, total, newId('bkit'), plan, schedules],
      installments.map(([due]) => due),
      installments.map(([, amount]) => amount),
    ],
  );
  return { id, schedules };
}

export interface Installment {
  status: string;
  paid: number;
}

/** The paid amounts of a booking's installments, in the order of their positions. */
export async function installmentsOf(app: TestApp, bookingId: string): Promise<Installment[]> {
  return app.sql<{ status: string; paid: number }>(
    `select status, paid_cents::int as paid from payment_schedules where booking_id = $1 order by position`,
    [bookingId],
  );
}

/** The body of a payment received for a booking. */
export function received(bookingId: string, amountCents: number, over: Record<string, unknown> = {}) {
  return { bookingId, method: 'card', currency: 'EUR', amountCents, paidOn: '2026-01-15', ...over };
}
