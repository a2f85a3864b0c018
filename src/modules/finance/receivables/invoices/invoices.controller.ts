import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { Clock } from '../../../../platform/clock/clock.js';
import { ComputedNow, created, tagged } from '../../../../platform/http/response-headers.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { NoBody } from '../../../../platform/http/no-body.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import {
  CreateInvoice,
  DeliverInvoice,
  IssueInvoice,
  ListInvoices,
  RedrawInvoice,
  UpdateInvoice,
  VoidInvoice,
} from './invoice.dto.js';
import { InvoiceEnvelope, InvoicePage, toInvoice, toInvoiceSummary } from './invoice-response.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { Names } from '../../../../platform/http/row-names.js';
import { InvoicesService } from './invoices.service.js';

const PATH = '/v1/admin/finance/invoices';

@ApiGroup('Invoices')
@Controller(PATH)
export class InvoicesController {
  constructor(
    private readonly invoices: InvoicesService,
    private readonly clock: Clock,
    private readonly names: Names,
  ) {}

  /**
   * Create a draft invoice
   *
   * @remarks Creates a draft for a booking. Without `lines` it gets one line per active item of the booking. For an installment
   * (`scheduleId`), or if a part of the booking is billed or waived, it gets one line per tax code with the unbilled amount and
   * its share of the tax, so that all documents add up to the tax of the items. If documents bill more than is owed, or a wrong
   * tax, they must be credited first. Amounts that are sent must equal the computed ones, and all invoices of the booking that
   * are not void must not exceed the booking total. An installment can be on one invoice that is not void. Of a cancelled
   * booking only the fee can be invoiced again, by its installment, after its invoice was credited or voided. Bookings without
   * items are rejected.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.invoice.create')
  @Refuses({
    400: ['tax_code_required'],
    409: ['booking_closed', 'booking_not_priced', 'credit_due', 'schedule_cancelled', 'schedule_already_invoiced'],
    422: ['totals_mismatch', 'negative_total', 'currency_mismatch', 'invoice_exceeds_booking', 'tax_rate_missing'],
  })
  async create(@Body() body: CreateInvoice): Promise<InvoiceEnvelope> {
    const view = await this.invoices.create(body);
    return created(`${PATH}/${view.invoice.id}`, view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * List invoices
   *
   * @remarks Returns a page of invoices without their lines, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('finance:receivables')
  async list(@Query() query: ListInvoices): Promise<InvoicePage> {
    const { rows, total } = await this.invoices.list(query);
    const today = this.clock.today();
    return {
      data: await this.names.beside(
        rows.map((invoice) => toInvoiceSummary(invoice, today)),
        'bookingId',
      ),
      total,
      ...pageBounds(query),
    };
  }

  /**
   * Get an invoice
   *
   * @remarks Returns the invoice with its lines. `overdue` is computed for today in the organization's time zone.
   */
  @Get(':id')
  @ComputedNow()
  @RequireScope('finance:receivables')
  async get(@PathId('inv') id: string): Promise<InvoiceEnvelope> {
    const view = await this.invoices.get(id);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * Update a draft invoice
   *
   * @remarks Changes only the fields that are sent; `lines` replaces all lines, and totals are recomputed. Only drafts can be
   * changed. Amounts must add up, the total must not be negative, and a higher total must fit the booking total.
   */
  @Patch(':id')
  @RequireScope('finance:write')
  @Mutates('finance.invoice.update', { irreversible: 'A draft has no effect yet: change it again' })
  @Refuses({
    400: ['tax_code_required'],
    409: ['invoice_issued', 'invoice_void', 'booking_closed', 'credit_due'],
    422: ['totals_mismatch', 'negative_total', 'invoice_exceeds_booking', 'tax_rate_missing'],
  })
  async update(
    @PathId('inv', 'id', 2) id: string,
    @Body() body: UpdateInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.invoices.update(id, body, expected);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * Delete a draft invoice
   *
   * @remarks Deletes a draft with its lines and returns it; it can no longer be read. An issued invoice cannot be deleted; void
   * it instead.
   */
  @Delete(':id')
  @RequireScope('finance:delete')
  @Mutates('finance.invoice.delete', { irreversible: 'The draft had no number and no effect: create one' })
  @Refuses({ 409: ['invoice_issued', 'invoice_void'] })
  async delete(
    @PathId('inv', 'id', 5) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<InvoiceEnvelope> {
    const view = await this.invoices.delete(id, expected);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * Issue an invoice
   *
   * @remarks Assigns the next number of the series, the issue date and the seller's details to a draft; its contents cannot be
   * changed afterwards. Without `seriesId` the default series for invoices is used, or the only active one. The issue date must
   * not be earlier than the last one of the series in its period. Payments already received for the booking or installment are
   * counted, so the invoice can become `partially_paid` or `paid` at once; a total of 0 is `paid`. The issue date must be
   * within the limits of the settings and not after today. If the booking was changed since the draft was made, the draft is
   * stale: `onStale: "redraw"` computes it again and issues it. Drafts reserve nothing: of two drafts for the same amount, the
   * second is rejected. An invoice in a foreign currency is converted with the exchange rate of its issue date, or of the
   * latest of the 7 days before; without a rate it is rejected. A cancelled booking is rejected unless the invoice bills its
   * cancellation fee. An invoice with reverse charge needs the tax ID of the payer, and a tax ID needs the address. All issued
   * invoices of a booking together must not exceed what it costs.
   */
  @Post(':id/issuance')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.invoice.issue', { irreversible: 'An issued document is final: void or credit it' })
  @Refuses({
    409: [
      'invalid_transition',
      'booking_closed',
      'booking_not_priced',
      'draft_stale',
      'lines_are_manual',
      'schedule_cancelled',
      'credit_due',
      'period_closed',
      'rate_missing',
      'amount_too_large',
      'no_active_series',
      'series_inactive',
      'series_type_mismatch',
      'series_exhausted',
      'issue_date_out_of_sequence',
      'invoice_number_conflict',
    ],
    422: ['issue_date_out_of_bounds', 'invoice_exceeds_booking', 'totals_mismatch', 'negative_total'],
  })
  async issue(
    @PathId('inv', 'id', 3) id: string,
    @Body() body: IssueInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.invoices.issue(id, body, expected);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * Void an invoice
   *
   * @remarks Moves a draft or an issued invoice to `void`. Its number is not used again, and its booking or installment can be
   * invoiced again. It is rejected if it was already paid, credited or sent, if its month is closed, or after the month of its
   * issue date; the error names the reason: `paid`, `credited`, `sent`, `month_closed` or `month_over`.
   */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('finance:void')
  @Mutates('finance.invoice.void', { irreversible: 'A void document is final: issue an invoice' })
  @Refuses({ 409: ['invalid_transition', 'credit_note_required'] })
  async void(
    @PathId('inv', 'id', 4) id: string,
    @Body() { reason }: VoidInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.invoices.void(id, reason, expected);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * Redraw a draft invoice
   *
   * @remarks Computes the lines, the payer and, for an installment, the due date again from the booking. A payer that staff
   * entered stays. Lines that staff entered are rejected unless `discardLines` is true.
   */
  @Post(':id/redrawing')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.invoice.redraw', {
    irreversible: 'The draft follows the booking: change the booking, or the lines of the draft',
  })
  @Refuses({
    409: [
      'invoice_issued',
      'invoice_void',
      'booking_closed',
      'booking_not_priced',
      'lines_are_manual',
      'credit_due',
      'schedule_cancelled',
    ],
    422: ['invoice_exceeds_booking', 'totals_mismatch', 'negative_total'],
  })
  async redraw(
    @PathId('inv', 'id', 2) id: string,
    @Body() body: RedrawInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.invoices.redraw(id, body, expected);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }

  /**
   * Record the sending of an invoice
   *
   * @remarks Records that the customer has an issued invoice. From then on it cannot be voided, only credited. A day before the
   * issue date or after today is rejected, as is a second sending.
   */
  @Post(':id/delivery')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.invoice.deliver')
  @Refuses({ 409: ['invoice_not_issued', 'invoice_void', 'invoice_sent'] })
  async deliver(
    @PathId('inv', 'id', 1) id: string,
    @Body() body: DeliverInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<InvoiceEnvelope> {
    const view = await this.invoices.deliver(id, body, expected);
    return tagged(view.invoice, { data: toInvoice(view, this.clock.today()) });
  }
}
