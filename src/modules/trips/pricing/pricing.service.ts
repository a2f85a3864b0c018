import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { type AppError, conflict, unavailable } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import type { TripComponent } from '../components/component.entity.js';
import { imageOfTrip, TripJournal } from '../envelopes/trip-journal.js';
import { TripRows, type TripView } from '../envelopes/trip-rows.service.js';
import { EDITABLE, TRIP_MOVES } from '../envelopes/trip-status.js';
import type { Trip } from '../envelopes/trip.entity.js';
import type { Quote } from '../providers/provider.js';
import { Providers } from '../providers/providers.service.js';
import { refusalOf, sumOf, takeQuotes } from './trip-prices.js';

const MAX_ATTEMPTS = 4;

/** Prices trips. Providers outside are asked before the transaction; if the trip moved on meanwhile, they are asked again. */
@Injectable()
export class Pricing {
  constructor(
    private readonly trips: TripRows,
    private readonly providers: Providers,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /**
   * What was found is stored also where it is no price. Throws 404, 409 `component_unavailable`, `invalid_transition`,
   * `trip_not_priced` without components, 412, 422 `currency_mismatch`.
   */
  async price(id: string, expected: ExpectedVersions): Promise<TripView> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const asked = await this.ask(id);
      const priced = await this.trips.within(() => this.store(id, expected, asked));
      if (priced?.refusal) throw priced.refusal;
      if (priced) return priced.view;
    }
    throw unavailable('The trip was changed repeatedly while it was priced; try again');
  }

  /** What providers outside say of the trip as it is now. */
  private async ask(id: string): Promise<{ version: number; quotes: Map<string, Quote> }> {
    const { trip, components } = await this.trips.view(id);
    const outside = components.filter((one) => one.isActive() && !this.providers.isInternal(one));
    const isEditable = EDITABLE.includes(trip.status);
    return { version: trip.version, quotes: await this.providers.quote(isEditable ? outside : []) };
  }

  /** Null where the trip is another than the one that was asked for. */
  private async store(
    id: string,
    expected: ExpectedVersions,
    asked: { version: number; quotes: Map<string, Quote> },
  ): Promise<{ view: TripView; refusal: AppError | null } | null> {
    const trip = await this.trips.lock(id);
    assertVersion(expected, trip);
    assertPriceable(trip);
    if (trip.version !== asked.version) return null;
    const [view] = await this.trips.viewsOf([trip]);
    const active = (view?.components ?? []).filter((one) => one.isActive());
    if (!view || active.length === 0)
      throw conflict('trip_not_priced', 'The trip has no component', { componentIds: [] });

    const before = imageOfTrip(trip);
    const refusal = await this.quote(trip, active, asked.quotes);
    await this.trips.store({ trip, components: active, plan: null });
    this.journal.trip('price', trip, { before, with: { refusal: refusal?.code ?? null } });
    return { view, refusal };
  }

  private async quote(trip: Trip, active: TripComponent[], quotes: Map<string, Quote>): Promise<AppError | null> {
    const ours = await this.providers.quote(active.filter((one) => this.providers.isInternal(one)));
    const outcome = takeQuotes(active, new Map([...quotes, ...ours]), trip.currency);
    const refusal = refusalOf(outcome, trip.currency);
    const now = this.clock.now();
    if (refusal === null) {
      trip.takePrices(sumOf(active), now);
      trip.move('priced', now);
    } else trip.edit(now);
    return refusal;
  }
}

function assertPriceable({ status }: Trip): void {
  if (EDITABLE.includes(status)) return;
  throw conflict('invalid_transition', `A trip that is ${status} cannot be priced`, {
    from: status,
    to: 'priced',
    allowed: TRIP_MOVES[status],
  });
}
