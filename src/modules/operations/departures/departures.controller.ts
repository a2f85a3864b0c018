import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { ChangeTarget, type ExpectedVersions, IfMatch, type Target } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import {
  ChangeDepartureQuery,
  CreateDeparture,
  DepartureChangeEnvelope,
  DepartureDetailEnvelope,
  DepartureEnvelope,
  DeparturePage,
  ListDepartures,
  toDeparture,
  UpdateDeparture,
} from './departure.dto.js';
import { CancelDeparture, DepartureDecision } from './departure-decision.dto.js';
import { DepartureFollowersEnvelope, toDepartureFollowers } from './departure-followers.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Names } from '../../../platform/http/row-names.js';
import { DeparturesService } from './departures.service.js';

const PATH = '/v1/admin/operations/departures';

@ApiGroup('Departures', {
  position: 150,
  description: 'Staff: dated departures of a product, their capacity and their cancellation.',
})
@Controller(PATH)
export class DeparturesController {
  constructor(
    private readonly departures: DeparturesService,
    private readonly names: Names,
  ) {}

  /**
   * Create a departure
   *
   * @remarks Schedules a departure of a product with its capacity and price. Active allotments that cover its start date get a
   * slot on it; if their units exceed the capacity, nothing is created. The facility must exist and must not be archived. A
   * product needs no record; if it has one, it must not be archived.
   *
   * `endsAt`, `timeZone` and `capacity` are required unless the record of the product has the duration, the time zone and the
   * capacity. `facilityId`, `taxCodeId`, `cutoff`, `minParticipants` and `decideBy` also come from the record if they are
   * omitted; `cutoff` is the option's cut-off, otherwise the product's. Null means none. A later change of the product does not
   * change its departures.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.departure.create')
  @Refuses({
    404: ['not_found'],
    409: ['capacity_exceeded', 'facility_archived', 'product_archived', 'tax_code_inactive'],
    422: ['option_mismatch', 'unit_mismatch'],
  })
  async create(@Body() body: CreateDeparture): Promise<DepartureEnvelope> {
    const departure = await this.departures.create(body);
    return created(`${PATH}/${departure.id}`, departure, { data: toDeparture(departure) });
  }

  /**
   * List departures
   *
   * @remarks Returns a page of departures by start, the earliest first, unless `sort` is given. Past and cancelled
   * departures are included; filter with `startFrom`, `status`, `salesState`, `attention` and `understaffed`.
   */
  @Get()
  @RequireScope('operations:read')
  async list(@Query() query: ListDepartures): Promise<DeparturePage> {
    const { views, total } = await this.departures.list(query);
    return { data: await this.names.beside(views.map(toDeparture), 'productId'), total, ...pageBounds(query) };
  }

  /**
   * Get a departure
   *
   * @remarks Returns the departure with its units (sold, held, guaranteed to channels and available) and its sales state, and warns
   * about its resources: unmet needs of the product, vehicles with too few seats, documents that expire before the end.
   */
  @Get(':id')
  @RequireScope('operations:read')
  @ComputedNow()
  async get(@PathId('dep') id: string): Promise<DepartureDetailEnvelope> {
    const departure = await this.departures.get(id);
    const resourceWarnings = await this.departures.listResourceWarnings(id);
    return tagged(departure, { data: toDeparture(departure), resourceWarnings });
  }

  /**
   * Update a departure
   *
   * @remarks Changes only the fields that are sent; the product is fixed. The capacity must not be below sold, held and
   * guaranteed units. If the departure moves to another day, booking items, payment plans and trip components follow in the
   * background; `followers` is the number of bookings. A departure with sold or held units cannot be moved into the past, and a
   * cancelled one cannot be changed. `optionId` cannot be set while units of another option are sold or held (`departure_in_use`; the
   * error lists their `optionIds`).
   *
   * A move out of the validity of an allotment suspends the unsold units of its slot; a move back returns them. If the pool
   * then has too few, the move is rejected (the error lists the `slots`) or, with `onShortage=reduce`, the slots return with
   * fewer units and `warnings` lists them. A move within the validity reschedules the release steps: the units of an executed
   * step that is in the future again are reclaimed as far as the pool has units left.
   *
   * Its resources move along. If one is not free then, the move is rejected (the error lists the `conflicts`) or, with
   * `onResourceConflict=unassign`, it is taken from the departure and listed in `unassigned`.
   */
  @Patch(':id')
  @RequireScope('operations:write')
  @Mutates('operations.departure.update')
  @BodyExample({ capacity: 24, priceCents: 6100 })
  @Refuses({
    409: [
      ...['capacity_exceeded', 'departure_called_off', 'departure_cancelled', 'departure_in_past', 'departure_in_use'],
      ...['facility_archived', 'product_archived', 'resource_conflict', 'tax_code_inactive'],
    ],
    422: ['option_mismatch', 'unit_mismatch'],
  })
  async update(
    @ChangeTarget({ id: ['dep', 2] }) { id, expected }: Target<'id'>,
    @Body() body: UpdateDeparture,
    @Query() query: ChangeDepartureQuery,
  ): Promise<DepartureChangeEnvelope> {
    const { departure, ...effects } = await this.departures.update(id, body, { expected, ...query });
    return tagged(departure, { data: toDeparture(departure), ...effects });
  }

