import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { type AppError, conflict } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import type { TripComponent } from '../components/component.entity.js';
import { TripJournal } from '../envelopes/trip-journal.js';
import { TripRows, type TripView } from '../envelopes/trip-rows.service.js';
import type { Trip } from '../envelopes/trip.entity.js';
import type { Offer, Quote } from '../providers/provider.js';
import { Providers } from '../providers/providers.service.js';
import { type Outcome, refusalOf, sumOf, takeQuotes } from '../pricing/trip-prices.js';
import { Holds, showHeld } from './holds.service.js';
import { freeze, type Plan, type Step } from './plan.js';

/** What came of the part of a reservation that happens in one transaction. */
export interface Attempted {
  view: TripView;
  /** Stored with its reasons; to be thrown after the commit. */
  refusal: AppError | null;
  /** Providers outside have still to be asked. */
  isOpen: boolean;
}

/** The trip, locked and in progress, as it was before, and those of its components that count. */
export interface Attempt {
  trip: Trip;
  active: TripComponent[];
  quotes: ReadonlyMap<string, Quote>;
  before: object;
}

/** The transaction of a reservation: compares prices, writes the plan, and holds what is ours. */
@Injectable()
export class Attempts {
  constructor(
    private readonly trips: TripRows,
    private readonly providers: Providers,
    private readonly holds: Holds,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /**
   * An optimistic attempt, of a trip that is all ours, takes everything for held and holds it last. It throws `NotHeld` where
   * that was too much hope; then nothing of it may stay.
   */
  async make(attempt: Attempt, { isOptimistic = false } = {}): Promise<Attempted> {
    const { trip, active, quotes } = attempt;
    const previous = new Map(active.map(({ id, totalCents }) => [id, totalCents]));
    const outcome = takeQuotes(active, quotes, trip.currency);
    trip.takePrices(sumOf(active), this.clock.now());
    const refusal = refusalOf(outcome, trip.currency) ?? changedPrices(outcome);
    if (refusal) return this.backToPriced(attempt, refusal, previous);

    const plan = this.planOf(attempt);
    if (isOptimistic) return this.reserveAtOnce(attempt, plan);
    if (!(await this.holds.holdOurs(plan))) return this.fail(attempt, plan);

    const holdExpiresAt = showHeld(plan, active);
    const isOpen = plan.steps.some(({ status }) => status === 'pending');
    if (!isOpen) this.reserve(trip, plan, holdExpiresAt);
    const stored = await this.store({ attempt, plan, refusal: null, isOpen });
    if (!isOpen) this.tellReserved(attempt, plan);
    return stored;
  }

  /** All steps are held. */
  reserve(trip: Trip, plan: Plan, holdExpiresAt: Date): void {
    trip.move('reserved', this.clock.now());
    trip.holdExpiresAt = holdExpiresAt;
    plan.status = 'held';
  }

  /** What failed is unavailable, the others keep their prices; none is lost. */
  showFailed(trip: Trip, components: readonly TripComponent[], plan: Plan): void {
    plan.status = 'failed';
    for (const component of components.filter((one) => one.isActive())) {
      const step = plan.steps.find(({ componentId }) => componentId === component.id);
      if (step?.failure) component.lose(step.failure.message);
      else component.letGo('priced');
    }
    trip.move('failed', this.clock.now());
  }

  tellReserved({ trip, before }: Pick<Attempt, 'trip' | 'before'>, { id: planId }: Plan): void {
    const holdExpiresAt = trip.holdExpiresAt?.toISOString() ?? null;
    this.journal.trip('reserve', trip, { before, with: { planId } });
    this.journal.tell('reserved', trip, { planId, holdExpiresAt });
  }

  tellFailed({ trip, before }: Pick<Attempt, 'trip' | 'before'>, { id: planId }: Plan): void {
    this.journal.trip('fail_reservation', trip, { before, with: { planId } });
    this.journal.tell('reservation_failed', trip, { planId });
  }

  private async reserveAtOnce(attempt: Attempt, plan: Plan): Promise<Attempted> {
    const { trip, active } = attempt;
    this.holds.presumeOurs(plan);
    this.reserve(trip, plan, showHeld(plan, active));
    const view = { trip, components: active, plan };
    await this.holds.holdPresumed(plan, () => this.trips.store(view));
    this.tellReserved(attempt, plan);
    return { view, refusal: null, isOpen: false };
  }

  private async backToPriced(
    { trip, active, before }: Attempt,
    refusal: AppError,
    previous: ReadonlyMap<string, number | null>,
  ): Promise<Attempted> {
    trip.move('priced', this.clock.now());
    const view = { trip, components: active, plan: null };
    await this.trips.store(view);
    this.journal.trip('price', trip, {
      before,
      with: { refusal: refusal.code, previous: Object.fromEntries(previous) },
    });
    return { view, refusal, isOpen: false };
  }

  private async fail(attempt: Attempt, plan: Plan): Promise<Attempted> {
    const { trip, active } = attempt;
    this.showFailed(trip, active, plan);
    const stored = await this.store({ attempt, plan, refusal: reservationFailed(plan), isOpen: false });
    this.tellFailed(attempt, plan);
    return stored;
  }

  private async store({
    attempt: { trip, active },
    plan,
    refusal,
    isOpen,
  }: { attempt: Attempt; plan: Plan } & Omit<Attempted, 'view'>): Promise<Attempted> {
    const view = { trip, components: active, plan };
    await this.trips.store(view);
    return { view, refusal, isOpen };
  }

  private planOf({ trip, active, quotes }: Attempt): Plan {
    const planId = newId('tpln');
    const now = this.clock.now();
    const steps = this.inOrder(active, quotes).map(([component, offer], position): Step => {
      return {
        id: newId('tstp'),
        componentId: component.id,
        position,
        provider: this.providers.of(component).name,
        providerKey: `${planId}:${component.id}:1`,
        status: 'pending',
        offer: freeze(component, offer),
        holdExpiresAt: null,
        failure: null,
        attempts: 0,
      };
    });
    return { id: planId, envelopeId: trip.id, attempt: 1, status: 'running', createdAt: now, updatedAt: now, steps };
  }

  /** Ours by their departures, as everybody locks them; then those outside, the cheapest to cancel first. */
  private inOrder(active: TripComponent[], quotes: ReadonlyMap<string, Quote>): [TripComponent, Offer][] {
    const offered = active.flatMap((component): [TripComponent, Offer][] => {
      const quote = quotes.get(component.id);
      return quote?.available ? [[component, quote]] : [];
    });
    const [ours, others] = [true, false].map((internal) =>
      offered.filter(([component]) => this.providers.isInternal(component) === internal),
    );
    ours?.sort(([a], [b]) => ((a.departureId ?? '') < (b.departureId ?? '') ? -1 : 1));
    others?.sort(([a, x], [b, y]) => x.cancellationCents - y.cancellationCents || a.position - b.position);
    return [...(ours ?? []), ...(others ?? [])];
  }
}

export function reservationFailed({ id: planId, steps }: Plan): AppError {
  const failures = steps.flatMap(({ componentId, failure }) => (failure ? [{ componentId, ...failure }] : []));
  const compensations = steps
    .filter(({ status }) => ['released', 'releasing', 'release_failed'].includes(status))
    .map(({ componentId, status }) => ({ componentId, status }));
  return conflict('reservation_failed', 'Not every component could be held; all holds are released', {
    planId,
    failures,
    compensations,
  });
}

function changedPrices({ changes }: Outcome): AppError | null {
  return changes.length === 0 ? null : conflict('price_changed', 'The prices have changed', { changes });
}
