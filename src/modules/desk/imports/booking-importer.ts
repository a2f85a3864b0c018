import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { isCurrency } from '../../../platform/money/money.js';
import { BookingItemsService, BookingsService, CreateBooking, CreateBookingItem } from '../../bookings/index.js';
import { CustomersService } from '../../customers/index.js';
import { CreatePayment, PaymentsService } from '../../finance/index.js';
import {
  amount,
  assertSame,
  CellError,
  cellsOf,
  ofLine,
  type RecordImporter,
  required,
  text,
  whole,
} from './import-cells.js';
import type { ImportedRecord, ImportRow } from './import-record.entity.js';
import { ImportReferences } from './import-references.js';

const OF_BOOKING = [
  'number',
  'currency',
  'customerReference',
  'customerId',
  'customerName',
  'customerEmail',
  'customerPhone',
  'startDate',
  'endDate',
  'notes',
  'paid',
  'paidOn',
  'paymentMethod',
];
const OF_ITEM = ['type', 'title', 'quantity', 'unitPrice', 'serviceDate', 'departureId', 'taxCodeId', 'billed'];
const REASON = 'Taken over from an earlier system';

/**
 * Imports running bookings with their opening balances (ADR 53): an item for each line, at the agreed price. What the earlier
 * system has billed is taken off, so that it is not billed, and its tax not declared, a second time; what is still open of that
 * is an item without tax; money beyond it is a payment.
 */
@Injectable()
export class BookingImporter implements RecordImporter {
  readonly kind = 'bookings';
  readonly columns = {
    required: ['currency', 'title', 'unitPrice'],
    optional: [...OF_BOOKING, ...OF_ITEM].filter((name) => !['currency', 'title', 'unitPrice'].includes(name)),
  };
  readonly scopes = ['bookings:write', 'bookings:override', 'finance:write'];
  readonly columnOf = { unitSellCents: 'unitPrice', amountCents: 'paid', method: 'paymentMethod' };

  constructor(
    private readonly bookings: BookingsService,
    private readonly items: BookingItemsService,
    private readonly payments: PaymentsService,
    private readonly customers: CustomersService,
    private readonly references: ImportReferences,
    private readonly clock: Clock,
  ) {}

  async run(rows: readonly [ImportRow, ...ImportRow[]]): Promise<ImportedRecord> {
    const [first] = rows;
    assertSame(rows, OF_BOOKING);
    const currency = currencyOf(first);
    const id = await this.createBooking(first, currency);
    let billed = 0;
    for (const row of rows) billed += await ofLine(row, this.columnOf, () => this.addItems(id, row, currency));
    const paid = amount(first, 'paid', currency) ?? 0;
    if (billed > paid) await this.addOpen(id, billed - paid);
    await this.bookings.confirm(id, null, {
      override: ['credit_limit'],
      overrideReason: 'Confirmed in the earlier system',
    });
    if (paid > billed) await this.addPayment(id, first, { currency, amountCents: paid - billed });
    return { subjectId: id, warning: null };
  }

  private async createBooking(row: ImportRow, currency: string): Promise<string> {
    const input = await checkedAs(CreateBooking, {
      number: text(row, 'number'),
      currency,
      customerId: await this.customerOf(row),
      customerName: text(row, 'customerName'),
      customerEmail: text(row, 'customerEmail'),
      customerPhone: text(row, 'customerPhone'),
      startDate: text(row, 'startDate'),
      endDate: text(row, 'endDate'),
      notes: text(row, 'notes'),
    });
    return (await this.bookings.create(input, undefined, { takenOverOn: this.clock.today() })).id;
  }

  /** The customer that an earlier import created, or an ID. */
  private async customerOf(row: ImportRow): Promise<string | undefined> {
    const reference = text(row, 'customerReference');
    if (reference === undefined) return text(row, 'customerId');
    const id = await this.references.find('customers', reference);
    // A customer that was merged is replaced by the one that remains.
    if (id !== null) return (await this.customers.get(id)).mergedIntoId ?? id;
    throw new CellError(row, 'customerReference', 'not_found', 'no imported customer has this reference');
  }

  /** Returns what the earlier system has billed for the line. */
  private async addItems(bookingId: string, row: ImportRow, currency: string): Promise<number> {
    const cells = cellsOf({
      title: () => required(row, 'title'),
      quantity: () => whole(row, 'quantity') ?? 1,
      unitSellCents: () => required(row, 'unitPrice') && amount(row, 'unitPrice', currency),
      billed: () => amount(row, 'billed', currency),
    });
    const { title, quantity, unitSellCents } = cells;
    const billed = amount(row, 'billed', currency) ?? 0;
    const departureId = text(row, 'departureId');
    const overrides =
      departureId === undefined ? {} : ({ override: ['cutoff', 'past', 'price'], overrideReason: REASON } as const);
    const taxCodeId = text(row, 'taxCodeId');
    const sold = {
      type: text(row, 'type') ?? (departureId === undefined ? 'service' : 'unit'),
      ...{ title, quantity, unitSellCents, taxCodeId, departureId },
      ...(departureId === undefined ? { serviceDate: text(row, 'serviceDate') } : {}),
      ...overrides,
    };
    const item = await this.items.add(bookingId, await checkedAs(CreateBookingItem, sold));
    if (billed > item.totalSellCents)
      throw new CellError(row, 'billed', 'exceeds_price', 'billed is more than the price');
    if (billed === 0) return 0;
    const taken = {
      type: 'adjustment',
      title: 'Billed before the booking was taken over',
      unitSellCents: -billed,
      taxCodeId: item.taxCodeId,
      serviceDate: item.serviceDate,
    };
    await this.items.add(bookingId, await checkedAs(CreateBookingItem, taken));
    return billed;
  }

  /** Its tax was declared with the invoice of the earlier system. */
  private async addOpen(bookingId: string, openCents: number): Promise<void> {
    const open = { type: 'adjustment', title: 'Open from invoices of the earlier system', unitSellCents: openCents };
    const input = await checkedAs(CreateBookingItem, { ...open, taxCodeId: null });
    await this.items.add(bookingId, input, { isCodeOptional: true });
  }

  private async addPayment(
    bookingId: string,
    row: ImportRow,
    money: { currency: string; amountCents: number },
  ): Promise<void> {
    const input = await checkedAs(CreatePayment, {
      ...{ direction: 'in', bookingId, ...money, reference: REASON },
      method: text(row, 'paymentMethod') ?? 'other',
      paidOn: text(row, 'paidOn') ?? this.clock.today(),
    });
    await this.payments.record(input);
  }
}

function currencyOf(row: ImportRow): string {
  const currency = required(row, 'currency').toUpperCase();
  if (!isCurrency(currency)) throw new CellError(row, 'currency', 'currency', 'currency must be an ISO 4217 code');
  return currency;
}
