import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { BookingsService } from '../../bookings/index.js';
import { InvoiceRecords } from './invoice-records.service.js';
import { type DetailedInvoiceView as View, toInvoice } from './invoice-response.dto.js';

/** Takes invoices back. What they asked for may be invoiced again; their numbers stay taken. */
@Injectable()
export class InvoiceVoiding {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly records: InvoiceRecords,
    private readonly clock: Clock,
  ) {}

  /** Throws 404, 409 `invalid_transition`, `invoice_has_payments`, 412. */
  async void(id: string, reason: string, expected: ExpectedVersions): Promise<View> {
    return this.database.transaction(async () => {
      await this.bookings.lock(await this.records.bookingIdOf(id));
      const view = await this.records.lock(id);
      const { invoice } = view;
      assertVersion(expected, invoice);
      const before = toInvoice(view);
      invoice.void(reason, this.clock.now());
      await this.database.update(invoice);
      await this.records.remind(invoice);
      const after = { ...view, overdue: false };
      this.records.record('void', invoice, { before, after: toInvoice(after), reason });
      return after;
    });
  }
}
