import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import {
  CreateSupplierInvoice,
  ListSupplierInvoices,
  SupplierInvoiceReason,
  UpdateSupplierInvoice,
} from './supplier-invoice.dto.js';
import {
  SupplierInvoiceEnvelope,
  SupplierInvoicePage,
  toSupplierInvoice,
  toSupplierInvoiceSummary,
} from './supplier-invoice-response.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SupplierInvoicesService } from './supplier-invoices.service.js';

const PATH = '/v1/admin/finance/supplier-invoices';

@ApiGroup('Supplier invoices', {
  position: 80,
  description: 'Staff: invoices received from suppliers, from the draft to approval, payment or voiding.',
})
@Controller(PATH)
export class SupplierInvoicesController {
  constructor(private readonly invoices: SupplierInvoicesService) {}

  /**
   * Create a supplier invoice
   *
   * @remarks Records an invoice received from a supplier, as a draft or, with `status: "approved"`, approved immediately (this
   * also needs the scope `finance:approve`, and is rejected if supplier invoices need two persons). An approved invoice in a
   * foreign currency that states no exchange rate is converted with the recorded one. If there is none, or if its base currency
   * is not the one of the accounts, it has no amounts in the currency of the accounts until it is reopened and approved. Totals
   * and lines must add up. The invoice number must be unique per supplier among invoices that are not void, ignoring case and
   * repeated blanks. Any other status is rejected.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.supplier_invoice.create')
  @Refuses({
    403: ['reauthentication_required'],
    409: ['duplicate_supplier_invoice', 'second_person_required', 'amount_too_large'],
    422: ['totals_mismatch', 'invalid_initial_status'],
  })
  async create(@Body() body: CreateSupplierInvoice): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.create(body);
    return created(`${PATH}/${view.invoice.id}`, view.invoice, { data: toSupplierInvoice(view) });
  }

  /**
   * List supplier invoices
   *
   * @remarks Returns a page of supplier invoices without their lines, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: ListSupplierInvoices): Promise<SupplierInvoicePage> {
    const { views, total } = await this.invoices.list(query);
    return { data: views.map(toSupplierInvoiceSummary), total, ...pageBounds(query) };
  }

  /**
   * Get a supplier invoice
   *
   * @remarks Returns the supplier invoice with its lines, its balance and warnings such as a possible duplicate.
   */
  @Get(':id')
  @RequireScope('finance:read')
  async get(@PathId('sinv') id: string): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.get(id);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /**
   * Update a supplier invoice
   *
   * @remarks Changes only the fields that are sent; `lines` replaces all lines. A draft can be changed completely, an approved
   * invoice only in `notes` and `dueDate`, a paid or void one not at all. A change of a currency needs a new `exchangeRate` or
   * null if a rate is stored. Totals must add up and the number must stay unique.
   */
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

  /**
   * Approve a supplier invoice
   *
   * @remarks Moves a draft to `approved`, after which payments can be recorded for it; an invoice with a total of 0 becomes
   * `paid` at once. The approving user is stored. The invoice is posted on its issue date, or on the first open day if the
   * month of that date is closed (`postingDate`). Any other state is rejected. If the organization's setting
   * `supplierInvoicesNeedTwoPersons` is true, a user who has entered or changed the invoice, with a session or an API token, is
   * rejected. An invoice in a foreign currency that states no exchange rate is converted with the recorded rate of its issue
   * date, or of the latest of the 7 days before (`appliedRate`); without one it is rejected: record the rate, or state that of
   * the supplier. A stated base currency must be that of the accounts.
   */
  @Post(':id/approval')
  @HttpCode(200)
  @RequireScope('finance:approve')
  @Mutates('finance.supplier_invoice.approve')
  @Refuses({
    409: ['invalid_transition', 'second_person_required', 'base_currency_mismatch', 'rate_missing', 'amount_too_large'],
  })
  async approve(
    @PathId('sinv', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.approve(id, expected);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /**
   * Reopen an approved supplier invoice
   *
   * @remarks Moves an approved supplier invoice back to `draft` so that it can be corrected. Rejected while payments are
   * allocated to it, if it is posted in a closed month (void it instead), and in any other state. A recorded exchange rate no
   * longer applies until the next approval.
   */
  @Post(':id/reopening')
  @HttpCode(200)
  @RequireScope('finance:approve')
  @Mutates('finance.supplier_invoice.reopen')
  @Refuses({ 409: ['invalid_transition', 'invoice_has_payments', 'period_closed'] })
  async reopen(
    @PathId('sinv', 'id', 4) id: string,
    @Body() { reason }: SupplierInvoiceReason,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SupplierInvoiceEnvelope> {
    const view = await this.invoices.reopen(id, reason, expected);
    return tagged(view.invoice, { data: toSupplierInvoice(view) });
  }

  /**
   * Void a supplier invoice
   *
   * @remarks Moves a draft or an approved supplier invoice to `void`; its invoice number can be used again. Rejected while
   * payments are allocated to it, and in any other state.
   */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('finance:void')
  @Mutates('finance.supplier_invoice.void', {
    irreversible: 'A void document is final: record the supplier invoice again',
  })
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
