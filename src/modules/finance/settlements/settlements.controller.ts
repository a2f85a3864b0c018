import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import {
  ListSettlements,
  SettlementEnvelope,
  SettlementPage,
  toSettlement,
  toSettlementSummary,
} from './settlement.dto.js';
import { SettlementsService } from './settlements.service.js';

const OF_BOOKING = 'bookings/:bookingId/cancellation-settlement';

@ApiTags('Cancellation settlements')
@Controller('/v1/admin/finance')
export class SettlementsController {
  constructor(private readonly settlements: SettlementsService) {}

  /**
   * List cancellation settlements
   *
   * @remarks Returns a page of the settlements of cancelled bookings, newest first. Those of reinstated bookings are
   * omitted.
   */
  @Get('cancellation-settlements')
  @RequireScope('finance:read')
  async list(@Query() query: ListSettlements): Promise<SettlementPage> {
    const { rows, total } = await this.settlements.list(query);
    return { data: rows.map(toSettlementSummary), total, ...pageBounds(query) };
  }

  /**
   * Get the cancellation settlement of a booking
   *
   * @remarks Returns the settlement of a cancelled booking (404 if it is not cancelled) and, while it is open, what
   * settling it would do now.
   */
  @Get(OF_BOOKING)
  @RequireScope('finance:read')
  async get(@PathId('book', 'bookingId', 40) bookingId: string): Promise<SettlementEnvelope> {
    return { data: toSettlement(await this.settlements.get(bookingId)) };
  }
}
