import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Bookings } from '../../bookings/index.js';
import {
  type DueTarget,
  type LiveTrigger,
  type ReminderSource,
  ReminderSources,
  type ReminderTarget,
  type TargetPage,
} from '../../notifications/index.js';

// The booking is joined to be kept from changing: its row is what everybody holds who touches an invoice.
const OPEN = `select invoice.id as "targetId", invoice.booking_id as "bookingId", invoice.due_date as "anchorDate",
    'invoice_due' as trigger, (invoice.total_cents - invoice.paid_cents)::float8 as cents, invoice.currency
  from invoices invoice join bookings booking on booking.id = invoice.booking_id
  where invoice.type = 'invoice' and invoice.status in ('issued', 'partially_paid') and booking.status <> 'cancelled'`;

type Row = ReminderTarget & { cents: number; currency: string };

/** Invoices that are issued and not paid, of which people are reminded by their due date. */
@Injectable()
export class InvoiceTargets implements ReminderSource, OnModuleInit {
  readonly kind = 'invoice';
  readonly triggers: readonly LiveTrigger[] = ['invoice_due'];

  constructor(
    private readonly database: Database,
    private readonly bookings: Bookings,
    private readonly sources: ReminderSources,
  ) {}

  onModuleInit(): void {
    this.sources.register(this);
  }

  async page({ afterId, limit, anchorDates }: TargetPage): Promise<ReminderTarget[]> {
    return this.database.query<Row>(
      `${OPEN} and invoice.id > $1 and ($3::date[] is null or invoice.due_date = any($3))
       order by invoice.id limit $2 for key share of booking`,
      [afterId ?? '', limit, anchorDates],
    );
  }

  async ofBookings(bookingIds: readonly string[]): Promise<ReminderTarget[]> {
    return this.database.query<Row>(`${OPEN} and invoice.booking_id = any($1) order by invoice.id`, [bookingIds]);
  }

  async read(_: LiveTrigger, targetId: string): Promise<DueTarget | null> {
    const [row] = await this.database.query<Row>(`${OPEN} and invoice.id = $1`, [targetId]);
    if (!row) return null;
    const { cents, currency, ...target } = row;
    const { number: bookingNumber, customerName, customerEmail } = await this.bookings.read(target.bookingId);
    return { ...target, bookingNumber, customerName, customerEmail, outstanding: { cents, currency } };
  }
}
