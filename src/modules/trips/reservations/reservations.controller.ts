import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { tagged } from '../../../platform/http/answer.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { toTrip, TripEnvelope } from '../envelopes/trip-response.dto.js';
import { CancelTrip } from '../envelopes/trip.dto.js';
import type { TripView } from '../envelopes/trip-rows.service.js';
import { Pricing } from '../pricing/pricing.service.js';
import { Reservations } from './reservations.service.js';
import { TripEndings } from './trip-endings.service.js';

@ApiTags('Trips')
@Controller('/v1/admin/trips/:envelopeId')
export class ReservationsController {
  constructor(
    private readonly pricing: Pricing,
    private readonly reservations: Reservations,
    private readonly endings: TripEndings,
  ) {}

  /** Prices all components of a trip; what is unavailable is said and stored */
  @Post('pricing')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.price', { ownTransactions: true })
  @Refuses({ 409: ['component_unavailable', 'invalid_transition', 'trip_not_priced'], 422: ['currency_mismatch'] })
  async price(
    @PathId('trip', 'envelopeId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<TripEnvelope> {
    return answer(await this.pricing.price(id, expected));
  }

  /** Reserves all components of a trip, or none */
  @Post('reserve')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.reserve', { ownTransactions: true })
  @Refuses({
    409: [
      'component_not_confirmed',
      'component_unavailable',
      'price_changed',
      'reservation_failed',
      'reservation_in_progress',
      'traveler_party_incomplete',
      'trip_not_priced',
      'trip_not_reservable',
    ],
    422: ['currency_mismatch'],
  })
  async reserve(
    @PathId('trip', 'envelopeId', 4) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<TripEnvelope> {
    return answer(await this.reservations.reserve(id, expected));
  }

  /** Makes a confirmed booking of a reserved trip, with an item for each component */
  @Post('booking')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.book')
  @Refuses({ 409: ['hold_expired', 'invalid_transition'] })
  async book(
    @PathId('trip', 'envelopeId', 5) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<TripEnvelope> {
    return answer(await this.endings.book(id, expected));
  }

  /** Cancels a trip that is not booked; what it holds is given back */
  @Post('cancellation')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.cancel')
  @Refuses({ 409: ['invalid_transition'] })
  async cancel(
    @PathId('trip', 'envelopeId', 6) id: string,
    @Body() { reason }: CancelTrip,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TripEnvelope> {
    return answer(await this.endings.cancel(id, reason ?? null, expected));
  }
}

function answer(view: TripView): TripEnvelope {
  return tagged(view.trip, { data: toTrip(view) });
}
