import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { ListSlots, SlotEnvelope, SlotPage, toSlot, UpdateSlot } from './slot.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SlotsService } from './slots.service.js';

@ApiGroup('Channels and allotments')
@Controller('/v1/admin/distribution/inventory-allotments/:id/slots')
export class SlotsController {
  constructor(private readonly slots: SlotsService) {}

  /**
   * List the slots of an allotment
   *
   * @remarks Returns a page of slots by start, one per departure, with sold and released units and the times of the
   * release steps.
   */
  @Get()
  @RequireScope('distribution:read')
  async list(@PathId('alot') id: string, @Query() query: ListSlots): Promise<SlotPage> {
    const { views, total } = await this.slots.list(id, query);
    return { data: views.map(toSlot), total, ...pageBounds(query) };
  }

  /**
   * Update an allotment slot
   *
   * @remarks Sets the number of units of one departure that are allotted to the channel. The new value must not be below sold,
   * held and released units together, and an increase needs available units on the departure. Closed slots and cancelled
   * departures are rejected.
   */
  @Patch(':slotId')
  @RequireScope('distribution:write')
  @Mutates('distribution.allotment_slot.update')
  @Refuses({ 409: ['capacity_exceeded', 'slot_closed', 'departure_cancelled'] })
  async update(
    @ChangeTarget({ id: ['alot', 2], slotId: ['alsl', 21] }) target: Target<'id' | 'slotId'>,
    @Body() { allotted }: UpdateSlot,
  ): Promise<SlotEnvelope> {
    const view = await this.slots.resize(target, allotted);
    return tagged(view.slot, { data: toSlot(view) });
  }
}
