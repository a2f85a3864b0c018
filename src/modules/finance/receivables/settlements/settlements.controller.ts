import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../../platform/http/if-match.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { ComputedNow, tagged } from '../../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import {
  ListSettlements,
  SettleCancellation,
  SettlementEnvelope,
  SettlementPage,
  toSettlement,
  toSettlementSummary,
} from './settlement.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { Names } from '../../../../platform/http/row-names.js';
import { SettlementsService } from './settlements.service.js';

const OF_BOOKING = 'bookings/:bookingId/cancellation-settlement';

@ApiGroup('Cancellation settlements', {
  position: 60,
  description: 'Staff: fees of cancelled bookings, and how invoices and payments of these bookings are settled.',
})
@Controller('/v1/admin/finance')
export class SettlementsController {
  constructor(
    private readonly settlements: SettlementsService,
    private readonly names: Names,
  ) {}

  /**
   * List cancellation settlements
   *
   * @remarks Returns a page of the settlements of cancelled bookings, newest first. Settlements of reinstated bookings are
   * omitted.
   */
  @Get('cancellation-settlements')
  @RequireScope('finance:read')
  async list(@Query() query: ListSettlements): Promise<SettlementPage> {
    const { rows, total } = await this.settlements.list(query);
    return { data: await this.names.beside(rows.map(toSettlementSummary), 'bookingId'), total, ...pageBounds(query) };
  }

  /**
   * Get the cancellation settlement of a booking
   *
   * @remarks Returns the settlement of a cancelled booking and, while it is open, a preview of settling it now. A booking that
   * is not cancelled has none.
   */
  @Get(OF_BOOKING)
  @ComputedNow()
  @RequireScope('finance:receivables')
  async get(@PathId('book', 'bookingId', 40) bookingId: string): Promise<SettlementEnvelope> {
    const view = await this.settlements.get(bookingId);
    return tagged(view.settlement, { data: toSettlement(view) });
  }

  /**
   * Settle the cancellation of a booking
   *
   * @remarks Deletes draft invoices, credits all issued ones in full, releases all money of the booking, and bills the fee with
   * an installment and an invoice of the purpose `cancellation_fee`, which received money pays. The money beyond the fee
   * becomes a requested refund or stays as a credit of the customer. Settling is final.
   *
   * The fee is the computed one unless `agreedFeeCents` is sent, which is required if the terms do not determine a fee. The
   * scope `finance:approve` is also required for a fee other than the computed one, and if invoices must be credited.
   */
  @Post(OF_BOOKING)
  @HttpCode(200)
  @RequireScope('finance:write', { freshProof: true })
  @Mutates('finance.cancellation_settlement.settle', {
    irreversible: 'A settlement is reversed with the reinstatement of its booking',
  })
  @BodyExample({ refund: { method: 'bank_transfer', reason: 'The customer fell ill' } })
  @Refuses({
    403: ['forbidden'],
    404: ['not_found'],
    409: [
      'settlement_done',
      'fee_needs_decision',
      'period_closed',
      'rate_missing',
      'amount_too_large',
      'no_active_series',
      'issue_date_out_of_sequence',
      'series_exhausted',
      'invoice_number_conflict',
    ],
  })
  async settle(
    @PathId('book', 'bookingId', 41) bookingId: string,
    @Body() body: SettleCancellation,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<SettlementEnvelope> {
    const settlement = await this.settlements.settle(bookingId, body, expected);
    return tagged(settlement, { data: toSettlement({ settlement, preview: null }) });
  }
}
