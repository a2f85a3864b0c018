import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { created, tagged } from '../../../../platform/http/response-headers.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { PaymentSummaryEnvelope, toPaymentSummary } from '../payments/payment-response.dto.js';
import { CompleteRefund, FailRefund, RequestRefund } from './refund.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { RefundsService } from './refunds.service.js';

const PATH = '/v1/admin/finance/refunds';

@ApiGroup('Payments')
@Controller('/v1/admin/finance')
export class RefundsController {
  constructor(private readonly refunds: RefundsService) {}

  /**
   * Request a refund
   *
   * @remarks Reserves unapplied money of the booking for the customer: money of the receipt `paymentId`, otherwise of the
   * latest receipts. Money that settles an installment or an invoice must be released first; the error states the available
   * amount.
   */
  @Post('bookings/:bookingId/refunds')
  @RequireScope('finance:write', { freshProof: true })
  @Mutates('finance.refund.request')
  @Refuses({ 409: ['allocation_limit_reached'], 422: ['over_refunded'] })
  async request(
    @PathId('book', 'bookingId', 28) bookingId: string,
    @Body() body: RequestRefund,
  ): Promise<PaymentSummaryEnvelope> {
    const refund = await this.refunds.request(bookingId, body);
    return created(`${PATH}/${refund.id}`, refund, { data: toPaymentSummary(refund) });
  }

  /**
   * Get a refund
   *
   * @remarks Returns a refund in any status. `GET /v1/admin/finance/payments?kind=refund` lists them.
   */
  @Get('refunds/:id')
  @RequireScope('finance:receivables')
  async get(@PathId('pay', 'id', 7) id: string): Promise<PaymentSummaryEnvelope> {
    const refund = await this.refunds.get(id);
    return tagged(refund, { data: toPaymentSummary(refund) });
  }

  /**
   * Complete a refund
   *
   * @remarks Records that the money was sent. Only a requested refund can be completed.
   */
  @Post('refunds/:id/completion')
  @HttpCode(200)
  @RequireScope('finance:refund')
  @Mutates('finance.refund.complete', { irreversible: 'The money was sent: record it when it returns' })
  @Refuses({ 409: ['invalid_transition'], 422: ['paid_on_out_of_bounds'] })
  async complete(
    @PathId('pay', 'id', 8) id: string,
    @Body() body: CompleteRefund,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentSummaryEnvelope> {
    const refund = await this.refunds.complete(id, body, expected);
    return tagged(refund, { data: toPaymentSummary(refund) });
  }

  /**
   * Record that a refund failed
   *
   * @remarks Makes the reserved money unapplied again. Only a requested refund can fail.
   */
  @Post('refunds/:id/failure')
  @HttpCode(200)
  @RequireScope('finance:write', { freshProof: true })
  @Mutates('finance.refund.fail', { irreversible: 'A failed refund is final: request another one' })
  @Refuses({ 409: ['invalid_transition'] })
  async fail(
    @PathId('pay', 'id', 9) id: string,
    @Body() { reason }: FailRefund,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PaymentSummaryEnvelope> {
    const refund = await this.refunds.fail(id, reason, expected);
    return tagged(refund, { data: toPaymentSummary(refund) });
  }
}
