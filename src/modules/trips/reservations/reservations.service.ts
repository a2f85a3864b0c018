import { Injectable } from '@nestjs/common';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import type { TripView } from '../envelopes/trip-rows.service.js';
import { Pricing } from '../pricing/pricing.service.js';
import { Saga } from './saga.service.js';
import { Starts } from './starts.service.js';

/** Reserves trips. */
@Injectable()
export class Reservations {
  constructor(
    private readonly starts: Starts,
    private readonly pricing: Pricing,
    private readonly saga: Saga,
  ) {}

  /**
   * Holds all components of the trip, or none. A reserved trip stays as it is. Throws 404, 409 `component_not_confirmed`,
   * `component_unavailable`, `price_changed`, `reservation_failed`, `reservation_in_progress`, `traveler_party_incomplete`,
   * `trip_not_priced`, `trip_not_reservable`, 412, 422 `currency_mismatch`. What a refusal found out is stored.
   */
  async reserve(id: string, expected: ExpectedVersions): Promise<TripView> {
    let started = await this.starts.start(id, expected);
    if ('draft' in started) {
      await this.priceDraft(id, expected);
      // The price was the first part of this very call.
      started = await this.starts.start(id, null);
    }
    if ('draft' in started)
      throw conflict('trip_not_priced', 'The trip was changed by another request', { componentIds: [] });
    if ('claim' in started) return this.saga.carryOn(started.claim);
    if (started.refusal) throw started.refusal;
    return started.view;
  }

  private async priceDraft(id: string, expected: ExpectedVersions): Promise<void> {
    try {
      await this.pricing.price(id, expected);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Somebody else has priced and reserved it meanwhile: starting again says what has become of it.
      if (error.code === 'invalid_transition') return;
      if (error.code !== 'component_unavailable') throw error;
      throw conflict('trip_not_priced', 'The trip cannot be priced', error.details);
    }
  }
}
