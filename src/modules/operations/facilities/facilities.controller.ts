import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { FacilitiesService } from './facilities.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import {
  ArchivedFacilityEnvelope,
  CreateFacility,
  FacilityEnvelope,
  FacilityPage,
  ListFacilities,
  toArchived,
  toFacility,
  UpdateFacility,
} from './facility.dto.js';

const PATH = '/v1/admin/operations/facilities';

@ApiGroup('Facilities and ground operators', {
  position: 160,
  description:
    'Staff: places where services are delivered, the companies that deliver them, and the guides and vehicles of departures.',
})
@Controller(PATH)
export class FacilitiesController {
  constructor(private readonly facilities: FacilitiesService) {}

  /**
   * Create a facility
   *
   * @remarks Adds a place such as a hotel, a meeting point or an airport. The code, if given, must be unique among facilities
   * that are not archived, with case significant. The parent facility must exist and must not be archived.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.facility.create')
  @Refuses({ 404: ['not_found'], 409: ['facility_code_taken', 'facility_archived'] })
  async create(@Body() body: CreateFacility): Promise<FacilityEnvelope> {
    const facility = await this.facilities.create(body);
    return created(`${PATH}/${facility.id}`, facility, { data: toFacility(facility) });
  }

  /**
   * List facilities
   *
   * @remarks Returns a page of facilities by name unless `sort` is given. Archived facilities are returned only with
   * `status=archived`.
   */
  @Get()
  @RequireScope('operations:read')
  async list(@Query() query: ListFacilities): Promise<FacilityPage> {
    const { rows, total } = await this.facilities.list(query);
    return { data: rows.map(toFacility), total, ...pageBounds(query) };
  }

  /**
   * Get a facility
   *
   * @remarks Returns the facility, even if it is archived.
   */
  @Get(':id')
  @RequireScope('operations:read')
  async get(@PathId('fac') id: string): Promise<FacilityEnvelope> {
    const facility = await this.facilities.get(id);
    return tagged(facility, { data: toFacility(facility) });
  }

  /**
   * Update a facility
   *
   * @remarks Changes only the fields that are sent; null clears a field, and omitted members of `address` keep their values. A
   * facility cannot become its own ancestor. An archived facility cannot be changed.
   */
  @Patch(':id')
  @RequireScope('operations:write')
  @Mutates('operations.facility.update')
  @BodyExample({ status: 'inactive', address: { line2: null } })
  @Refuses({ 409: ['facility_archived', 'facility_code_taken', 'facility_cycle'] })
  async update(
    @PathId('fac', 'id', 2) id: string,
    @Body() body: UpdateFacility,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<FacilityEnvelope> {
    const facility = await this.facilities.update(id, body, expected);
    return tagged(facility, { data: toFacility(facility) });
  }

  /**
   * Archive a facility
   *
   * @remarks Archives a facility and returns its new status with counts of the resources that still refer to it. References
   * from past departures, child facilities and ground operators are kept. Rejected while scheduled future departures use it;
   * archived facilities are 404.
   */
  @Delete(':id')
  @RequireScope('operations:delete')
  @Mutates('operations.facility.delete')
  @Refuses({ 409: ['facility_in_use'] })
  async archive(
    @PathId('fac', 'id', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ArchivedFacilityEnvelope> {
    const { facility, impact } = await this.facilities.archive(id, expected);
    return { data: toArchived(facility, impact) };
  }
}
