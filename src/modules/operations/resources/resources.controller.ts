import { Body, Controller, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import {
  CreateResource,
  ListResources,
  ResourceEnvelope,
  ResourcePage,
  toResource,
  UpdateResource,
} from './resource.dto.js';
import { ResourcesService } from './resources.service.js';

const PATH = '/v1/admin/operations/resources';

@ApiGroup('Facilities and ground operators')
@Controller(PATH)
export class ResourcesController {
  constructor(private readonly resources: ResourcesService) {}

  /**
   * Create a resource
   *
   * @remarks Adds a guide, a vehicle or another resource that departures need. Unless `exclusive` is false, it serves one departure at
   * a time.
   */
  @Post()
  @RequireScope('operations:write')
  @Mutates('operations.resource.create')
  @BodyExample({ type: 'vehicle', name: 'Minibus TL 12 ABC', seats: 18 })
  @Refuses({ 404: ['not_found'] })
  async create(@Body() body: CreateResource): Promise<ResourceEnvelope> {
    const resource = await this.resources.create(body);
    return created(`${PATH}/${resource.id}`, resource, { data: toResource(resource) });
  }

  /**
   * List resources
   *
   * @remarks Returns a page of resources by name unless `sort` is given. Archived resources are included; filter with `status`.
   */
  @Get()
  @RequireScope('operations:read')
  async list(@Query() query: ListResources): Promise<ResourcePage> {
    const { rows, total } = await this.resources.list(query);
    return { data: rows.map(toResource), total, ...pageBounds(query) };
  }

  /**
   * Get a resource
   *
   * @remarks Returns the resource with its documents and the periods in which it serves nobody.
   */
  @Get(':resourceId')
  @RequireScope('operations:read')
  async get(@PathId('rsrc', 'resourceId') id: string): Promise<ResourceEnvelope> {
    const resource = await this.resources.get(id);
    return tagged(resource, { data: toResource(resource) });
  }

  /**
   * Update a resource
   *
   * @remarks Changes only the fields that are sent. Rejected if the resource has assignments ahead in a period of the new
   * `unavailability` (409 `resource_conflict`, with the assignments). With assignments ahead, a change of `exclusive` or fewer
   * shared seats are rejected (409 `resource_in_use`).
   */
  @Patch(':resourceId')
  @RequireScope('operations:write')
  @Mutates('operations.resource.update')
  @BodyExample({ seats: 16 })
  @Refuses({ 404: ['not_found'], 409: ['resource_archived', 'resource_conflict', 'resource_in_use'] })
  async update(
    @PathId('rsrc', 'resourceId', 2) id: string,
    @Body() body: UpdateResource,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<ResourceEnvelope> {
    const resource = await this.resources.update(id, body, expected);
    return tagged(resource, { data: toResource(resource) });
  }

  /**
   * Archive a resource
   *
   * @remarks It is not assigned any more; past assignments keep it. Rejected while it has assignments ahead.
   */
  @Post(':resourceId/archival')
  @HttpCode(200)
  @RequireScope('operations:write')
  @Mutates('operations.resource.archive')
  @Refuses({ 404: ['not_found'], 409: ['resource_archived', 'resource_in_use'] })
  async archive(
    @PathId('rsrc', 'resourceId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<ResourceEnvelope> {
    const resource = await this.resources.archive(id, expected);
    return tagged(resource, { data: toResource(resource) });
  }
}
