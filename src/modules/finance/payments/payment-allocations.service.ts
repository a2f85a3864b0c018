import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { MAX_LIVE_ALLOCATIONS } from './allocation-limits.js';
import type { Share } from './debt.js';
import { PaymentAllocation } from './payment-allocation.entity.js';

export interface NewAllocation extends Share {
  /** For demo rows that the API document's examples name. */
  id?: string;
  paymentId: string;
  effectiveOn: string;
}

/** The rows that say what payments settle; whoever writes them holds the payments. Each call is one statement. */
@Injectable()
export class PaymentAllocations {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Those of payments that count, oldest first. */
  async liveOf(paymentIds: readonly string[]): Promise<PaymentAllocation[]> {
    return this.live().andWhere('allocation.payment_id = any (:paymentIds)', { paymentIds }).getMany();
  }

  /** Those that count on installments, oldest first. */
  async liveOn(scheduleIds: readonly string[]): Promise<PaymentAllocation[]> {
    return this.live().andWhere('allocation.schedule_id = any (:scheduleIds)', { scheduleIds }).getMany();
  }

  /** Those that count on an installment of the booking and on no invoice, oldest first. */
  async withoutInvoice(bookingId: string): Promise<PaymentAllocation[]> {
    const found = this.live().andWhere('allocation.schedule_id is not null and allocation.invoice_id is null');
    return found
      .andWhere('allocation.payment_id in (select id from payments where booking_id = :bookingId)', { bookingId })
      .getMany();
  }

  /** Those that count on an invoice of the booking and on no installment, oldest first. */
  async withoutInstallment(bookingId: string): Promise<PaymentAllocation[]> {
    const found = this.live().andWhere('allocation.schedule_id is null and allocation.invoice_id is not null');
    return found
      .andWhere('allocation.payment_id in (select id from payments where booking_id = :bookingId)', { bookingId })
      .getMany();
  }

  /** Throws 404 where the payment never had it, 409 `invalid_transition` where it does not count any more. */
  async assertLive(allocationId: string, paymentId: string): Promise<void> {
    const allocation = await this.database.repository(PaymentAllocation).findOneBy({ id: allocationId, paymentId });
    if (!allocation || allocation.reversesId !== null) throw notFound();
    const reversed = await this.database.repository(PaymentAllocation).existsBy({ reversesId: allocationId });
    if (!reversed) return;
    throw conflict('invalid_transition', 'The allocation is already reversed', {
      from: 'reversed',
      to: 'reversed',
      allowed: [],
    });
  }

  /** Beside the `present` ones of the same payments. Throws 409 `allocation_limit_reached`. */
  async add(
    allocations: readonly NewAllocation[],
    present: readonly PaymentAllocation[] = [],
  ): Promise<PaymentAllocation[]> {
    assertRoom([...present, ...allocations]);
    const createdAt = this.clock.now();
    return this.insert(
      allocations.map(({ id = newId('pall'), paymentId, effectiveOn, ...share }) => {
        const { scheduleId, invoiceId, supplierInvoiceId, amountCents } = share;
        const columns = { paymentId, scheduleId, invoiceId, supplierInvoiceId, amountCents, effectiveOn };
        return make(PaymentAllocation, { id, ...columns, reversesId: null, createdAt });
      }),
    );
  }

  /** Takes allocations back, each by a row that repeats it; from today on they count no more. */
  async reverse(allocations: readonly PaymentAllocation[]): Promise<void> {
    const [createdAt, today] = [this.clock.now(), this.clock.today()];
    await this.insert(
      allocations.map((reversed) => {
        // Where the organization moved to a zone with an earlier day, nothing ends before it began.
        const effectiveOn = today < reversed.effectiveOn ? reversed.effectiveOn : today;
        const row = { ...reversed, id: newId('pall'), reversesId: reversed.id, effectiveOn, createdAt };
        return make(PaymentAllocation, row);
      }),
    );
  }

  private live(): SelectQueryBuilder<PaymentAllocation> {
    const found = this.database.repository(PaymentAllocation).createQueryBuilder('allocation');
    found.where(
      `allocation.reverses_id is null
       and not exists (select from payment_allocations later where later.reverses_id = allocation.id)`,
    );
    return found.orderBy('allocation.createdAt').addOrderBy('allocation.id');
  }

  private async insert(rows: PaymentAllocation[]): Promise<PaymentAllocation[]> {
    if (rows.length > 0) await this.database.repository(PaymentAllocation).insert(rows);
    return rows;
  }
}

function assertRoom(live: readonly { paymentId: string }[]): void {
  const counts = new Map<string, number>();
  for (const { paymentId } of live) counts.set(paymentId, (counts.get(paymentId) ?? 0) + 1);
  if ([...counts.values()].every((count) => count <= MAX_LIVE_ALLOCATIONS)) return;
  throw conflict('allocation_limit_reached', 'The payment has reached its allocation limit', {
    limit: MAX_LIVE_ALLOCATIONS,
  });
}
