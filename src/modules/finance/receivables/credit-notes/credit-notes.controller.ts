import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../../platform/auth/access.js';
import { Clock } from '../../../../platform/clock/clock.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { NoBody } from '../../../../platform/http/no-body.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { ComputedNow, created, tagged } from '../../../../platform/http/response-headers.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { toInvoice } from '../invoices/invoice-response.dto.js';
import {
  CorrectInvoice,
  CorrectionEnvelope,
  CreateCreditNote,
  CreditNoteEnvelope,
  CreditNotePage,
  IssueCreditNote,
  ListCreditNotes,
  toCreditNote,
  toCreditNoteSummary,
  UpdateCreditNote,
} from './credit-note.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { Names } from '../../../../platform/http/row-names.js';
import { CreditNotesService } from './credit-notes.service.js';

const PATH = 'v1/admin/finance/credit-notes';

@ApiGroup('Invoices', {
  position: 40,
  description: 'Staff: customer invoices, their printed renditions and the number series that they are issued from.',
})
@Controller()
export class CreditNotesController {
  constructor(
    private readonly notes: CreditNotesService,
    private readonly clock: Clock,
    private readonly names: Names,
  ) {}

  /**
   * Create a draft credit note
   *
   * @remarks Creates a draft for an issued invoice that is neither void nor credited in full. With the reasons
   * `booking_changed` and `cancellation` it credits at most the amount billed beyond the price of the booking; without `lines`
   * exactly this amount, first from lines of items that are cancelled or cost less, then from the last lines. With `correction`
   * and `goodwill` it can credit the whole rest. More is rejected, which names what is `available`; drafts of other credit
   * notes count. Goodwill for a cancelled booking lowers its fee, and is rejected for other invoices.
   */
  @Post(PATH)
  @RequireScope('finance:approve')
  @Mutates('finance.credit_note.create')
  @Refuses({ 409: ['invoice_not_open', 'booking_closed'], 422: ['over_credited', 'negative_total'] })
  async create(@Body() body: CreateCreditNote): Promise<CreditNoteEnvelope> {
    const view = await this.notes.create(body);
    return created(`/${PATH}/${view.note.id}`, view.note, { data: toCreditNote(view) });
  }

  /**
   * List credit notes
   *
   * @remarks Returns a page of credit notes without their lines, newest first unless `sort` is given.
   */
  @Get(PATH)
  @RequireScope('finance:receivables')
  async list(@Query() query: ListCreditNotes): Promise<CreditNotePage> {
    const { rows, total } = await this.notes.list(query);
    return { data: await this.names.beside(rows.map(toCreditNoteSummary), 'bookingId'), total, ...pageBounds(query) };
  }

  /**
   * Get a credit note
   *
   * @remarks Returns the credit note with its lines.
   */
  @Get(`${PATH}/:id`)
  @ComputedNow()
  @RequireScope('finance:receivables')
  async get(@PathId('crn') id: string): Promise<CreditNoteEnvelope> {
    const view = await this.notes.get(id);
    return tagged(view.note, { data: toCreditNote(view) });
  }

  /**
   * Update a draft credit note
   *
   * @remarks Changes only the fields that are sent; `lines` replaces all lines. An issued credit note is rejected.
   */
  @Patch(`${PATH}/:id`)
  @RequireScope('finance:approve')
  @Mutates('finance.credit_note.update', { irreversible: 'A draft has no effect yet: change it again' })
  @Refuses({ 409: ['credit_note_final'], 422: ['over_credited', 'negative_total'] })
  async update(
    @PathId('crn', 'id', 2) id: string,
    @Body() body: UpdateCreditNote,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CreditNoteEnvelope> {
    const view = await this.notes.update(id, body, expected);
    return tagged(view.note, { data: toCreditNote(view) });
  }

  /**
   * Delete a draft credit note
   *
   * @remarks Deletes a draft with its lines and returns it as it was. An issued credit note is rejected.
   */
  @Delete(`${PATH}/:id`)
  @RequireScope('finance:approve')
  @Mutates('finance.credit_note.delete', { irreversible: 'The draft had no number and no effect: create one' })
  @Refuses({ 409: ['credit_note_final'] })
  async delete(
    @PathId('crn', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<CreditNoteEnvelope> {
    const view = await this.notes.delete(id, expected);
    return tagged(view.note, { data: toCreditNote(view) });
  }

  /**
   * Issue a credit note
   *
   * @remarks Assigns the next number of the series for credit notes; the credit note is then final. It first reduces the open
   * balance of the invoice (`openReducedCents`); the rest releases money paid on it, the latest first (`releasedCents`).
   * Goodwill also adds an item of type `adjustment` that lowers the price of the booking, or lowers the fee of a cancelled one.
   * If the invoice was voided meanwhile, the credit note is rejected. The issue date must be within the limits of the settings
   * and not before the issue date of the invoice. A stale draft is rejected unless `onStale` is `redraw`. The amounts in the
   * base currency are shares of the invoice's: a credit note keeps the exchange rate of the invoice, because it lowers a tax
   * that was computed with that rate.
   */
  @Post(`${PATH}/:id/issuance`)
  @HttpCode(200)
  @RequireScope('finance:approve')
  @Mutates('finance.credit_note.issue', {
    irreversible: 'An issued document is final: issue an invoice for the amount',
  })
  @Refuses({
    409: [
      'credit_note_final',
      'draft_stale',
      'invoice_not_open',
      'booking_closed',
      'item_limit_reached',
      'period_closed',
      'no_active_series',
      'series_inactive',
      'series_type_mismatch',
      'series_exhausted',
      'issue_date_out_of_sequence',
      'invoice_number_conflict',
    ],
    422: ['over_credited', 'negative_total', 'issue_date_out_of_bounds'],
  })
  async issue(
    @PathId('crn', 'id', 4) id: string,
    @Body() body: IssueCreditNote,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CreditNoteEnvelope> {
    const view = await this.notes.issue(id, body, expected);
    return tagged(view.note, { data: toCreditNote(view) });
  }

  /**
   * Correct an invoice
   *
   * @remarks Credits an issued invoice in full, with a credit note that is issued immediately, and creates a draft for the same
   * installment or booking that replaces the invoice, in one transaction. Amounts billed at an earlier rate of a tax code keep
   * this rate on the draft. Members of the payer that are not sent are copied. The money of the invoice stays on its
   * installment, or becomes unapplied until the draft is issued.
   */
  @ApiOperation({ operationId: 'invoices_correct' })
  @Post('v1/admin/finance/invoices/:id/correction')
  @RequireScope('finance:approve')
  @Mutates('finance.invoice.correct', { irreversible: 'Its credit note is final: issue the new invoice' })
  @Refuses({
    409: [
      'invoice_not_open',
      'booking_closed',
      'booking_not_priced',
      'schedule_cancelled',
      'schedule_already_invoiced',
      'credit_due',
      'period_closed',
      'no_active_series',
      'series_exhausted',
      'issue_date_out_of_sequence',
      'invoice_number_conflict',
    ],
    422: ['invoice_exceeds_booking', 'totals_mismatch', 'negative_total', 'issue_date_out_of_bounds'],
  })
  async correct(
    @PathId('inv', 'id', 1) id: string,
    @Body() body: CorrectInvoice,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<CorrectionEnvelope> {
    const { creditNote, invoice } = await this.notes.correct(id, body, expected);
    const data = { creditNote: toCreditNote(creditNote), invoice: toInvoice(invoice, this.clock.today()) };
    return created(`/v1/admin/finance/invoices/${data.invoice.id}`, {}, { data });
  }
}
