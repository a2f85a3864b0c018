import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { NotificationMessageEnvelope } from '../../notifications/index.js';
import { DispatchBookingDocuments, DispatchInvoice } from './dispatch.dto.js';
import { DispatchesService } from './dispatches.service.js';

const MESSAGES = '/v1/admin/notifications/messages';
const SENT = { ownTransactions: true, irreversible: 'The mail was sent' };

@ApiGroup('Invoices')
@Controller('/v1/admin/finance/invoices')
export class InvoiceDispatchesController {
  constructor(private readonly dispatches: DispatchesService) {}

  /**
   * Send an invoice by mail
   *
   * @remarks Queues a mail that carries the invoice as a PDF, in the language of the booking if documents exist in it. The PDF is rendered
   * first unless the newest one shows the present state of the invoice. It goes only to an address of the booking or of its customer.
   * A recipient is sent each version once, unless `resend` is true. It also needs `finance:receivables`.
   */
  @ApiOperation({ operationId: 'invoices_dispatch' })
  @Post(':id/dispatch')
  @RequireScope('notifications:write')
  @Mutates('notifications.message.create', SENT)
  @BodyExample({ subject: 'Your invoice' })
  @Refuses({
    404: ['not_found'],
    409: ['invoice_not_issued', 'rendition_failed', 'no_recipient', 'recipient_suppressed', 'already_dispatched'],
    422: ['recipient_not_on_record', 'files_too_large'],
  })
  @LimitOperation({ name: 'invoice-rendition', maxConcurrent: 8 })
  async dispatch(@PathId('inv') id: string, @Body() body: DispatchInvoice): Promise<NotificationMessageEnvelope> {
    const message = await this.dispatches.dispatchInvoice(id, body);
    return created(`${MESSAGES}/${message.id}`, {}, { data: message });
  }
}

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings')
export class BookingDispatchesController {
  constructor(private readonly dispatches: DispatchesService) {}

  /**
   * Send documents of a booking by mail
   *
   * @remarks Queues one mail that carries the vouchers and the invoices of the booking as PDFs; those beyond 10 MiB are linked for seven days.
   * Kinds that the booking does not have are left out. Invoices are rendered first if needed; vouchers show the data of the time at which the mail is
   * sent. It goes only to an address of the booking or of its customer. A recipient is sent each version once, unless `resend` is true.
   * It also needs `bookings:read`, and `finance:receivables` for invoices.
   */
  @ApiOperation({ operationId: 'bookings_dispatch' })
  @Post(':bookingId/dispatch')
  @RequireScope('notifications:write')
  @Mutates('notifications.message.create', SENT)
  @BodyExample({ kinds: ['invoices'] })
  @Refuses({
    404: ['not_found'],
    409: ['nothing_to_dispatch', 'rendition_failed', 'no_recipient', 'recipient_suppressed', 'already_dispatched'],
    422: ['recipient_not_on_record', 'files_too_large', 'too_many_documents', 'too_many_vouchers'],
  })
  @LimitOperation({ name: 'invoice-rendition', maxConcurrent: 8 })
  async dispatch(
    @PathId('book', 'bookingId', 18) bookingId: string,
    @Body() body: DispatchBookingDocuments,
  ): Promise<NotificationMessageEnvelope> {
    const message = await this.dispatches.dispatchBooking(bookingId, body);
    return created(`${MESSAGES}/${message.id}`, {}, { data: message });
  }
}
