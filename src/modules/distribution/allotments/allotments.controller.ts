import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/answer.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/openapi/errors.js';
import { AllotmentChanges } from './allotment-changes.service.js';
import {
  AllotmentDeleted,
  AllotmentEnvelope,
  AllotmentPage,
  ReleasedEnvelope,
  toAllotment,
} from './allotment-response.dto.js';
import { AllotmentRows } from './allotment-rows.service.js';
import { CreateAllotment, ListAllotments, ReleaseAllotment, UpdateAllotment } from './allotment.dto.js';
import { NewAllotments } from './new-allotments.service.js';
import { Releases } from './releases.service.js';

const PATH = '/v1/admin/distribution/inventory-allotments';

@ApiTags('Channels and allotments')
@Controller(PATH)
export class AllotmentsController {
  constructor(
    private readonly newAllotments: NewAllotments,
    private readonly rows: AllotmentRows,
    private readonly changes: AllotmentChanges,
    private readonly releases: Releases,
  ) {}

  /** Sets units of a product's departures aside for a channel: a slot on each departure to come, or nothing at all */
  @Post()
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment.create')
  @Refuses({ 404: ['not_found'], 409: ['allotment_overlap', 'capacity_exceeded', 'channel_archived'] })
  async create(@Body() body: CreateAllotment): Promise<AllotmentEnvelope> {
    const view = await this.newAllotments.create(body);
    return created(`${PATH}/${view.allotment.id}`, view.allotment, { data: toAllotment(view) });
  }

  /** Lists allotments, newest first */
  @Get()
  @RequireScope('distribution:read')
  async list(@Query() query: ListAllotments): Promise<AllotmentPage> {
    const { views, total } = await this.rows.list(query);
    return { data: views.map(toAllotment), total, ...pageBounds(query) };
  }

  /** Reads an allotment */
  @Get(':id')
  @RequireScope('distribution:read')
  async get(@PathId('alot') id: string): Promise<AllotmentEnvelope> {
    const view = await this.rows.get(id);
    return tagged(view.allotment, { data: toAllotment(view) });
  }

  /** Changes an allotment; whose units these are, of which product and from when on is fixed */
  @Patch(':id')
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment.update')
  @BodyExample({ defaultQuantity: 4, notes: 'Four from the next departure on' })
  @Refuses({ 409: ['allotment_has_sales', 'allotment_overlap', 'capacity_exceeded', 'channel_archived'] })
  async update(
    @PathId('alot', 'id', 2) id: string,
    @Body() body: UpdateAllotment,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<AllotmentEnvelope> {
    const view = await this.changes.update(id, body, expected);
    return tagged(view.allotment, { data: toAllotment(view) });
  }

  /** Deletes an allotment of which nothing is sold; its units go back into the pool */
  @Delete(':id')
  @RequireScope('distribution:delete')
  @Mutates('distribution.allotment.delete')
  @Refuses({ 409: ['allotment_has_sales'] })
  async delete(@PathId('alot', 'id', 3) id: string, @IfMatch() expected: ExpectedVersions): Promise<AllotmentDeleted> {
    await this.changes.delete(id, expected);
    return { success: true };
  }

  /** Releases what is not sold, of one departure or of all to come, now; less what a manual release's steps keep */
  @Post(':id/releases')
  @HttpCode(200)
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment.release')
  @Refuses({ 404: ['not_found'] })
  async release(
    @PathId('alot', 'id', 4) id: string,
    @Body() { departureId }: ReleaseAllotment,
  ): Promise<ReleasedEnvelope> {
    return { data: await this.releases.release(id, departureId) };
  }
}
