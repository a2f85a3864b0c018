import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { demoId } from '../../../platform/id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import { AllocatePayment, CreatePayment, ListPayments, PaymentReversal } from './payment.dto.js';
import { PaymentReader } from './payment-reader.service.js';
import { PaymentEnvelope, PaymentPage, toPayment, toPaymentSummary } from './payment-response.dto.js';
import { Payments } from './payments.service.js';

const PATH = '/v1/admin/finance/payments';

@ApiTags('Payments')
@Controller(PATH)
export class PaymentsController {
  constructor(
    private readonly payments: Payments,
    private readonly reader: PaymentReader,
  ) {}

  /** Records money received for a booking, or sent to a supplier, and what it settles */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.payment.record')
  @Refuses({
    404: ['not_found'],
    409: ['supplier_invoice_not_approved', 'schedule_cancelled', 'invoice_not_open', 'allocation_limit_reached'],
    422: ['currency_mismatch', 'over_allocated', 'totals_mismatch'],
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

  /** Lists payments, newest first and without their allocations */
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: ListPayments): Promise<PaymentPage> {
    const { payments, total } = await this.reader.list(query);
    return { data: payments.map(toPaymentSummary), total, ...pageBounds(query) };
  }

  /** Reads a payment and what it settles */
  @Get(':id')
  @RequireScope('finance:read')
  async get(@PathId('pay') id: string): Promise<PaymentEnvelope> {
    const view = await this.reader.get(id);
    return tagged(view.payment, { data: toPayment(view) });
  }

  /** Puts unapplied money of a payment to use, and lets what came early count on invoices that were issued since */
  @Post(':id/allocations')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment.allocate')
  @Refuses({
    409: [
      'invalid_transition',
      'supplier_invoice_not_approved',
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

  /** Takes an allocation back; its money is unapplied, and what it had settled is open again */
  @Delete(':id/allocations/:allocationId')
  @RequireScope('finance:delete')
  @Mutates('finance.payment.deallocate')
  @Refuses({ 409: ['invalid_transition'] })
  async deallocate(
    @PathId('pay', 'id', 3) id: string,
    @PathId('pall', 'allocationId', 3) allocationId: string,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentEnvelope> {
    const view = await this.payments.deallocate(id, allocationId, expected);
    return tagged(view.payment, { data: toPayment(view) });
  }

  /** Takes a payment back, and all that it settled */
  @Post(':id/reversal')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.payment.reverse')
  @Refuses({ 409: ['invalid_transition'] })
  async reverse(
    @PathId('pay', 'id', 4) id: string,
    @Body() { reason }: PaymentReversal,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentEnvelope> {
    const view = await this.payments.reverse(id, reason, expected);
    return tagged(view.payment, { data: toPayment(view) });
  }
}
