import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { created, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { OrderDecisionsService } from './order-decisions.service.js';
import {
  ListTripAttentions,
  ResolveAttention,
  toAttention,
  TripAttentionEnvelope,
  TripAttentionPage,
} from '../attempts/trip-attention.dto.js';
import { TripAttentionsService } from '../attempts/trip-attentions.service.js';
import { ReplaceComponent, toComponent, TripComponentEnvelope } from '../envelopes/trip-component.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { TripsService } from '../envelopes/trips.service.js';

const PATH = '/v1/admin/trips';

@ApiGroup('Trips')
@Controller(`${PATH}/:envelopeId`)
export class OrderDecisionsController {
  constructor(
    private readonly trips: TripsService,
    private readonly attentions: TripAttentionsService,
    private readonly decisions: OrderDecisionsService,
  ) {}

  /**
   * List the attentions of a trip
   *
   * @remarks Returns a page of the issues that staff must check about the trip's orders at external providers, open and
   * resolved, newest first.
   */
  @ApiOperation({ operationId: 'tripAttentions_list' })
  @Get('attentions')
  @RequireScope('trips:read')
  async list(@PathId('trip', 'envelopeId') id: string, @Query() query: ListTripAttentions): Promise<TripAttentionPage> {
    await this.trips.get(id);
    const { rows, total } = await this.attentions.list(id, query);
    return { data: rows.map(toAttention), total, ...pageBounds(query) };
  }

  /**
   * Resolve an attention of a trip
   *
   * @remarks Closes the attention and records the action of staff. `confirmed_outside` also marks the order as confirmed, and
   * `cancelled_outside` as cancelled or released. The service no longer calls the provider about it. An attention can be
   * resolved once.
   */
  @ApiOperation({ operationId: 'tripAttentions_resolve' })
  @Post('attentions/:attentionId/resolution')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.attention.resolve', { irreversible: 'It records an action of the provider' })
  @Refuses({ 409: ['attention_resolved'] })
  async resolve(
    @PathId('trip', 'envelopeId', 2) envelopeId: string,
    @PathId('tatt', 'attentionId', 1, '`data[].id` of `GET /v1/admin/trips/{envelopeId}/attentions`')
    attentionId: string,
    @Body() body: ResolveAttention,
  ): Promise<TripAttentionEnvelope> {
    const attention = await this.decisions.resolve({ envelopeId, attentionId }, body);
    return { data: toAttention(attention) };
  }

  /**
   * Ask again for the confirmation of a component
   *
   * @remarks Asks the provider again to confirm a booked component whose confirmation it refused or never answered. The
   * attention is resolved when the provider confirms. Any other component is rejected.
   */
  @ApiOperation({ operationId: 'tripComponents_retryConfirmation' })
  @Post('components/:componentId/confirmation-retries')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.component.retry_confirmation', { irreversible: 'The provider was asked' })
  @Refuses({ 409: ['invalid_transition'] })
  async retryConfirmation(
    @ChangeTarget({ envelopeId: ['trip', 2], componentId: ['tcmp', 14] }) target: Target<'envelopeId' | 'componentId'>,
    @NoBody() _body: null,
  ): Promise<TripComponentEnvelope> {
    const component = await this.decisions.retryConfirmation(target);
    return tagged(component, { data: toComponent(component) });
  }

  /**
   * Replace a component that is not confirmed
   *
   * @remarks Quotes, holds and confirms another component in place of a booked one whose confirmation the provider refused or
   * never answered. It takes over the booking item; the difference of the prices becomes a further item. If the provider may
   * have an order for the replaced component, it is cancelled. Rejected if the replacement cannot be held, while its provider
   * has not quoted, and for any other component.
   */
  @ApiOperation({ operationId: 'tripComponents_replace' })
  @Post('components/:componentId/replacements')
  @RequireScope('trips:write')
  @Mutates('trips.component.replace', {
    irreversible: 'The provider has the new order: replace the component again',
    ownTransactions: true,
  })
  @BodyExample({
    kind: 'manual_placeholder',
    title: 'Guest house',
    unitPriceCents: 14_000,
    confirmedByStaff: true,
  })
  @Refuses({
    409: [
      'booking_closed',
      'component_limit_reached',
      'component_not_confirmed',
      'component_unavailable',
      'invalid_transition',
      'item_limit_reached',
      'quote_pending',
      'reservation_failed',
      'reservation_in_progress',
    ],
    422: ['currency_mismatch', 'negative_total'],
  })
  async replace(
    @PathId('trip', 'envelopeId', 2) envelopeId: string,
    @PathId('tcmp', 'componentId', 14) componentId: string,
    @Body() body: ReplaceComponent,
  ): Promise<TripComponentEnvelope> {
    const component = await this.decisions.replace({ envelopeId, componentId }, body);
    return created(`${PATH}/${envelopeId}`, component, { data: toComponent(component) });
  }
}
