import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiFoundResponse } from '@nestjs/swagger';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateRecordDocument,
  DownloadRecordDocument,
  ListRecordDocuments,
  RecordDocumentEnvelope,
  RecordDocumentPage,
  toRecordDocument,
} from './record-document.dto.js';
import { RecordDocumentsService } from './record-documents.service.js';

const PATH = '/v1/admin/documents';

@ApiGroup('Documents', {
  position: 18,
  description: 'Staff: confirmations, itineraries, manifests and rooming lists as PDFs.',
})
@Controller(PATH)
export class RecordDocumentsController {
  constructor(private readonly documents: RecordDocumentsService) {}

  /**
   * Create a document
   *
   * @remarks Queues the rendering of a PDF and returns it as `pending` (202); poll it at `Location` until the status is `ready`. Each
   * request creates a new version of its kind, record and language, and the earlier ones become `stale` once it is ready. The document of
   * a booking or trip that is not booked yet is titled as an offer. It also needs the scope to read the record, and `bookings:read` for a
   * rooming list or a trip. Vouchers, tickets, invoices and credit notes are rejected with the operation that prints them in `operation`.
   */
  @Post()
  @HttpCode(202)
  @RequireScope('documents:write')
  @Mutates('documents.document.create', { irreversible: 'It changed no record' })
  @Refuses({
    404: ['not_found'],
    409: ['booking_cancelled', 'trip_cancelled'],
    422: ['document_kind_elsewhere', 'manifest_too_large'],
  })
  @LimitOperation({ name: 'record-document', maxConcurrent: 8 })
  async create(@Body() body: CreateRecordDocument): Promise<RecordDocumentEnvelope> {
    const view = await this.documents.create(body);
    setResponseHeader('Location', `${PATH}/${view.document.id}`);
    return { data: toRecordDocument(view) };
  }

  /**
   * List documents
   *
   * @remarks Returns a page of documents with all their versions, newest first unless `sort` is given. Documents of records that the caller
   * may not read are left out; a `kind` or `subjectType` that the caller may not read is rejected.
   */
  @Get()
  @RequireScope('documents:read')
  async list(@Query() query: ListRecordDocuments): Promise<RecordDocumentPage> {
    const { views, total } = await this.documents.list(query);
    return { data: views.map(toRecordDocument), total, ...pageBounds(query) };
  }

  /**
   * Get a document
   *
   * @remarks It also needs the scope to read the record, and `bookings:read` for a rooming list or a trip.
   */
  @Get(':id')
  @RequireScope('documents:read')
  @ComputedNow()
  async get(@PathId('doc') id: string): Promise<RecordDocumentEnvelope> {
    const view = await this.documents.get(id);
    return tagged(view.document, { data: toRecordDocument(view) });
  }

  /**
   * Download a document
   *
   * @remarks Redirects (302) to the PDF through a signed link on this host that is valid for five minutes. While the document is being
   * rendered, the error contains `retryAfterMs`. A document whose data has changed, or with a newer version, is rejected unless
   * `allowStale` is true. If the file was removed from storage (410), request a new document. It also needs the scope to read the record.
   */
  @Get(':id/download')
  @HttpCode(302)
  @RequireScope('documents:read')
  @ApiFoundResponse({
    description: 'Redirect to the signed link of the file',
    headers: { Location: { required: true, schema: { type: 'string', maxLength: 1500 } } },
  })
  @Refuses({ 409: ['document_not_ready', 'document_failed', 'document_stale'], 410: ['document_file_missing'] })
  async download(@PathId('doc') id: string, @Query() query: DownloadRecordDocument): Promise<void> {
    setResponseHeader('Location', await this.documents.linkTo(id, query));
    setResponseHeader('Cache-Control', 'private, no-store');
    setResponseHeader('Referrer-Policy', 'no-referrer');
  }
}
