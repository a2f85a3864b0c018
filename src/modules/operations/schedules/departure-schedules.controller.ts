import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { ChangesNothing, Mutates } from '../../../platform/idempotency/mutates.js';
import { Names } from '../../../platform/http/row-names.js';
import {
  ChangedScheduleEnvelope,
  ChangeScheduleQuery,
  CreateDepartureSchedule,
  DepartureScheduleEnvelope,
  DepartureSchedulePage,
  ListDepartureSchedules,
  SchedulePreviewEnvelope,
  toDepartureSchedule,
  toSchedulePreview,
  UpdateDepartureSchedule,
} from './departure-schedule.dto.js';
import { DepartureSchedulesService } from './departure-schedules.service.js';

const PATH = '/v1/admin/operations/departure-schedules';
const NEW = { 404: ['not_found'], 409: ['facility_archived', 'product_archived', 'tax_code_inactive'] };

@ApiGroup('Departures')
@Controller(PATH)
export class DepartureSchedulesController {
  constructor(
    private readonly schedules: DepartureSchedulesService,
    private readonly names: Names,
  ) {}

  /**
   * Create a schedule of departures
   *
   * @remarks A job makes the departures up to the horizon, and each night those that come into it. A local time that the clocks
   * skip is left out; of one that comes twice, the first counts. A departure that staff move, edit or cancel is not made again. At
   * most 2,000 departures within the horizon. If an error prevents new departures, `problem` has its code.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.departure_schedule.create', {
    irreversible: 'Departures were made: set `active` to false instead',
  })
  @Refuses({ ...NEW, 422: ['option_mismatch', 'schedule_too_dense', 'unit_mismatch'] })
  async create(@Body() body: CreateDepartureSchedule): Promise<DepartureScheduleEnvelope> {
    const schedule = await this.schedules.create(body);
    return created(`${PATH}/${schedule.id}`, schedule, { data: toDepartureSchedule(schedule) });
  }

  /**
   * Preview a schedule of departures
   *
   * @remarks Returns the local times at which a schedule would make departures today, and those that it would skip. Stores nothing.
   */
  @Post('preview')
  @HttpCode(200)
  @RequireScope('operations:read')
  @ChangesNothing('a preview is not stored')
  @Refuses({ 422: ['option_mismatch', 'schedule_too_dense'] })
  async preview(@Body() body: CreateDepartureSchedule): Promise<SchedulePreviewEnvelope> {
    return { data: toSchedulePreview(await this.schedules.preview(body)) };
  }

  /**
   * List schedules of departures
   *
   * @remarks Returns a page of schedules, the oldest first. Find the departures of one with `scheduleId` in the list of departures.
   */
  @Get()
  @RequireScope('operations:read')
  async list(@Query() query: ListDepartureSchedules): Promise<DepartureSchedulePage> {
    const { rows, total } = await this.schedules.list(query);
    return { data: await this.names.beside(rows.map(toDepartureSchedule), 'productId'), total, ...pageBounds(query) };
  }

  /**
   * Get a schedule of departures
   *
   * @remarks Returns the schedule, also if it is not active.
   */
  @Get(':id')
  @RequireScope('operations:read')
  async get(@PathId('dsch') id: string): Promise<DepartureScheduleEnvelope> {
    const schedule = await this.schedules.get(id);
    return tagged(schedule, { data: toDepartureSchedule(schedule) });
  }

  /**
   * Update a schedule of departures
   *
   * @remarks Changes only the fields that are sent. Its departures ahead follow in a job: those of days that it no longer has are
   * cancelled. Departures with sales stay as they are and are listed in `kept`. The option and the prices of units that staff set on
   * a departure stay unless the request changes those of the schedule. With `scope=following` the schedule ends before `from`, and
   * the response is the new schedule, which takes over the departures from that day on.
   */
  @Patch(':id')
  @RequireScope('operations:write')
  @Mutates('operations.departure_schedule.update', { irreversible: 'Departures followed the change: change it again' })
  @BodyExample({ startTimes: ['10:00'], capacity: 24 })
  @Refuses({
    404: ['not_found'],
    409: ['facility_archived', 'tax_code_inactive'],
    422: ['option_mismatch', 'schedule_too_dense', 'unit_mismatch'],
  })
  async update(
    @PathId('dsch', 'id', 2) id: string,
    @Body() body: UpdateDepartureSchedule,
    @Query() query: ChangeScheduleQuery,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ChangedScheduleEnvelope> {
    const { schedule, kept } = await this.schedules.update({ id, expected }, body, query);
    return tagged(schedule, { data: toDepartureSchedule(schedule), kept });
  }
}
