import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { CreateTrip, ListTrips, toTrip, TripEnvelope, TripPage, UpdateTrip } from './trip.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Names } from '../../../platform/http/row-names.js';
import { TripsService } from './trips.service.js';

const PATH = '/v1/admin/trips';

@ApiGroup('Trips')
@Controller(PATH)
export class TripsController {
  constructor(
    private readonly trips: TripsService,
    private readonly names: Names,
  ) {}

  /**
   * Create a trip
   *
   * @remarks Creates a draft without components. The currency applies to all components and cannot be changed later. The
   * customer must be active.
   */
  @Post()
  @RequireScope('trips:write')
  @Mutates('trips.trip.create')
  @Refuses({ 404: ['not_found'], 409: ['customer_archived', 'customer_merged', 'customer_erased'] })
  async create(@Body() body: CreateTrip): Promise<TripEnvelope> {
    const view = await this.trips.create(body);
    return created(`${PATH}/${view.trip.id}`, view.trip, { data: toTrip(view) });
  }

  /**
   * List trips
   *
   * @remarks Returns a page of trips with their components, newest first unless `sort` is given.
   */
  @Get()
  @RequireScope('trips:read')
  async list(@Query() query: ListTrips): Promise<TripPage> {
    const { views, total } = await this.trips.list(query);
    return { data: await this.names.beside(views.map(toTrip), 'bookingId', 'customerId'), total, ...pageBounds(query) };
  }

  /**
   * Get a trip
   *
   * @remarks Returns the trip with its components and the last attempt to reserve it.
   */
  @Get(':envelopeId')
  @RequireScope('trips:read')
  async get(@PathId('trip', 'envelopeId') id: string): Promise<TripEnvelope> {
    const view = await this.trips.get(id);
    return tagged(view.trip, { data: toTrip(view) });
  }

  /**
   * Update a trip
   *
   * @remarks Changes the title, the customer or the travelers; `travelerParty` replaces the whole party. New travelers clear all
   * prices and move a priced trip back to `draft`. The title can be changed in every state, the customer until the trip is booked
   * or cancelled, the travelers only in `draft`, `priced`, `failed` and `expired`.
   *
   * Units are sold at the prices of the channel in the agency terms of the customer. If the trip has units, a customer of another
   * channel clears their prices, and is possible only in the states in which the travelers can be changed.
   */
  @Patch(':envelopeId')
  @RequireScope('trips:write')
  @Mutates('trips.trip.update', {
    irreversible: 'The ledger keeps no data of the travelling party: change the trip again',
  })
  @Refuses({ 409: ['customer_archived', 'customer_merged', 'customer_erased', 'invalid_transition'] })
  async update(
    @PathId('trip', 'envelopeId', 2) id: string,
    @Body() body: UpdateTrip,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TripEnvelope> {
    const view = await this.trips.update(id, body, expected);
    return tagged(view.trip, { data: toTrip(view) });
  }
}
