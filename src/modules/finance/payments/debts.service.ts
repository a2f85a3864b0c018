import { Injectable } from '@nestjs/common';
import { BookingDebts } from './booking-debts.service.js';
import type { Debt } from './debt.js';
import type { Payment } from './payment.entity.js';
import { SupplierDebts } from './supplier-debts.service.js';

/** The debt that a payment is for. */
@Injectable()
export class Debts {
  constructor(
    private readonly bookings: BookingDebts,
    private readonly suppliers: SupplierDebts,
  ) {}

  /** Holds it until the transaction ends. Throws 404 with details {field}. */
  async lock({ bookingId, supplierInvoiceId }: Payment): Promise<Debt> {
    return bookingId === null ? this.suppliers.lock(supplierInvoiceId ?? '') : this.bookings.lock(bookingId);
  }

  /** The same for a payment that is new: what came in earlier counts on the debt's plan and invoices first. */
  async lockForNew({ bookingId, supplierInvoiceId }: Payment): Promise<Debt> {
    return bookingId === null ? this.suppliers.lock(supplierInvoiceId ?? '') : this.bookings.lockCaughtUp(bookingId);
  }
}
