import { Controller, Get, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ListPartnerDepartures, PartnerDeparture, PartnerDeparturePage } from './partner-departure.dto.js';
import { PartnerDeparturesService } from './partner-departures.service.js';

@ApiGroup('Connect: Sales')
@Controller('/connect/v1/departures')
export class PartnerDeparturesController {
  constructor(private readonly departures: PartnerDeparturesService) {}

  /**
   * List departures with the seats of your channel
   *
   * @remarks Returns a page of departures of the products of the caller's connection, from today on, the earliest first. `available`
   * counts what the channel of the connection can sell. A caller without a connection gets none. Prices are part of the OCTO surface.
   */
  @Get()
  @RequireScope('connect:departures:read')
  async list(@Query() query: ListPartnerDepartures): Promise<PartnerDeparturePage> {
    const { rows, total } = await this.departures.list(query);
    return { data: rows, total, ...pageBounds(query) };
  }

  /**
   * Get a departure with the seats of your channel
   *
   * @remarks Returns the departure. One of a product that the connection does not sell is not found, like an unknown one.
   */
  @Get(':departureId')
  @RequireScope('connect:departures:read')
  async get(@PathId('dep', 'departureId') id: string): Promise<PartnerDeparture> {
    return this.departures.get(id);
  }
}