  /**
   * List the bookings and trips that follow a moved departure
   *
   * @remarks Shows how many bookings and trips are on the departure, and which of them are still on another day. They follow in
   * the background; a record whose change is rejected stays in the list and is retried.
   */
  @ApiOperation({ operationId: 'departures_listFollowers' })
  @Get(':id/followers')
  @RequireScope('operations:read')
  async followers(@PathId('dep', 'id', 3) id: string): Promise<DepartureFollowersEnvelope> {
    return { data: toDepartureFollowers(await this.departures.listFollowers(id)) };
  }

  /**
   * Cancel a departure
   *
   * @remarks Cancels a departure and returns the units guaranteed to channels. Rejected while units are sold or held: cancel
   * the bookings and trips first, or call the departure off. The body may be omitted. A departure that is called off or cancelled
   * already is rejected.
   */
  @Post(':id/cancellation')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.cancel')
  @Refuses({ 409: ['departure_called_off', 'departure_in_use', 'invalid_transition'] })
  async cancel(
    @PathId('dep', 'id', 3) id: string,
    @Body() { reason }: CancelDeparture,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.departures.cancel(id, reason ?? null, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }

  /**
   * Reinstate a cancelled departure
   *
   * @remarks Schedules the departure again as it was, with the units that were guaranteed to channels; if it has fewer, the
   * request is rejected and the error lists the `slots`. Departures that are not cancelled or have started are also rejected.
   * The body may be omitted.
   */
  @Post(':id/reinstatement')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.reinstate')
  @BodyExample({ reason: 'The boat was repaired in time' })
  @Refuses({
    409: [
      ...['capacity_exceeded', 'departure_in_past', 'facility_archived', 'invalid_transition', 'tax_code_inactive'],
      'product_archived',
    ],
  })
  async reinstate(
    @PathId('dep', 'id', 3) id: string,
    @Body() { reason }: DepartureDecision,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.departures.reinstate(id, reason ?? null, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }

  /**
   * Close the sales of a departure
   *
   * @remarks From the response on, no units are sold or held, until staff open the sales again; nor does an override permit it.
   * Units that trips hold can still be booked. Rejected if the sales are closed already. The body may be omitted.
   */
  @Post(':id/sales-closing')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.close_sales')
  @Refuses({ 409: ['departure_called_off', 'departure_cancelled', 'invalid_transition'] })
  async closeSales(
    @PathId('dep', 'id', 6) id: string,
    @Body() { reason }: DepartureDecision,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.departures.closeSales(id, reason ?? null, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }

  /**
   * Open the sales of a departure
   *
   * @remarks Reverses the closing by staff. The cut-off and the start still end the sales. Rejected if the sales are not
   * closed. The body may be omitted.
   */
  @Post(':id/sales-opening')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.open_sales')
  @BodyExample({ reason: 'A third guide was found' })
  @Refuses({ 409: ['departure_called_off', 'departure_cancelled', 'invalid_transition'] })
  async openSales(
    @PathId('dep', 'id', 7) id: string,
    @Body() { reason }: DepartureDecision,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.departures.openSales(id, reason ?? null, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }

  /**
   * Guarantee a departure
   *
   * @remarks A tentative departure becomes `guaranteed`, although its confirmed bookings have not reached `minParticipants`; it
   * never becomes tentative again. Rejected if it is already guaranteed, as is every departure without `minParticipants`. The
   * body may be omitted.
   */
  @Post(':id/guarantee')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.guarantee', { irreversible: 'Customers were told that it runs: cancel the departure' })
  @BodyExample({ reason: 'Enough inquiries' })
  @Refuses({ 409: ['departure_called_off', 'departure_cancelled', 'invalid_transition'] })
  async guarantee(
    @PathId('dep', 'id', 8) id: string,
    @Body() { reason }: DepartureDecision,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.departures.guarantee(id, reason ?? null, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }
}
