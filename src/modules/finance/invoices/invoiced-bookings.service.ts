import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { type BookingSummary, BookingsService } from '../../bookings/index.js';
import { ScheduleInvoices } from '../payment-plans/schedule-invoices.js';

/** How far bookings are invoiced: asked by invoices for their limit, by bookings and plans for what must stand still. */
@Injectable()
export class InvoicedBookings implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly schedules: ScheduleInvoices,
  ) {}

  onModuleInit(): void {
    this.schedules.register({
      liveScheduleIds: (bookingId) => this.liveScheduleIds(bookingId),
      hasOpenInvoice: (bookingId, scheduleIds) => this.hasOpenInvoice(bookingId, scheduleIds),
    });
  }

  /** Holds the booking. Throws 404 with `field`, 409 `booking_closed` where it is cancelled. */
  async hold(bookingId: string): Promise<BookingSummary> {
    const booking = await this.bookings.lock(bookingId, { field: 'bookingId' });
    if (booking.status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled');
    return booking;
  }

  /**
   * What is asked of the customer may not be more than what he ordered. The booking must be held. Throws 409
   * `booking_not_priced`, 422 `invoice_exceeds_booking`.
   */
  async assertRoom(booking: BookingSummary, { id, totalCents }: { id: string; totalCents: number }): Promise<void> {
    const { totalCents: bookingTotalCents } = booking;
    if (bookingTotalCents === null) throw conflict('booking_not_priced', 'The booking has no items to invoice');
    const invoicedCents = await this.invoicedCents(booking.id, id);
    if (invoicedCents + totalCents <= bookingTotalCents) return;
    throw unprocessable('invoice_exceeds_booking', 'Total invoiced would exceed the booking total', {
      bookingTotalCents,
      invoicedCents,
      totalCents,
    });
  }

  /** With the booking held, nobody else can invoice the installment. Throws 409 `schedule_already_invoiced`. */
  async assertNotInvoiced(scheduleId: string): Promise<void> {
    const [existing] = await this.database.query<{ id: string }>(
      `select id from invoices where schedule_id = $1 and status <> 'void'`,
      [scheduleId],
    );
    if (!existing) return;
    throw conflict('schedule_already_invoiced', 'The installment is already on another invoice', {
      existingId: existing.id,
    });
  }

  async totalChanged(booking: BookingSummary, _beforeCents: number | null, totalCents: number): Promise<void> {
    const invoicedCents = await this.invoicedCents(booking.id);
    if (totalCents >= invoicedCents) return;
    throw conflict('booking_invoiced', 'Total invoiced exceeds the new booking total; void invoices first', {
      invoicedCents,
      totalCents,
    });
  }

  private async invoicedCents(bookingId: string, except = ''): Promise<number> {
    const [row] = await this.database.prepared<{ cents: string }>(
      'invoiced-on-booking',
      `select coalesce(sum(total_cents), 0) as cents from invoices
       where booking_id = $1 and status <> 'void' and id <> $2`,
      [bookingId, except],
    );
    return Number(row?.cents ?? 0);
  }

  private async liveScheduleIds(bookingId: string): Promise<string[]> {
    const rows = await this.database.prepared<{ id: string }>(
      'invoiced-schedules',
      `select schedule_id as id from invoices
       where booking_id = $1 and status <> 'void' and schedule_id is not null`,
      [bookingId],
    );
    return rows.map(({ id }) => id);
  }

  private async hasOpenInvoice(bookingId: string, scheduleIds: readonly string[]): Promise<boolean> {
    const [row] = await this.database.query<{ open: boolean }>(
      `with open as (
         select schedule_id from invoices where booking_id = $1 and status in ('issued', 'partially_paid')
       )
       select exists (select from open where schedule_id is null)
         or (cardinality($2::text[]) > 0 and $2::text[] <@ (select coalesce(array_agg(schedule_id), '{}') from open)) as open`,
      [bookingId, scheduleIds],
    );
    return row?.open ?? false;
  }
}
