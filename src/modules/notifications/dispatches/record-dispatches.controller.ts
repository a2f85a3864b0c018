import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { NotificationMessageEnvelope } from '../messages/notification-message.dto.js';
import { DispatchRecordDocument } from '../deliveries/dispatch.dto.js';
import { RecordDispatchesService } from './record-dispatches.service.js';

@ApiGroup('Documents')
@Controller('/v1/admin/documents')
export class RecordDispatchesController {
  constructor(private readonly dispatches: RecordDispatchesService) {}

  /**
   * Send a document by mail
   *
   * @remarks Queues a mail that carries the PDF of a booking, or of a trip with a booking, and renders it first if it is pending. It goes
   * only to an address of the booking or of its customer; manifests and rooming lists are not sent. A document whose data has changed is
   * rejected unless `allowStale` is true. A recipient is sent each version once, unless `resend` is true. It also needs
   * `documents:read` and the scope to read the record.
   */
  @ApiOperation({ operationId: 'recordDocuments_dispatch' })
  @Post(':id/dispatch')
  @RequireScope('notifications:write')
  @Mutates('notifications.message.create', { ownTransactions: true, irreversible: 'The mail was sent' })
  @BodyExample({ subject: 'Your booking' })
  @Refuses({
    404: ['not_found'],
    409: [
      ...['document_not_for_customers', 'document_not_ready', 'document_failed', 'document_stale'],
      ...['no_recipient', 'recipient_suppressed', 'already_dispatched'],
    ],
    422: ['recipient_not_on_record', 'files_too_large'],
  })
  @LimitOperation({ name: 'record-document', maxConcurrent: 8 })
  async dispatch(
    @PathId('doc') id: string,
    @Body() body: DispatchRecordDocument,
  ): Promise<NotificationMessageEnvelope> {
    const message = await this.dispatches.dispatch(id, body);
    return created(`/v1/admin/notifications/messages/${message.id}`, {}, { data: message });
  }
}
