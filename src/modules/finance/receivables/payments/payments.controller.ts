import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { created, tagged } from '../../../../platform/http/response-headers.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { demoId } from '../../../../platform/ids/id.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../../platform/http/route-errors.js';
import { AllocatePayment, CreatePayment, ListPayments, PaymentReversal } from './payment.dto.js';
import { PaymentEnvelope, PaymentPage, toPayment, toPaymentSummary } from './payment-response.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { Names } from '../../../../platform/http/row-names.js';
import { PaymentsService } from './payments.service.js';

const PATH = '/v1/admin/finance/payments';

@ApiGroup('Payments')
@Controller(PATH)
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly names: Names,
  ) {}

  /**
   * Record a payment
   *
   * @remarks Records money received for a booking (`direction: "in"`) or sent for an approved supplier invoice (`out`). Without
   * `allocations` received money settles the booking's open installments, oldest first, open invoices and uncovered refunds,
   * and the rest stays unapplied; outgoing money settles the supplier invoice. Amounts allocated to an invoice beyond the debt
   * of the booking also stay unapplied. Explicit allocations must not exceed the payment or what is outstanding; outgoing money
   * must be allocated completely. The currency must be that of the booking or supplier invoice. Invoices, installments and
   * commissions change their status in the same transaction. `paidOn` is not after today, not further back than the finance
   * settings allow, and for `out` not before the supplier invoice.
   */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.payment.record')
  @Refuses({
    404: ['not_found'],
    409: [
      'supplier_invoice_not_approved',
      'second_person_required',
      'schedule_cancelled',
      'invoice_not_open',
      'allocation_limit_reached',
      'invalid_transition',
    ],
    422: ['currency_mismatch', 'over_allocated', 'totals_mismatch', 'paid_on_out_of_bounds'],
  })
  @BodyExample({
    bookingId: demoId('book', 17),
    method: 'bank_transfer',
    currency: 'EUR',
    amountCents: 25_000,
    paidOn: '2025-11-03',
    reference: 'RF18 5390 0754 7034',
  })
  async record(@Body() body: CreatePayment): Promise<PaymentEnvelope> {
    const view = await this.payments.record(body);
    return created(`${PATH}/${view.payment.id}`, view.payment, { data: toPayment(view) });
  }

  /**
   * List payments
   *
   * @remarks Returns a page of payments without their allocations, newest first unless `sort` is given. Reversed
   * payments are included; filter with `status`. Payments to suppliers need the scope `finance:read`; they are
   * omitted without it.
   */
  @Get()
  @RequireScope('finance:receivables')
  async list(@Query() query: ListPayments): Promise<PaymentPage> {
    const { rows, total } = await this.payments.list(query);
    return { data: await this.names.beside(rows.map(toPaymentSummary), 'bookingId'), total, ...pageBounds(query) };
  }

  /**
   * Get a payment
   *
   * @remarks Returns the payment with its active allocations; reversed allocations are omitted. A payment to a supplier is not
   * found without the scope `finance:read`.
   */
  @Get(':id')
  @RequireScope('finance:receivables')
  async get(@PathId('pay') id: string): Promise<PaymentEnvelope> {
    const view = await this.payments.read(id);
    return tagged(view.payment, { data: toPayment(view) });
  }

  /**
   * Allocate unapplied money of a payment
   *
   * @remarks Allocates unapplied money to installments and issued invoices; without `allocations` to open installments, oldest
   * first, and `autoApply` becomes true. Earlier allocations without an invoice are also applied to invoices issued since then.
   * Allocations are effective from today. Rejected if the payment is reversed, if an allocation exceeds the unapplied or the
   * outstanding amount, or if the payment would have more than 500 active allocations.
   */
  @Post(':id/allocations')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment.allocate', { irreversible: 'Later money was allocated around it: remove the allocations' })
  @Refuses({
    409: [
      'invalid_transition',
      'supplier_invoice_not_approved',
      'second_person_required',
      'schedule_cancelled',
      'invoice_not_open',
      'allocation_limit_reached',
    ],
    422: ['over_allocated', 'currency_mismatch'],
  })
  async allocate(
    @PathId('pay', 'id', 2) id: string,
    @Body() { allocations }: AllocatePayment,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentEnvelope> {
    const view = await this.payments.allocate(id, allocations, expected);
    return tagged(view.payment, { data: toPayment(view) });
  }

  /**
   * Reverse an allocation of a payment
   *
   * @remarks Makes the money of one allocation unapplied again and reopens the installment, invoice or supplier invoice that it
   * settled. Returns the payment with its remaining allocations. The allocation stays in the history with a reversing entry,
   * and `autoApply` of the payment becomes false. An allocation that is already reversed, or one of a reversed payment, is
   * rejected.
   */
  @Delete(':id/allocations/:allocationId')
  @RequireScope('finance:delete')
  @Mutates('finance.payment.deallocate', { irreversible: 'Later money was allocated around it: allocate the payment' })
  @Refuses({ 409: ['invalid_transition'] })
  async deallocate(
    @PathId('pay', 'id', 3) id: string,
    @PathId('pall', 'allocationId', 3) allocationId: string,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentEnvelope> {
    const view = await this.payments.deallocate(id, allocationId, expected);
    return tagged(view.payment, { data: toPayment(view) });
  }

  /**
   * Reverse a payment
   *
   * @remarks Moves a payment to `reversed` and reverses all its allocations, for example after a bounced cheque. Installments,
   * invoices, supplier invoices and commissions that depended on it change back. A payment can be reversed once; one side of a
   * transfer not at all. `reversedOn` is between `paidOn` and today. Requested refunds of the money fail; the customer owes a
   * completed refund that is no longer covered.
   */
  @Post(':id/reversal')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment.reverse', { irreversible: 'A reversed payment is final: record the payment again' })
  @Refuses({
    409: ['invalid_transition', 'payment_is_transfer', 'commission_adjusted'],
    422: ['paid_on_out_of_bounds'],
  })
  async reverse(
    @PathId('pay', 'id', 4) id: string,
    @Body() body: PaymentReversal,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentEnvelope> {
    const view = await this.payments.reverse(id, body, expected);
    return tagged(view.payment, { data: toPayment(view) });
  }
}
