import { Deleted } from '../../../platform/http/deleted.dto.js';
import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { ChangeTarget, type ExpectedVersions, IfMatch, type Target } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import {
  AllotmentChangeEnvelope,
  AllotmentEnvelope,
  AllotmentPage,
  CreateAllotment,
  ListAllotments,
  toAllotment,
  UpdateAllotment,
  UpdateAllotmentQuery,
} from './allotment.dto.js';
import { AllotmentsService } from './allotments.service.js';
import { ReclaimBody, ReclaimedEnvelope, ReleaseAllotment, ReleasedEnvelope } from './release.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { Names } from '../../../platform/http/row-names.js';
import { ReleasesService } from './releases.service.js';

const PATH = '/v1/admin/distribution/inventory-allotments';

@ApiGroup('Channels and allotments', {
  position: 140,
  description: 'Staff: distribution channels, and the units of departures that they may sell.',
})
@Controller(PATH)
export class AllotmentsController {
  constructor(
    private readonly allotments: AllotmentsService,
    private readonly releases: ReleasesService,
    private readonly names: Names,
  ) {}

  /**
   * Create an allotment
   *
   * @remarks Reserves units of a product's departures for a channel. A slot with `defaultQuantity` units is created on every
   * scheduled future departure within the validity; if one departure has too few available units, nothing is created (the error
   * lists the departures). A channel has at most one active allotment per product at a time. The channel must not be archived.
   */
  @Post()
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment.create')
  @Refuses({
    404: ['not_found'],
    409: ['allotment_overlap', 'capacity_exceeded', 'channel_archived', 'product_archived'],
  })
  async create(@Body() body: CreateAllotment): Promise<AllotmentEnvelope> {
    const view = await this.allotments.create(body);
    return created(`${PATH}/${view.allotment.id}`, view.allotment, { data: toAllotment(view) });
  }

  /**
   * List allotments
   *
   * @remarks Returns a page of allotments, newest first unless `sort` is given. Deleted allotments are not listed.
   */
  @Get()
  @RequireScope('distribution:read')
  async list(@Query() query: ListAllotments): Promise<AllotmentPage> {
    const { views, total } = await this.allotments.list(query);
    return {
      data: await this.names.beside(views.map(toAllotment), 'productId', 'channelId'),
      total,
      ...pageBounds(query),
    };
  }

  /**
   * Get an allotment
   *
   * @remarks Returns the allotment with its release rule. Its slots show the units sold and released.
   */
  @Get(':id')
  @RequireScope('distribution:read')
  async get(@PathId('alot') id: string): Promise<AllotmentEnvelope> {
    const view = await this.allotments.get(id);
    return tagged(view.allotment, { data: toAllotment(view) });
  }

  /**
   * Update an allotment
   *
   * @remarks Changes validity end, default quantity, activation, release rule and notes; channel, product, type and start are
   * fixed. A new `defaultQuantity` applies to future slots only. A later end or a reactivation creates slots on the departures
   * that are then covered; an earlier end closes slots and is rejected if units of them are sold. A closed slot keeps its units
   * as suspended and has them again when it is opened; `defaultQuantity` does not apply to it. If the pool then has too few,
   * the change is rejected (the error lists the `slots`) or, with `onShortage=reduce`, the slots return with fewer units and
   * `warnings` lists them. A new release rule replaces the pending steps.
   */
  @Patch(':id')
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment.update')
  @BodyExample({ defaultQuantity: 4, notes: 'Four from the next departure on' })
  @Refuses({
    409: ['allotment_has_sales', 'allotment_overlap', 'capacity_exceeded', 'channel_archived', 'product_archived'],
  })
  async update(
    @ChangeTarget({ id: ['alot', 2] }) { id, expected }: Target<'id'>,
    @Body() body: UpdateAllotment,
    @Query() query: UpdateAllotmentQuery,
  ): Promise<AllotmentChangeEnvelope> {
    const { view, warnings } = await this.allotments.update(id, body, { expected, ...query });
    return tagged(view.allotment, { data: toAllotment(view), warnings });
  }

  /**
   * Delete an allotment
   *
   * @remarks Closes all slots and returns their unsold units to the general pool. Rejected if any unit of the allotment is
   * sold. Returns only `success`.
   */
  @Delete(':id')
  @RequireScope('distribution:delete')
  @Mutates('distribution.allotment.delete')
  @Refuses({ 409: ['allotment_has_sales'] })
  async delete(@PathId('alot', 'id', 3) id: string, @IfMatch() expected: ExpectedVersions): Promise<Deleted> {
    await this.allotments.delete(id, expected);
    return { success: true };
  }

  /**
   * Release unsold units of an allotment
   *
   * @remarks Releases unsold units of one departure, or of all future departures, immediately. `unsoldAction` of the release
   * rule decides where they go, by default to the general pool. With a manual rule the units that its steps keep stay with the
   * channel; otherwise all unsold units are released. The body may be omitted. A departure without an open slot is 404.
   */
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

  /**
   * Reclaim released units of an allotment
   *
   * @remarks Returns released units of a departure, or of the named slots, to the channel. They come from the general pool,
   * which must have them; expired units can only come back from the supplier, with `fromSupplier`, which raises the capacity of
   * the departure. Executed release steps are not repeated. Rejected for a closed slot, after the start of the departure, and
   * if fewer units were released.
   */
  @Post(':id/reclaims')
  @HttpCode(200)
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment.reclaim')
  @BodyExample({ slotIds: ['alsl_01k0dem000e000000000000022'], units: 1 })
  @Refuses({ 404: ['not_found'], 409: ['slot_closed', 'departure_departed', 'nothing_released', 'capacity_exceeded'] })
  async reclaim(@PathId('alot', 'id', 2) id: string, @Body() body: ReclaimBody): Promise<ReclaimedEnvelope> {
    return { data: await this.releases.reclaim(id, body) };
  }
}
