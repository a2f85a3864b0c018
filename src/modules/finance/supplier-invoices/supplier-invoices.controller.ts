import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import {
  CreateSupplierInvoice,
  ListSupplierInvoices,
  SupplierInvoiceReason,
  UpdateSupplierInvoice,
} from './supplier-invoice.dto.js';
import { SupplierInvoiceReader } from './supplier-invoice-reader.service.js';
import {
  SupplierInvoiceEnvelope,
  SupplierInvoicePage,
  toSupplierInvoice,
  toSupplierInvoiceSummary,
} from './supplier-invoice-response.dto.js';
import { SupplierInvoices } from './supplier-invoices.service.js';

const PATH = '/v1/admin/finance/supplier-invoices';

@ApiTags('Supplier invoices')
@Controller(PATH)
export class SupplierInvoicesController {
  constructor(
    private readonly invoices: SupplierInvoices,
    private readonly reader: SupplierInvoiceReader,
  ) {}

  /** Records a supplier invoice */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.supplier_invoice.create')
  @Refuses({ 409: ['duplicate_supplier_invoice'], 422: ['totals_mismatch', 'invalid_initial_status'] })
  async create(@Body() body: CreateSupplierInvoice): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.create(body);
    return created(`${PATH}/${view.invoice.id}`, view.invoice, { data: toSupplierInvoice(view) });
  }

  /** Lists supplier invoices, newest first and without their lines */
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: ListSupplierInvoices): Promise<SupplierInvoicePage> {
    const { views, total } = await this.reader.list(query);
    return { data: views.map(toSupplierInvoiceSummary), total, ...pageBounds(query) };
  }

  /** Reads a supplier invoice */
  @Get(':id')
  @RequireScope('finance:read')
  async get(@PathId('sinv') id: string): Promise<SupplierInvoiceEnvelope> {
    const view = await this.reader.get(id);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /** Changes a draft in all its fields, an approved supplier invoice in notes and dueDate */
  @Patch(':id')
  @RequireScope('finance:write')
  @Mutates('finance.supplier_invoice.update')
  @Refuses({ 409: ['invoice_locked', 'duplicate_supplier_invoice'], 422: ['totals_mismatch'] })
  async update(
    @PathId('sinv', 'id', 2) id: string,
    @Body() body: UpdateSupplierInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.update(id, body, expected);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /** Approves a draft for payment; a total of 0 is paid at once */
  @Post(':id/approval')
  @HttpCode(200)
  @RequireScope('finance:approve')
  @Mutates('finance.supplier_invoice.approve')
  @Refuses({ 409: ['invalid_transition'] })
  async approve(
    @PathId('sinv', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.approve(id, expected);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /** Makes an approved supplier invoice a draft again, as long as nothing is paid on it */
  @Post(':id/reopening')
  @HttpCode(200)
  @RequireScope('finance:approve')
  @Mutates('finance.supplier_invoice.reopen')
  @Refuses({ 409: ['invalid_transition', 'invoice_has_payments'] })
  async reopen(
    @PathId('sinv', 'id', 4) id: string,
    @Body() { reason }: SupplierInvoiceReason,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.reopen(id, reason, expected);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /** Voids a supplier invoice on which nothing is paid; its number becomes free */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('finance:void')
  @Mutates('finance.supplier_invoice.void')
  @Refuses({ 409: ['invalid_transition', 'invoice_has_payments'] })
  async void(
    @PathId('sinv', 'id', 5) id: string,
    @Body() { reason }: SupplierInvoiceReason,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.void(id, reason, expected);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }
}
