import { Controller, Get, Query } from '@nestjs/common';
import { hasScope, RequireScope } from '../../../platform/auth/access.js';
import { Database } from '../../../platform/database/database.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { CancellationForecastsService } from '../../bookings/index.js';
import { SettlementsService } from '../../finance/index.js';
import { CancellationPreviewEnvelope, CancellationPreviewQuery } from './cancellation-preview.dto.js';

@ApiGroup('Desk')
@Controller('/v1/admin/bookings/:bookingId/cancellation-preview')
export class CancellationPreviewsController {
  constructor(
    private readonly database: Database,
    private readonly forecasts: CancellationForecastsService,
    private readonly settlements: SettlementsService,
  ) {}

  /**
   * Preview the cancellation of a booking
   *
   * @remarks Returns the fee by the terms of the confirmation, what settling would refund, and the units that become free. Changes
   * nothing. Rejected if the state of the booking does not allow the cancellation. With `itemIds`, the fee is the sum of what
   * cancelling each of these items alone with `applyTerms` would add today.
   */
  @Get()
  @RequireScope('bookings:read')
  @Refuses({ 404: ['not_found'], 409: ['booking_closed', 'invalid_transition'], 422: ['cancelled_on_out_of_bounds'] })
  async preview(
    @PathId('book', 'bookingId', 1) bookingId: string,
    @Query() query: CancellationPreviewQuery,
  ): Promise<CancellationPreviewEnvelope> {
    return this.database.snapshot(async () => {
      const forecast = await this.forecasts.forecast(bookingId, query);
      const showsSettlement = query.itemIds === undefined && hasScope('finance:receivables');
      const settlement = showsSettlement ? await this.settlements.forecast(bookingId, forecast.feeCents) : null;
      return { data: { bookingId, ...forecast, settlement } };
    });
  }
}
