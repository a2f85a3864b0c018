import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { BookingsService } from '../../bookings/index.js';
import { type ListPaymentSchedules, type PaymentScheduleResponse, toPaymentSchedule } from './payment-schedule.dto.js';
import { effectiveStatusSql, PaymentSchedule } from './payment-schedule.entity.js';

/** The ids of a page, in its order, and how many there are in all, also where the page is empty. */
const PAGE = `
  with found as (
    select entry.id, entry.due_date, entry.position
    from payment_schedules entry join payment_plans plan on plan.id = entry.plan_id and plan.is_current
    where entry.booking_id = $1
      and ($3::text is null or ${effectiveStatusSql('entry', '$2::date')} = $3)
      and ($4::date is null or entry.due_date >= $4) and ($5::date is null or entry.due_date <= $5)
  ), page as (
    select * from found order by due_date, position, id limit $6 offset $7
  )
  select (select count(*) from found)::integer as total, entry.id, entry.booking_id as "bookingId",
    entry.plan_id as "planId", entry.plan_version as "planVersion", entry.currency, entry.position, entry.type,
    entry.label, entry.basis, entry.due_date as "dueDate", entry.amount_cents as "amountCents",
    entry.paid_cents as "paidCents", entry.status, entry.waived, entry.notes, entry.version,
    entry.created_at as "createdAt", entry.updated_at as "updatedAt"
  from (select) as always left join (page join payment_schedules entry using (id)) on true
  order by page.due_date, page.position, page.id`;

type Row = { total: number } & Omit<PaymentSchedule, 'amountCents' | 'paidCents'> & {
    id: string | null;
    amountCents: string;
    paidCents: string;
  };

/** Installments as they are answered. */
@Injectable()
export class PaymentScheduleReader {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly clock: Clock,
  ) {}

  /** The installments of the booking's current plan, by due date; one statement. Throws 404. */
  async list(
    bookingId: string,
    query: ListPaymentSchedules,
  ): Promise<{ schedules: PaymentScheduleResponse[]; total: number }> {
    const { limit, offset } = pageBounds(query);
    const { status = null, dueFrom = null, dueTo = null } = query;
    const today = this.clock.today();
    const rows = await this.database.prepared<Row>('payment-schedules-of-booking', PAGE, [
      ...[bookingId, today, status],
      ...[dueFrom, dueTo, limit, offset],
    ]);
    const total = rows[0]?.total ?? 0;
    // What has installments exists.
    if (total === 0) await this.bookings.getSummary(bookingId);
    const schedules = rows.filter(({ id }) => id !== null).map(toEntity);
    return { schedules: schedules.map((schedule) => toPaymentSchedule(schedule, today)), total };
  }

  /** Throws 404, also for an installment of another booking. */
  async get(bookingId: string, id: string): Promise<PaymentScheduleResponse> {
    const schedule = await this.database.repository(PaymentSchedule).findOneBy({ id, bookingId });
    if (!schedule) throw notFound();
    return this.view(schedule);
  }

  /** As it is answered today. */
  view(schedule: PaymentSchedule): PaymentScheduleResponse {
    return toPaymentSchedule(schedule, this.clock.today());
  }
}

function toEntity({ total: _total, amountCents, paidCents, ...row }: Row): PaymentSchedule {
  const columns = { ...row, amountCents: Number(amountCents), paidCents: Number(paidCents) };
  return Object.assign(new PaymentSchedule(), columns);
}
