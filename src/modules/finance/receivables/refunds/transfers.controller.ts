import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../../platform/auth/access.js';
import { pageBounds } from '../../../../platform/http/dto.js';
import { PathId } from '../../../../platform/http/path-id.js';
import { created } from '../../../../platform/http/response-headers.js';
import { Refuses } from '../../../../platform/http/route-errors.js';
import { Mutates } from '../../../../platform/idempotency/mutates.js';
import { CreateTransfer, ReverseTransfer } from './refund.dto.js';
import { ListTransfers, toTransfer, TransferEnvelope, TransferPage } from './transfer-response.dto.js';
import { ApiGroup } from '../../../../platform/http/api-group.js';
import { TransfersService } from './transfers.service.js';

@ApiGroup('Payments')
@Controller('/v1/admin/finance')
export class TransfersController {
  constructor(private readonly transfers: TransfersService) {}

  /**
   * Transfer money to another booking
   *
   * @remarks Moves unapplied money to another booking of the same customer, where it settles debts. Bookings are of the same
   * customer if their e-mail addresses are equal, ignoring upper and lower case. The amount must not exceed the unapplied
   * money.
   */
  @Post('bookings/:bookingId/transfers')
  @RequireScope('finance:write')
  @Mutates('finance.transfer.create')
  @Refuses({
    404: ['not_found'],
    409: ['customer_mismatch', 'allocation_limit_reached'],
    422: ['currency_mismatch', 'over_refunded'],
  })
  async create(
    @PathId('book', 'bookingId', 28) bookingId: string,
    @Body() body: CreateTransfer,
  ): Promise<TransferEnvelope> {
    const transfer = await this.transfers.create(bookingId, body);
    return created(
      `/v1/admin/finance/transfers/${String(transfer.from.transferId)}`,
      {},
      { data: toTransfer(transfer) },
    );
  }

  /**
   * List transfers
   *
   * @remarks Returns a page of transfers between bookings, newest first. Reversed ones are included; filter with `status`.
   */
  @Get('transfers')
  @RequireScope('finance:read')
  async list(@Query() query: ListTransfers): Promise<TransferPage> {
    const { transfers, total } = await this.transfers.list(query);
    return { data: transfers.map(toTransfer), total, ...pageBounds(query) };
  }

  /**
   * Get a transfer
   *
   * @remarks Returns a transfer with the payments on both of its sides.
   */
  @Get('transfers/:id')
  @RequireScope('finance:read')
  async get(@PathId('ptrf') id: string): Promise<TransferEnvelope> {
    return { data: toTransfer(await this.transfers.get(id)) };
  }

  /**
   * Reverse a transfer
   *
   * @remarks Moves the money back. The other booking must still have this amount of unapplied money. A transfer can be reversed
   * once.
   */
  @Post('transfers/:id/reversal')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.transfer.reverse', { irreversible: 'A reversed transfer is final: transfer again' })
  @Refuses({ 409: ['invalid_transition', 'transfer_used'] })
  async reverse(@PathId('ptrf') id: string, @Body() { reason }: ReverseTransfer): Promise<TransferEnvelope> {
    return { data: toTransfer(await this.transfers.reverse(id, reason)) };
  }
}
