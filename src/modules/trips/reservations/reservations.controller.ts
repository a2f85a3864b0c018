import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { tagged } from '../../../platform/http/response-headers.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { ConfirmBooking } from '../../bookings/index.js';
import { ReservationsService } from './reservations.service.js';
import { AbandonTrip, CancelTrip, toTrip, TripEnvelope } from '../envelopes/trip.dto.js';
import type { TripView } from '../envelopes/trip.entity.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { TripsService } from '../envelopes/trips.service.js';

@ApiGroup('Trips')
@Controller('/v1/admin/trips/:envelopeId')
export class ReservationsController {
  constructor(
    private readonly trips: TripsService,
    private readonly reservations: ReservationsService,
  ) {}

  /**
   * Price a trip
   *
   * @remarks Requests prices for all components from their providers and stores them with their expiry. The trip becomes
   * `priced`. If a component is unavailable or sold in another currency, its warnings say so and the call fails with 409
   * `component_unavailable` or 422 `currency_mismatch`. A trip without components is rejected. If a provider takes too long the
   * response is 409 `quote_pending` with `retryAfterMs`: its quote is used when it has arrived. Allowed in `draft`, `priced`,
   * `failed` and `expired`.
   */
  @ApiOperation({ operationId: 'trips_price' })
  @Post('pricing')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.price', {
    irreversible: 'Prices of providers end by themselves: price the trip again',
    ownTransactions: true,
  })
  @Refuses({
    409: ['component_unavailable', 'invalid_transition', 'quote_pending', 'trip_changed', 'trip_not_priced'],
    422: ['currency_mismatch'],
  })
  async price(
    @PathId('trip', 'envelopeId', 3) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<TripEnvelope> {
    return respond(await this.trips.price(id, expected));
  }

  /**
   * Reserve a trip
   *
   * @remarks Holds all components at their providers or none of them; a draft is priced first. The trip becomes `reserved`
   * until the first hold expires (`holdExpiresAt`); a trip that is already reserved is returned unchanged. Needs a complete
   * traveler party and every manual component confirmed by staff. If a price has changed the new prices are stored and the call
   * fails with 409 `price_changed`; if a component cannot be held the others are released and it fails with 409
   * `reservation_failed`. While another call is reserving the trip the response is 409 `reservation_in_progress` with
   * `retryAfterMs`; the same response is sent if the providers take longer than a request. A trip that is `failed` or `expired`
   * must be priced again first.
   */
  @ApiOperation({ operationId: 'trips_reserve' })
  @Post('reserve')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.reserve', { ownTransactions: true })
  @Refuses({
    409: [
      'component_not_confirmed',
      'component_unavailable',
      'price_changed',
      'quote_pending',
      'reservation_failed',
      'reservation_in_progress',
      'tax_code_required',
      'traveler_party_incomplete',
      'trip_changed',
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
    return respond(await this.reservations.reserve(id, expected));
  }

  /**
   * Book a reserved trip
   *
   * @remarks Creates a confirmed booking with one item per component and confirms the holds at the providers. The
   * trip becomes `booked` with `bookingId`, and the booking belongs to its customer. A trip without one gets the customer with the name
   * and the primary e-mail address of the billing contact, who is created if there is none. Rejected if a hold has expired, the trip
   * is not reserved, its customer is not active, or the customer would owe more than its credit limit. The body may be omitted;
   * `override` is that of the confirmation of a booking.
   */
  @ApiOperation({ operationId: 'trips_book' })
  @Post('booking')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.book', { irreversible: 'The sale is agreed with the customer: cancel the trip' })
  @Refuses({
    403: ['reauthentication_required'],
    409: [
      ...['channel_archived', 'channel_inactive', 'credit_limit_exceeded'],
      ...['customer_archived', 'customer_merged', 'customer_erased'],
      ...['departure_called_off', 'hold_expired', 'invalid_transition', 'trip_changed', 'trip_not_priced'],
    ],
  })
  async book(
    @PathId('trip', 'envelopeId', 5) id: string,
    @Body() body: ConfirmBooking,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TripEnvelope> {
    return respond(await this.reservations.book(id, expected, body));
  }

  /**
   * Cancel a trip
   *
   * @remarks Cancels the trip and releases its holds at the providers. The body may be omitted. If the trip is booked, its
   * booking is also cancelled, which requires the scope `bookings:write`; external providers cancel their orders afterwards
   * (`cancelling`). A trip that is cancelled or being reserved is rejected.
   */
  @ApiOperation({ operationId: 'trips_cancel' })
  @Post('cancellation')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.cancel', {
    irreversible: 'The providers have the cancellation: reinstate the booking, or plan another trip',
  })
  @Refuses({ 409: ['invalid_transition'] })
  async cancel(
    @PathId('trip', 'envelopeId', 6) id: string,
    @Body() { reason }: CancelTrip,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TripEnvelope> {
    return respond(await this.reservations.cancel(id, reason ?? null, expected));
  }

  /**
   * Abandon a reservation
   *
   * @remarks Ends a reservation that cannot end because a provider does not respond. Holds are released, the trip becomes
   * `failed`, and a hold whose outcome is unknown is looked up for 7 days (`abandoned`). In the first 60 seconds of the
   * reservation the response is 409 `reservation_in_progress` with `retryAfterMs`; a trip that is not being reserved is
   * rejected.
   */
  @ApiOperation({ operationId: 'trips_abandon' })
  @Post('abandonment')
  @HttpCode(200)
  @RequireScope('trips:write')
  @Mutates('trips.trip.abandon', { irreversible: 'Its holds have ended: reserve the trip again' })
  @Refuses({ 409: ['not_abandonable', 'reservation_in_progress'] })
  async abandon(
    @PathId('trip', 'envelopeId', 6) id: string,
    @Body() { reason }: AbandonTrip,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<TripEnvelope> {
    return respond(await this.reservations.abandon(id, reason, expected));
  }
}

function respond(view: TripView): TripEnvelope {
  return tagged(view.trip, { data: toTrip(view) });
}
