import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget } from '../../../platform/http/target.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { CommissionReader } from './commission-reader.service.js';
import { CommissionEnvelope, CommissionList, toCommission } from './commission-response.dto.js';
import {
  CreateCommission,
  ListCommissions,
  PayCommission,
  UpdateCommission,
  VoidCommission,
} from './commission.dto.js';
import { Commissions, type CommissionTarget } from './commissions.service.js';

@ApiTags('Commissions')
@Controller('/v1/admin/finance/booking-items/:bookingItemId/commissions')
export class CommissionsController {
  constructor(
    private readonly commissions: Commissions,
    private readonly reader: CommissionReader,
  ) {}

  /** Lists the commissions of a booking item, newest first */
  @Get()
  @RequireScope('finance:read')
  async list(
    @PathId('bkit', 'bookingItemId', 19) bookingItemId: string,
    @Query() query: ListCommissions,
  ): Promise<CommissionList> {
    return { data: (await this.reader.list(bookingItemId, query)).map(toCommission) };
  }

  /** Records what somebody earns on a booking item */
  @Post()
  @RequireScope('finance:write')
  @Mutates('finance.commission.create')
  @Refuses({
    409: [
      'booking_closed',
      'booking_item_cancelled',
      'pass_through_item',
      'commission_limit_reached',
      'channel_archived',
    ],
    422: ['cost_unknown', 'commission_exceeds_base'],
  })
  async create(
    @PathId('bkit', 'bookingItemId', 19) bookingItemId: string,
    @Body() body: CreateCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.create(bookingItemId, body);
    const path = `/v1/admin/finance/booking-items/${bookingItemId}/commissions/${line.id}`;
    return created(path, line, { data: toCommission(line) });
  }

  /** Reads a commission */
  @Get(':id')
  @RequireScope('finance:read')
  async get(
    @PathId('bkit', 'bookingItemId', 19) bookingItemId: string,
    @PathId('comm') id: string,
  ): Promise<CommissionEnvelope> {
    const line = await this.reader.get(bookingItemId, id);
    return tagged(line, { data: toCommission(line) });
  }

  /** Changes a commission that is not paid or void, and computes it anew */
  @Patch(':id')
  @RequireScope('finance:write')
  @Mutates('finance.commission.update')
  @Refuses({ 409: ['commission_locked', 'channel_archived'], 422: ['cost_unknown', 'commission_exceeds_base'] })
  async update(
    @ChangeTarget({ bookingItemId: ['bkit', 19], id: ['comm', 2] }) target: CommissionTarget,
    @Body() body: UpdateCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.update(target, body);
    return tagged(line, { data: toCommission(line) });
  }

  /** Voids a commission that is not paid */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('finance:void')
  @Mutates('finance.commission.void')
  @Refuses({ 409: ['invalid_transition'] })
  async void(
    @ChangeTarget({ bookingItemId: ['bkit', 19], id: ['comm', 3] }) target: CommissionTarget,
    @Body() { reason }: VoidCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.void(target, reason);
    return tagged(line, { data: toCommission(line) });
  }

  /** Records that a payable commission was paid out; it stays as it is from then on */
  @Post(':id/payout')
  @HttpCode(200)
  @RequireScope('finance:write')
  @Mutates('finance.commission.pay')
  @Refuses({ 409: ['invalid_transition'] })
  async payOut(
    @ChangeTarget({ bookingItemId: ['bkit', 106], id: ['comm', 4] }) target: CommissionTarget,
    @Body() payout: PayCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.payOut(target, payout);
    return tagged(line, { data: toCommission(line) });
  }
}
