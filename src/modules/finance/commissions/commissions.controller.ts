import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import {
  CommissionEnvelope,
  CommissionList,
  CommissionPage,
  CreateCommission,
  ListCommissions,
  SearchCommissions,
  toCommission,
  UpdateCommission,
  VoidCommission,
} from './commission.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Names } from '../../../platform/http/row-names.js';
import { CommissionsService, type CommissionTarget } from './commissions.service.js';

@ApiGroup('Commissions', { position: 100, description: 'Staff: commissions on booking items, from accrual to payout.' })
@Controller('/v1/admin/finance/commissions')
export class AllCommissionsController {
  constructor(
    private readonly commissions: CommissionsService,
    private readonly names: Names,
  ) {}

  /**
   * List commissions of all bookings
   *
   * @remarks Returns a page of commissions, newest first, including repayments by recipients. `from` and `to` filter by the day
   * of the payout.
   */
  @ApiOperation({ operationId: 'commissions_search' })
  @Get()
  @RequireScope('finance:read')
  async list(@Query() query: SearchCommissions): Promise<CommissionPage> {
    const { rows, total } = await this.commissions.search(query);
    return {
      data: await this.names.beside(rows.map(toCommission), 'bookingId', 'channelId'),
      total,
      ...pageBounds(query),
    };
  }
}

@ApiGroup('Commissions')
@Controller('/v1/admin/finance/booking-items/:bookingItemId/commissions')
export class CommissionsController {
  constructor(private readonly commissions: CommissionsService) {}

  /**
   * List the commissions of a booking item
   *
   * @remarks Returns all commissions of the item, newest first by default and without paging: at most 50 and their
   * adjusting lines.
   */
  @Get()
  @RequireScope('finance:read')
  async list(
    @PathId('bkit', 'bookingItemId', 19) bookingItemId: string,
    @Query() query: ListCommissions,
  ): Promise<CommissionList> {
    return { data: (await this.commissions.list(bookingItemId, query)).map(toCommission) };
  }

  /**
   * Create a commission for a booking item
   *
   * @remarks Adds a commission of a recipient for the item and computes the amount from the item's price. It is `pending` while
   * the booking is a draft, otherwise `accrued`, and becomes `payable` when its trigger is met. All commissions of an item
   * together must not exceed its price; models based on the margin need the item's cost in the booking currency. Cancelled
   * bookings, cancelled items and pass-through items are rejected. An item has at most 50 commissions.
   */
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

  /**
   * Get a commission
   *
   * @remarks Returns a commission of this booking item; a commission of another item is 404.
   */
  @Get(':id')
  @RequireScope('finance:read')
  async get(
    @PathId('bkit', 'bookingItemId', 19) bookingItemId: string,
    @PathId('comm') id: string,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.get(bookingItemId, id);
    return tagged(line, { data: toCommission(line) });
  }

  /**
   * Update a commission
   *
   * @remarks Changes only the fields that are sent and recomputes the amount. A change of the model needs the inputs of the new
   * model; the inputs of the old one are cleared. Paid and void commissions and adjusting lines cannot be changed. The limits
   * of creation apply.
   */
  @Patch(':id')
  @RequireScope('finance:write')
  @Mutates('finance.commission.update', {
    irreversible: 'The ledger keeps neither the name of the recipient nor notes: change the commission again',
  })
  @Refuses({ 409: ['commission_locked', 'channel_archived'], 422: ['cost_unknown', 'commission_exceeds_base'] })
  async update(
    @ChangeTarget({ bookingItemId: ['bkit', 19], id: ['comm', 2] }) target: CommissionTarget,
    @Body() body: UpdateCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.update(target, body);
    return tagged(line, { data: toCommission(line) });
  }

  /**
   * Void a commission
   *
   * @remarks Moves a `pending`, `accrued` or `payable` commission to `void`. Paid commissions and adjusting lines are rejected.
   */
  @Post(':id/voiding')
  @HttpCode(200)
  @RequireScope('finance:void')
  @Mutates('finance.commission.void', { irreversible: 'A void commission is final: create one' })
  @Refuses({ 409: ['invalid_transition'] })
  async void(
    @ChangeTarget({ bookingItemId: ['bkit', 19], id: ['comm', 3] }) target: CommissionTarget,
    @Body() { reason }: VoidCommission,
  ): Promise<CommissionEnvelope> {
    const line = await this.commissions.void(target, reason);
    return tagged(line, { data: toCommission(line) });
  }
}
