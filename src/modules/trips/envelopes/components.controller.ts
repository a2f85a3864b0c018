import { Body, Controller, Delete, Patch, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { CreateComponent, toComponent, TripComponentEnvelope, UpdateComponent } from './trip-component.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { TripComponentsService } from './trip-components.service.js';

const PATH = '/v1/admin/trips';
const UNITS = [
  'currency_mismatch',
  'extra_quantity',
  'not_accompanied',
  'option_mismatch',
  'option_quantity',
  'price_missing',
  'unit_quantity',
];
const NOT_SOLD = ['channel_archived', 'channel_inactive', 'option_inactive', 'product_archived'];

@ApiGroup('Trips', {
  position: 30,
  description:
    'Staff: tailor-made trips. An envelope collects components, is priced, reserved and turned into a booking.',
})
@Controller(`${PATH}/:envelopeId/components`)
export class ComponentsController {
  constructor(private readonly components: TripComponentsService) {}

  /**
   * Add a component to a trip
   *
   * @remarks Adds a component as the last one. Which members are required depends on `kind`. With `units` it
   * is sold like units of a booking, with the extras that the product requires, at the prices of the channel in the agency terms of
   * the trip's customer. All prices of the trip are cleared and a priced trip moves back to `draft`. Allowed in `draft`, `priced`,
   * `failed` and `expired`, with at most 50 components.
   */
  @ApiOperation({ operationId: 'tripComponents_add' })
  @Post()
  @RequireScope('trips:write')
  @Mutates('trips.trip_component.create')
  @BodyExample({
    kind: 'catalog_booking',
    title: 'Danube delta by boat',
    quantity: 2,
    departureId: 'dep_01k0dem000e000000000000001',
  })
  @Refuses({
    400: ['tax_code_required'],
    404: ['not_found'],
    409: ['component_limit_reached', 'invalid_transition', 'tax_code_inactive', ...NOT_SOLD],
    422: UNITS,
  })
  async add(
    @PathId('trip', 'envelopeId', 2) envelopeId: string,
    @Body() body: CreateComponent,
  ): Promise<TripComponentEnvelope> {
    const component = await this.components.add(envelopeId, body);
    return created(`${PATH}/${envelopeId}`, component, { data: toComponent(component) });
  }

  /**
   * Update a trip component
   *
   * @remarks Changes only the fields that are sent; `kind` is fixed. The prices of the trip are cleared and a priced trip moves
   * back to `draft`. Allowed in `draft`, `priced`, `failed` and `expired`.
   */
  @ApiOperation({ operationId: 'tripComponents_update' })
  @Patch(':componentId')
  @RequireScope('trips:write')
  @Mutates('trips.trip_component.update')
  @BodyExample({ quantity: 3 })
  @Refuses({
    400: ['tax_code_required'],
    409: ['invalid_transition', 'tax_code_inactive', ...NOT_SOLD],
    422: UNITS,
  })
  async update(
    @ChangeTarget({ envelopeId: ['trip', 2], componentId: ['tcmp', 4] }) target: Target<'envelopeId' | 'componentId'>,
    @Body() body: UpdateComponent,
  ): Promise<TripComponentEnvelope> {
    const component = await this.components.update(target, body);
    return tagged(component, { data: toComponent(component) });
  }

  /**
   * Remove a component from a trip
   *
   * @remarks Removes the component from the trip, clears the prices of the trip and returns the component with the status
   * `removed`. Its record is kept for the audit. Allowed in `draft`, `priced`, `failed` and `expired`.
   */
  @ApiOperation({ operationId: 'tripComponents_remove' })
  @Delete(':componentId')
  @RequireScope('trips:delete')
  @Mutates('trips.trip_component.remove', { irreversible: 'The trip keeps the component as removed: add another one' })
  @Refuses({ 409: ['invalid_transition'] })
  async remove(
    @ChangeTarget({ envelopeId: ['trip', 2], componentId: ['tcmp', 5] }) target: Target<'envelopeId' | 'componentId'>,
  ): Promise<TripComponentEnvelope> {
    const component = await this.components.remove(target);
    return tagged(component, { data: toComponent(component) });
  }
}
