import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiFoundResponse, ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, setResponseHeader } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangesNothing, Mutates } from '../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import {
  CreateRenditionLink,
  DownloadRendition,
  ListRenditions,
  RenditionEnvelope,
  RenditionLinkEnvelope,
  RenditionPage,
  RequestRendition,
  toRendition,
  toRenditionLink,
} from './rendition.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { RenditionsService } from './renditions.service.js';

const OF_INVOICE = 'v1/admin/finance/invoices/:id/renditions';
const OF_CREDIT_NOTE = 'v1/admin/finance/credit-notes/:id/renditions';
const PATH = 'v1/admin/finance/invoice-renditions';

@ApiGroup('Invoices')
@Controller()
export class RenditionsController {
  constructor(private readonly renditions: RenditionsService) {}

  /**
   * Request an invoice rendition
   *
   * @remarks Queues the rendering of an issued invoice as HTML or PDF and returns it as `pending` (202). `Location` points to
   * the download; poll the list or the download until the status is `ready`. Each request creates a new version of its format
   * and language, and the earlier ones become `stale` once it is ready. Drafts and invoices without a number are rejected.
   */
  @Post(OF_INVOICE)
  @HttpCode(202)
  @RequireScope('finance:write')
  @Mutates('finance.invoice_rendition.request', { irreversible: 'It changed no document' })
  @Refuses({ 409: ['invoice_not_issued'] })
  @LimitOperation({ name: 'invoice-rendition', maxConcurrent: 8 })
  async request(@PathId('inv') id: string, @Body() body: RequestRendition): Promise<RenditionEnvelope> {
    const rendition = await this.renditions.request(id, body);
    setResponseHeader('Location', `/${PATH}/${rendition.id}/download`);
    return { data: toRendition(rendition) };
  }

  /**
   * List the renditions of an invoice
   *
   * @remarks Returns a page of renditions, newest first, in all formats, languages and states.
   */
  @Get(OF_INVOICE)
  @RequireScope('finance:receivables')
  async list(@PathId('inv') id: string, @Query() query: ListRenditions): Promise<RenditionPage> {
    const { rows, total } = await this.renditions.list(id, query);
    return { data: rows.map(toRendition), total, ...pageBounds(query) };
  }

  /**
   * Request a credit note rendition
   *
   * @remarks Queues the rendering of an issued credit note in the same way as an invoice. It shows number and date of the
   * credited invoice. Drafts are rejected.
   */
  @ApiOperation({ operationId: 'renditions_requestForCreditNote' })
  @Post(OF_CREDIT_NOTE)
  @HttpCode(202)
  @RequireScope('finance:write')
  @Mutates('finance.invoice_rendition.request', { irreversible: 'It changed no document' })
  @Refuses({ 409: ['invoice_not_issued'] })
  @LimitOperation({ name: 'invoice-rendition', maxConcurrent: 8 })
  async requestOfCreditNote(@PathId('crn') id: string, @Body() body: RequestRendition): Promise<RenditionEnvelope> {
    return this.request(id, body);
  }

  /**
   * List the renditions of a credit note
   *
   * @remarks Returns a page of renditions, newest first, in all formats, languages and states.
   */
  @ApiOperation({ operationId: 'renditions_listForCreditNote' })
  @Get(OF_CREDIT_NOTE)
  @RequireScope('finance:receivables')
  async listOfCreditNote(@PathId('crn') id: string, @Query() query: ListRenditions): Promise<RenditionPage> {
    return this.list(id, query);
  }

  /**
   * Download an invoice rendition
   *
   * @remarks Redirects (302) to the file through a signed link on this host that is valid for five minutes. While the file is
   * being rendered, the error contains `retryAfterMs`. A rendition with a newer version is rejected unless `allowStale` is
   * true. If the file was removed from storage (410), request a new rendition.
   */
  @Get(`${PATH}/:id/download`)
  @HttpCode(302)
  @RequireScope('finance:receivables')
  @ApiFoundResponse({
    description: 'Redirect to the signed link of the file',
    headers: { Location: { required: true, schema: { type: 'string', maxLength: 1000 } } },
  })
  @Refuses({ 409: ['rendition_not_ready', 'rendition_failed', 'rendition_stale'], 410: ['rendition_file_missing'] })
  async download(@PathId('rend') id: string, @Query() { allowStale = false }: DownloadRendition): Promise<void> {
    const { url } = await this.renditions.linkTo(id, { allowStale });
    setResponseHeader('Location', url);
    setResponseHeader('Cache-Control', 'private, no-store');
    setResponseHeader('Referrer-Policy', 'no-referrer');
  }

  /**
   * Create a link to an invoice rendition
   *
   * @remarks Returns the target of the download's redirect: a signed link on this host for a page that cannot send a credential
   * with it, such as the source of a frame. The link is valid for five minutes, and ends earlier with the requesting session or
   * API token, or when its user is disabled. A PDF can be `inline`, and pages of this host can frame it; every other file is an
   * attachment. The download's errors for states of a rendition apply.
   */
  @ApiOperation({ operationId: 'renditions_createLink' })
  @Post(`${PATH}/:id/links`)
  @RequireScope('finance:receivables', { freshProof: false })
  @ChangesNothing('a link is a short-lived copy of its caller’s credential for one file')
  @Refuses({ 409: ['rendition_not_ready', 'rendition_failed', 'rendition_stale'], 410: ['rendition_file_missing'] })
  async createLink(@PathId('rend') id: string, @Body() body: CreateRenditionLink): Promise<RenditionLinkEnvelope> {
    const link = toRenditionLink(await this.renditions.linkTo(id, body));
    setResponseHeader('Cache-Control', 'private, no-store');
    return created(link.url, {}, { data: link });
  }
}
