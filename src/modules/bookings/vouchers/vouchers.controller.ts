import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  IssuedVouchersEnvelope,
  IssueVouchers,
  ListVouchers,
  ReinstateVoucher,
  toVoucher,
  VoidVoucher,
  VoucherEnvelope,
  VoucherPage,
} from './voucher.dto.js';
import { VouchersService } from './vouchers.service.js';

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings/:bookingId/vouchers')
export class VouchersController {
  constructor(private readonly vouchers: VouchersService) {}

  /**
   * List the vouchers of a booking
   *
   * @remarks Returns a page of vouchers, oldest first, including void ones; filter with `status`. A code admits
   * anyone who presents it.
   */
  @Get()
  @RequireScope('bookings:read')
  async list(@PathId('book', 'bookingId', 6) bookingId: string, @Query() query: ListVouchers): Promise<VoucherPage> {
    const { rows, total } = await this.vouchers.list(bookingId, query);
    return { data: rows.map(toVoucher), total, ...pageBounds(query) };
  }

  /**
   * Issue vouchers
   *
   * @remarks Issues the vouchers that items lack, even if staff voided earlier ones: one for each traveler of an item that sells a
   * unit and whose people all have a traveler (at most 50), otherwise one for the item. Returns the valid vouchers of the items; a
   * repetition issues none. Products with the rule `on_confirmation` or `when_paid` get theirs without this call. Rejected for a
   * booking that is not confirmed, and while a balance is due for a product with the rule `when_paid`.
   */
  @Post()
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.voucher.issue')
  @Refuses({
    404: ['not_found'],
    409: ['booking_not_confirmed', 'balance_outstanding', 'booking_item_cancelled'],
    422: ['voucher_not_applicable'],
  })
  async issue(
    @PathId('book', 'bookingId', 16) bookingId: string,
    @Body() { itemIds }: IssueVouchers,
  ): Promise<IssuedVouchersEnvelope> {
    return { data: (await this.vouchers.issue(bookingId, itemIds)).map(toVoucher) };
  }

  /**
   * Get a voucher
   *
   * @remarks Returns a voucher of this booking; a voucher of another booking is 404.
   */
  @Get(':voucherId')
  @RequireScope('bookings:read')
  async get(
    @PathId('book', 'bookingId', 6) bookingId: string,
    @PathId('vchr', 'voucherId') voucherId: string,
  ): Promise<VoucherEnvelope> {
    const voucher = await this.vouchers.get({ bookingId, voucherId });
    return tagged(voucher, { data: toVoucher(voucher) });
  }

  /**
   * Void a voucher
   *
   * @remarks The code no longer admits anyone. No other voucher is issued for the item unless staff issue it. Vouchers of
   * cancelled items and of travelers who lose their seat become void without this call. A redeemed voucher is rejected: delete its
   * redemption first.
   */
  @Post(':voucherId/voiding')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.voucher.void')
  @Refuses({ 409: ['already_redeemed', 'voucher_void'] })
  async void(
    @ChangeTarget({ bookingId: ['book', 7], voucherId: ['vchr', 2] }) target: Target<'bookingId' | 'voucherId'>,
    @Body() { reason }: VoidVoucher,
  ): Promise<VoucherEnvelope> {
    const voucher = await this.vouchers.void(target, reason);
    return tagged(voucher, { data: toVoucher(voucher) });
  }

  /**
   * Reinstate a void voucher
   *
   * @remarks Makes the voucher valid again, with the same code. Rejected if its item is cancelled, its traveler has lost the seat, or
   * another voucher replaces it. A reinstated item or booking takes its vouchers back without this call.
   */
  @Post(':voucherId/reinstatement')
  @HttpCode(200)
  @RequireScope('bookings:write')
  @Mutates('bookings.voucher.reinstate')
  @Refuses({
    409: ['balance_outstanding', 'booking_item_cancelled', 'invalid_transition', 'seat_lost', 'voucher_replaced'],
  })
  async reinstate(
    @ChangeTarget({ bookingId: ['book', 43], voucherId: ['vchr', 3] }) target: Target<'bookingId' | 'voucherId'>,
    @Body() { reason }: ReinstateVoucher,
  ): Promise<VoucherEnvelope> {
    const voucher = await this.vouchers.reinstate(target, reason);
    return tagged(voucher, { data: toVoucher(voucher) });
  }
}
