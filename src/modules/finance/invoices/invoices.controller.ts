import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { CreateInvoice, IssueInvoice, ListInvoices, UpdateInvoice, VoidInvoice } from './invoice.dto.js';
import { InvoiceDrafts } from './invoice-drafts.service.js';
import { InvoiceIssuance } from './invoice-issuance.service.js';
import { InvoiceReader } from './invoice-reader.service.js';
import { InvoiceEnvelope, InvoicePage, toInvoice, toInvoiceSummary } from './invoice-response.dto.js';
import { InvoiceVoiding } from './invoice-voiding.service.js';

const PATH = '/v1/admin/finance/invoices';

@ApiTags('Invoices')
@Controller(PATH)
export class InvoicesController {
  constructor(
    private readonly drafts: InvoiceDrafts,
    private readonly issuance: InvoiceIssuance,
    private readonly voiding: InvoiceVoiding,
    private readonly reader: InvoiceReader,
  ) {}

  /** Drafts an invoice of a booking, of one of its installments, or of given lines */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.invoice.create')
  @Refuses({
    409: ['booking_closed', 'booking_not_priced', 'schedule_cancelled', 'schedule_already_invoiced'],
    422: ['totals_mismatch', 'negative_total', 'currency_mismatch', 'invoice_exceeds_booking'],
  })
  async create(@Body() body: CreateInvoice): Promise<InvoiceEnvelope> {
    const view = await this.drafts.create(body);
    return created(`${PATH}/${view.invoice.id}`, view.invoice, { data: toInvoice(view) });
  }

  /** Lists invoices, newest first and without their lines */
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: ListInvoices): Promise<InvoicePage> {
    const { views, total } = await this.reader.list(query);
    return { data: views.map(toInvoiceSummary), total, ...pageBounds(query) };
  }

  /** Reads an invoice */
  @Get(':id')
  @RequireScope('finance:read')
  async get(@PathId('inv') id: string): Promise<InvoiceEnvelope> {
    const view = await this.reader.get(id);
    return tagged(view.invoice, { data: toInvoice(view) });
  }

  /** Changes a draft */
  @Patch(':id')
  @RequireScope('finance:write')
  @Mutates('finance.invoice.update')
  @Refuses({
    409: ['invoice_issued', 'invoice_void', 'booking_closed'],
    422: ['totals_mismatch', 'negative_total', 'invoice_exceeds_booking'],
  })
  async update(
    @PathId('inv', 'id', 2) id: string,
    @Body() body: UpdateInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.drafts.update(id, body, expected);
    return tagged(view.invoice, { data: toInvoice(view) });
  }

  /** Deletes a draft */
  @Delete(':id')
  @RequireScope('finance:delete')
  @Mutates('finance.invoice.delete')
  @Refuses({ 409: ['invoice_issued', 'invoice_void'] })
  async delete(
    @PathId('inv', 'id', 5) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<InvoiceEnvelope> {
    const view = await this.drafts.delete(id, expected);
    return tagged(view.invoice, { data: toInvoice(view) });
  }

  /** Issues a draft: it gets its number, and stays as it is from then on */
  @Post(':id/issuance')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.invoice.issue')
  @Refuses({
    409: [
      'invalid_transition',
      'booking_closed',
      'no_active_series',
      'series_inactive',
      'series_type_mismatch',
      'series_exhausted',
      'issue_date_out_of_sequence',
      'invoice_number_conflict',
    ],
  })
  async issue(
    @PathId('inv', 'id', 3) id: string,
    @Body() body: IssueInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.issuance.issue(id, body, expected);
    return tagged(view.invoice, { data: toInvoice(view) });
  }

  /** Voids an invoice on which nothing is paid; its number stays taken */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('finance:void')
  @Mutates('finance.invoice.void')
  @Refuses({ 409: ['invalid_transition', 'invoice_has_payments'] })
  async void(
    @PathId('inv', 'id', 4) id: string,
    @Body() { reason }: VoidInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.voiding.void(id, reason, expected);
    return tagged(view.invoice, { data: toInvoice(view) });
  }
}
