import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type Columns, make } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ListPayments, SORT_FIELDS } from './payment.dto.js';
import { Payment } from './payment.entity.js';
import { PaymentAllocation } from './payment-allocation.entity.js';
import type { PaymentView } from './payment-response.dto.js';

const LIVE_ALLOCATIONS = `coalesce((
  select json_agg(json_build_object(
    'id', one.id, 'paymentId', one.payment_id, 'scheduleId', one.schedule_id, 'invoiceId', one.invoice_id,
    'supplierInvoiceId', one.supplier_invoice_id, 'amountCents', one.amount_cents, 'effectiveOn', one.effective_on,
    'reversesId', one.reverses_id, 'createdAt', one.created_at) order by one.created_at, one.id)
  from payment_allocations one
  where one.payment_id = payment.id and one.reverses_id is null
    and not exists (select from payment_allocations later where later.reverses_id = one.id)), '[]'::json)`;

type AllocationRow = Omit<Columns<PaymentAllocation>, 'createdAt'> & { createdAt: string };

/** Payments as they are answered: one with its allocations, or a page with its total, in one statement. */
@Injectable()
export class PaymentReader {
  constructor(private readonly database: Database) {}

  /** Throws 404. */
  async get(id: string): Promise<PaymentView> {
    const columns = this.database.columnsOf(Payment, 'payment');
    const [found] = await this.database.read<Payment, { allocations: AllocationRow[] }>(Payment, {
      name: 'payment',
      text: `select ${columns}, ${LIVE_ALLOCATIONS} as allocations from payments payment where payment.id = $1`,
      values: [id],
    });
    if (!found) throw notFound();
    return { payment: found.entity, allocations: found.raw.allocations.map(toAllocation) };
  }

  async list(query: ListPayments): Promise<{ payments: Payment[]; total: number }> {
    const { from, to, sort = '-createdAt' } = query;
    const found = this.database.repository(Payment).createQueryBuilder('payment');
    for (const name of ['bookingId', 'supplierInvoiceId', 'direction', 'status'] as const) {
      if (query[name] !== undefined) found.andWhere(`payment.${name} = :${name}`, { [name]: query[name] });
    }
    if (from !== undefined) found.andWhere('payment.paidOn >= :from', { from });
    if (to !== undefined) found.andWhere('payment.paidOn <= :to', { to });
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    const field = SORT_FIELDS.find((known) => sort.endsWith(known)) ?? 'createdAt';
    found.orderBy(`payment.${field}`, direction).addOrderBy('payment.id', direction);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { payments: rows.map(({ entity }) => entity), total };
  }
}

function toAllocation(row: AllocationRow): PaymentAllocation {
  return make(PaymentAllocation, { ...row, createdAt: new Date(row.createdAt) });
}
