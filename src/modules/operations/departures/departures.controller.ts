import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import { DeparturePlans } from './departure-plans.service.js';
import { DepartureReader } from './departure-reader.service.js';
import { DepartureEnvelope, DeparturePage, toDeparture } from './departure-response.dto.js';
import { DepartureRows } from './departure-rows.service.js';
import { CancelDeparture, CreateDeparture, ListDepartures, UpdateDeparture } from './departure.dto.js';

const PATH = '/v1/admin/operations/departures';

@ApiTags('Departures')
@Controller(PATH)
export class DeparturesController {
  constructor(
    private readonly plans: DeparturePlans,
    private readonly rows: DepartureRows,
    private readonly reader: DepartureReader,
  ) {}

  /** Schedules a departure of a product */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.departure.create')
  @Refuses({ 404: ['not_found'], 409: ['capacity_exceeded', 'facility_archived'] })
  async create(@Body() body: CreateDeparture): Promise<DepartureEnvelope> {
    const departure = await this.plans.create(body);
    return created(`${PATH}/${departure.id}`, departure, { data: toDeparture(departure) });
  }

  /** Lists departures, the next ones first */
  @Get()
  @RequireScope('operations:read')
  async list(@Query() query: ListDepartures): Promise<DeparturePage> {
    const { views, total } = await this.reader.list(query);
    return { data: views.map(toDeparture), total, ...pageBounds(query) };
  }

  /** Reads a departure with its units: sold, held, guaranteed to channels, and still available */
  @Get(':id')
  @RequireScope('operations:read')
  async get(@PathId('dep') id: string): Promise<DepartureEnvelope> {
    const departure = await this.rows.get(id);
    return tagged(departure, { data: toDeparture(departure) });
  }

  /** Changes a scheduled departure; its capacity never below what is sold, held and guaranteed */
  @Patch(':id')
  @RequireScope('operations:write')
  @Mutates('operations.departure.update')
  @BodyExample({ capacity: 24, priceCents: 6100 })
  @Refuses({ 409: ['capacity_exceeded', 'departure_cancelled', 'facility_archived'] })
  async update(
    @PathId('dep', 'id', 2) id: string,
    @Body() body: UpdateDeparture,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.plans.update(id, body, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }

  /** Calls a departure off; what channels were guaranteed of it is theirs no more */
  @Post(':id/cancellation')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.departure.cancel')
  @Refuses({ 409: ['departure_in_use', 'invalid_transition'] })
  async cancel(
    @PathId('dep', 'id', 3) id: string,
    @Body() { reason }: CancelDeparture,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<DepartureEnvelope> {
    const departure = await this.plans.cancel(id, reason ?? null, expected);
    return tagged(departure, { data: toDeparture(departure) });
  }
}
