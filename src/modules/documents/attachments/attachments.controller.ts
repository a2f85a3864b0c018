import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiFoundResponse } from '@nestjs/swagger';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { RawBody } from '../../../platform/http/body-parsers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, setResponseHeader, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  AttachmentEnvelope,
  AttachmentPage,
  CreateAttachment,
  ListAttachments,
  MAX_FILE_BYTES,
  toAttachment,
} from './attachment.dto.js';
import { AttachmentsService } from './attachments.service.js';

const PATH = '/v1/admin/attachments';

@ApiGroup('Attachments', {
  position: 17,
  description: 'Staff: files on customers, bookings and other records.',
})
@Controller(PATH)
export class AttachmentsController {
  constructor(private readonly attachments: AttachmentsService) {}

  /**
   * Create an attachment
   *
   * @remarks Adds a file to a record; then send its bytes with `PUT {id}/content`. It also needs the scope to change the record, such
   * as `bookings:write` for a booking, and a sensitive file needs `customers:sensitive`. Rejected for a customer that was merged or
   * erased.
   */
  @Post()
  @RequireScope('documents:write')
  @Mutates('documents.attachment.create')
  @Refuses({ 404: ['not_found'], 409: ['customer_merged', 'customer_erased'] })
  async create(@Body() body: CreateAttachment): Promise<AttachmentEnvelope> {
    const view = await this.attachments.create(body);
    return created(`${PATH}/${view.attachment.id}`, view.attachment, { data: toAttachment(view) });
  }

  /**
   * Upload the content of an attachment
   *
   * @remarks The body is the file itself. It must have exactly `sizeBytes` bytes; a longer body is not received to its end. The type
   * is recognized from the content: PDF, JPEG, PNG, WebP, DOCX, XLSX, and text or CSV in UTF-8. Other types, text with HTML or SVG,
   * documents with macros, encrypted or damaged archives, images with more than 100 megapixels, and documents that unpack to more
   * than 128 MiB are rejected, and the status becomes `refused`. The upload can be repeated until the file is ready; afterwards only
   * the same content is accepted, and changes nothing.
   */
  @Put(':attachmentId/content')
  @RequireScope('documents:write')
  @Mutates('documents.attachment.upload', {
    ownTransactions: true,
    irreversible: 'The attachment is deleted instead',
  })
  @Refuses({ 409: ['attachment_ready'], 422: ['file_size_mismatch', 'file_type_refused'] })
  @LimitOperation({ name: 'attachment-upload', maxConcurrent: 4 })
  async upload(
    @PathId('att', 'attachmentId', 3) id: string,
    @RawBody({ types: ['application/octet-stream'], maxBytes: MAX_FILE_BYTES, example: 'Meet at pier 3.\n' })
    content: Buffer,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<AttachmentEnvelope> {
    const view = await this.attachments.upload(id, content, expected);
    return tagged(view.attachment, { data: toAttachment(view) });
  }

  /**
   * List attachments
   *
   * @remarks Returns a page of files, newest first unless `sort` is given. Files on records that the caller may not read are left out,
   * as are sensitive files without `customers:sensitive`; a `subjectType` or `visibility` that the caller may not read is rejected.
   */
  @Get()
  @RequireScope('documents:read')
  async list(@Query() query: ListAttachments): Promise<AttachmentPage> {
    const { views, total } = await this.attachments.list(query);
    return { data: views.map(toAttachment), total, ...pageBounds(query) };
  }

  /**
   * Get an attachment
   *
   * @remarks It also needs the scope to read the record of the file, and `customers:sensitive` for a sensitive file.
   */
  @Get(':attachmentId')
  @RequireScope('documents:read')
  @ComputedNow()
  async get(@PathId('att', 'attachmentId') id: string): Promise<AttachmentEnvelope> {
    const view = await this.attachments.get(id);
    return tagged(view.attachment, { data: toAttachment(view) });
  }

  /**
   * Download an attachment
   *
   * @remarks Redirects (302) to the file through a signed link on this host that is valid for five minutes. The file is always
   * downloaded, never displayed. It also needs the scope to read the record of the file, and `customers:sensitive` for a sensitive
   * file; the action ledger records each download of a sensitive file.
   */
  @Get(':attachmentId/download')
  @HttpCode(302)
  @RequireScope('documents:read')
  @ApiFoundResponse({
    description: 'Redirect to the signed link of the file',
    headers: { Location: { required: true, schema: { type: 'string', maxLength: 1500 } } },
  })
  @Refuses({ 409: ['file_not_ready'], 410: ['attachment_file_missing'] })
  async download(@PathId('att', 'attachmentId') id: string): Promise<void> {
    setResponseHeader('Location', await this.attachments.linkTo(id));
    setResponseHeader('Cache-Control', 'private, no-store');
    setResponseHeader('Referrer-Policy', 'no-referrer');
  }

  /**
   * Delete an attachment
   *
   * @remarks Deletes the file and returns it as it was. The deletion can be reversed for seven days; then the bytes are deleted, unless
   * another attachment has the same ones. It also needs the scope to change the record of the file.
   */
  @Delete(':attachmentId')
  @RequireScope('documents:delete')
  @Mutates('documents.attachment.delete')
  async delete(
    @PathId('att', 'attachmentId', 2) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<AttachmentEnvelope> {
    const view = await this.attachments.delete(id, expected);
    return tagged(view.attachment, { data: toAttachment(view) });
  }
}
