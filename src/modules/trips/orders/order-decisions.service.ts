import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { assertVersion, type Target } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { TripSalesService } from '../../bookings/index.js';
import { ExternalProvidersService } from '../providers/external-providers.service.js';
import { InternalProvider } from '../providers/internal-provider.js';
import type { HoldResult, Offer } from '../providers/provider.js';
import { ExternalOrdersService, type Settled } from './external-orders.service.js';
import {
  moveStep,
  moveToHeld,
  newStep,
  reservationFailed,
  type ReservationPlan,
  type ReservationStep,
  stepOf,
} from '../envelopes/reservation-plan.js';
import { ORDERS_JOB } from '../attempts/reservation-attempts.service.js';
import { inProgress, ReservationSaga } from '../attempts/reservation-saga.js';
import type { ResolveAttention } from '../attempts/trip-attention.dto.js';
import type { TripAttention } from '../attempts/trip-attention.entity.js';
import { TripAttentionsService } from '../attempts/trip-attentions.service.js';
import { componentChangeOf } from '../envelopes/trip-audit.js';
import type { ReplaceComponent } from '../envelopes/trip-component.dto.js';
import type { TripComponent } from '../envelopes/trip-component.entity.js';
import { MAX_COMPONENTS, newComponent } from '../envelopes/trip-components.service.js';
import { quotePending } from '../envelopes/trip-prices.js';
import type { Trip } from '../envelopes/trip.entity.js';
import { TripsRepository } from '../envelopes/trips.repository.js';

interface ComponentPath {
  envelopeId: string;
  componentId: string;
}

/** The time that a process may take for a replacement; afterwards the sweeper abandons its step. */
const REPLACEMENT_SECONDS = 60;
const MAX_TITLE = 255;

/** A booked component that its provider has not confirmed, under the lock of its trip. */
interface Unconfirmed {
  trip: Trip;
  plan: ReservationPlan;
  step: ReservationStep;
  component: TripComponent;
}

/** A replacement that is stored and not held yet. */
interface Replacement {
  component: TripComponent;
  step: ReservationStep;
  isHeld: boolean;
}

/**
 * Carries out staff decisions about orders that external providers have not settled. Eleven dependencies: a replacement is
 * quoted, held and booked here alone.
 */
@Injectable()
export class OrderDecisionsService {
  constructor(
    private readonly database: Database,
    private readonly repository: TripsRepository,
    private readonly internal: InternalProvider,
    private readonly external: ExternalProvidersService,
    private readonly orders: ExternalOrdersService,
    private readonly saga: ReservationSaga,
    private readonly attentions: TripAttentionsService,
    private readonly sales: TripSalesService,
    private readonly jobs: Jobs,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Also stores the state of the order that the resolution implies. */
  async resolve(
    { envelopeId, attentionId }: { envelopeId: string; attentionId: string },
    { resolution, note }: ResolveAttention,
  ): Promise<TripAttention> {
    const { stepId } = await this.attentions.get(envelopeId, attentionId);
    await this.orders.change(stepId, async (settled) => {
      const attention = await this.attentions.get(envelopeId, attentionId);
      await this.attentions.close(settled.trip, attention, { resolution, note: note ?? null });
      await this.applyResolution(settled, resolution);
    });
    return this.attentions.get(envelopeId, attentionId);
  }

  /** Asks the provider again for a confirmation that it refused or never answered. */
  async retryConfirmation(target: Target<'envelopeId' | 'componentId'>): Promise<TripComponent> {
    return this.database.transaction(async () => {
      const { trip, plan, step, component } = await this.lockUnconfirmed(target);
      assertVersion(target.expected, component);
      const image = component.auditImage();
      moveStep(step, 'confirming', { dueAt: this.clock.now() });
      await this.repository.savePlan(plan);
      await this.orders.setSupplierStatus(trip, component, 'pending');
      await this.jobs.add(ORDERS_JOB, {}, { key: ORDERS_JOB });
      this.ledger.record('trips.component.retry_confirmation', componentChangeOf(component, image));
      return component;
    });
  }

  /**
   * Quotes, holds and confirms another component in place of one that its provider has not confirmed. It keeps the booking
   * item; the price difference becomes a further item.
   */
  async replace(target: ComponentPath, input: ReplaceComponent): Promise<TripComponent> {
    const deadline = this.external.deadline();
    const { wanted, offer } = await this.quote(target, input);
    const replacement = await this.database.transaction(() => this.begin(target, wanted, offer));
    if (replacement.isHeld) return replacement.component;
    const held = this.external.hold(replacement.step, deadline);
    return this.saga.answerInTime(
      held.then(async (result) => this.end(target, replacement, result)),
      target.envelopeId,
    );
  }

  private async applyResolution(settled: Settled, resolution: ResolveAttention['resolution']): Promise<void> {
    const { trip, step, component } = settled;
    const { status } = step;
    if (resolution === 'confirmed_outside' && (status === 'confirm_failed' || status === 'confirm_unknown')) {
      moveStep(step, 'confirmed', { failure: null });
      await this.orders.setSupplierStatus(trip, component, 'confirmed');
    }
    if (resolution === 'cancelled_outside') {
      if (status === 'cancel_failed') await this.orders.storeCancelled(settled, null);
      if (status === 'abandoned' || status === 'release_failed') moveStep(step, 'released');
    }
    // No further call is made.
    if (step.status === 'abandoned' || step.status === 'release_failed') step.dueAt = null;
  }

  private async lockUnconfirmed({ envelopeId, componentId }: ComponentPath): Promise<Unconfirmed> {
    const trip = await this.repository.trips.lock(envelopeId);
    const component = await this.repository.getComponent(envelopeId, componentId);
    const plan = await this.repository.lastPlan(envelopeId);
    const step = plan?.steps.find((one) => one.componentId === componentId);
    const isUnconfirmed = step?.status === 'confirm_failed' || step?.status === 'confirm_unknown';
    if (!plan || !step || component.status !== 'booked' || !isUnconfirmed) {
      const from = step?.status ?? component.status;
      throw conflict('invalid_transition', 'The provider has not refused to confirm the component', {
        from,
        to: 'confirming',
        allowed: [],
      });
    }
    return { trip, plan, step, component };
  }

  /** Runs outside transactions. A late quote is stored with the replaced component. */
  private async quote({ envelopeId, componentId }: ComponentPath, input: ReplaceComponent) {
    const { trip } = await this.repository.getView(envelopeId);
    const replaced = await this.repository.getComponent(envelopeId, componentId);
    const wanted = newComponent(input, { id: newId('tcmp'), trip, now: this.clock.now() });
    wanted.serviceDate ??= replaced.serviceDate;
    wanted.taxCodeId = replaced.taxCodeId;
    wanted.assertMembersOfKind();
    if (wanted.kind === 'manual_placeholder' && !wanted.confirmedByStaff) {
      const details = { componentIds: [componentId] };
      throw conflict('component_not_confirmed', 'Staff have not confirmed the manual component', details);
    }
    const request = { ...wanted.quoteRequest(), componentId };
    const { quotes, pendingIds } = wanted.isInternal()
      ? { quotes: await this.internal.quote([request], trip.customerId), pendingIds: [] }
      : await this.external.quote([request]);
    if (pendingIds.length > 0) throw quotePending(pendingIds);
    const offer = quotes.get(componentId);
    if (!offer?.available) {
      const reason = offer?.reason ?? 'The provider did not respond';
      const details = { componentIds: [componentId], components: [{ componentId, reason }] };
      throw conflict('component_unavailable', 'The replacement is not available', details);
    }
    if (offer.currency !== trip.currency) {
      throw unprocessable('currency_mismatch', `The replacement is not sold in ${trip.currency}`, {
        field: 'replacement',
        currency: trip.currency,
        componentIds: [componentId],
      });
    }
    return { wanted, offer };
  }

  /** Stores the replacement before its provider is called. A replacement without an external provider takes effect at once. */
  private async begin(target: ComponentPath, wanted: TripComponent, offer: Offer): Promise<Replacement> {
    const unconfirmed = await this.lockUnconfirmed(target);
    const { trip, plan } = unconfirmed;
    // A booked trip requests only replacements; a second one would hold an unnecessary order.
    if (plan.steps.some(({ status }) => status === 'dispatching')) throw inProgress();
    if ((await this.repository.componentsOf(trip.id)).length >= MAX_COMPONENTS) {
      throw conflict('component_limit_reached', `A trip has at most ${MAX_COMPONENTS} components`, {
        limit: MAX_COMPONENTS,
      });
    }
    const { totalCents, taxCents, currency, expiresAt: priceExpiresAt } = offer;
    const price = { subtotalCents: totalCents - taxCents, taxCents, totalCents, currency, priceExpiresAt };
    wanted.price(price, { serviceDate: offer.serviceDate ?? wanted.serviceDate, lines: [] });
    await this.repository.appendComponent(wanted);
    const step = newStep(plan.id, wanted, { offer, position: plan.steps.length });
    plan.steps.push(step);
    if (wanted.isInternal()) {
      moveToHeld(step, offer.expiresAt);
      await this.exchange(unconfirmed, wanted, step);
      return { component: wanted, step, isHeld: true };
    }
    moveStep(step, 'dispatching', { attempts: 1, dueAt: this.clock.inSeconds(REPLACEMENT_SECONDS) });
    await this.repository.savePlan(plan);
    return { component: wanted, step, isHeld: false };
  }

  /** Stores the result of the hold, even if the provider does not hold the replacement. */
  private async end(
    target: ComponentPath,
    { component: wanted, step: { id: stepId } }: Replacement,
    result: HoldResult | null,
  ): Promise<TripComponent> {
    if (result?.held) {
      try {
        return await this.database.transaction(() => this.exchangeHeld(target, { wanted, stepId, ...result }));
      } catch (error) {
        await this.releaseUnused(stepId, result.expiresAt);
        throw error;
      }
    }
    const { plan } = await this.orders.change(stepId, async ({ trip, step, component }) => {
      if (step.status !== 'dispatching') return;
      component?.remove();
      if (result) return moveStep(step, 'failed', { failure: { code: result.code, message: result.message } });
      const failure = {
        code: 'outcome_unknown',
        message: 'The provider did not report whether it holds the component',
      };
      moveStep(step, 'abandoned', { failure, unknownSince: this.clock.now(), dueAt: this.clock.inSeconds(60) });
      await this.attentions.raise(trip, step, 'provider_outcome_unknown');
    });
    if (plan) throw reservationFailed({ ...plan, steps: plan.steps.filter(({ id }) => id === stepId) });
    return wanted;
  }

  private async exchangeHeld(
    target: ComponentPath,
    { wanted, stepId, expiresAt }: { wanted: TripComponent; stepId: string; expiresAt: Date },
  ): Promise<TripComponent> {
    const unconfirmed = await this.lockUnconfirmed(target);
    const step = stepOf(unconfirmed.plan, stepId);
    const { status: from } = step;
    if (from !== 'dispatching') {
      throw conflict('invalid_transition', 'The replacement took too long', { from, to: 'held', allowed: [] });
    }
    moveStep(step, 'held', { holdExpiresAt: expiresAt });
    Object.assign(wanted, await this.repository.getComponent(target.envelopeId, wanted.id));
    await this.exchange(unconfirmed, wanted, step);
    return wanted;
  }

  /** The provider holds a replacement that has since been rejected, for example because the booking was cancelled. */
  private async releaseUnused(stepId: string, holdExpiresAt: Date): Promise<void> {
    await this.orders.change(stepId, async ({ step, component }) => {
      if (step.status !== 'dispatching') return;
      moveStep(step, 'held', { holdExpiresAt });
      moveStep(step, 'releasing', { dueAt: this.clock.now() });
      component?.remove();
      await this.jobs.add(ORDERS_JOB, {}, { key: ORDERS_JOB });
    });
  }

  /** The replacement takes the booking item. Any order for the replaced component is cancelled. */
  private async exchange(
    { trip, plan, step: oldStep, component: old }: Unconfirmed,
    wanted: TripComponent,
    step: ReservationStep,
  ) {
    const image = old.auditImage();
    const { bookingItemId, serviceDate } = old;
    const { bookingId } = trip;
    if (bookingItemId === null || bookingId === null) throw new Error(`${old.id} is booked without an item`);
    if (wanted.isInternal()) moveStep(step, 'confirmed');
    else moveStep(step, 'confirming', { dueAt: this.clock.now() });
    wanted.book([bookingItemId]);
    if (oldStep.status === 'confirm_failed') {
      moveStep(oldStep, 'cancelled');
      old.cancelOrder(null);
    } else {
      moveStep(oldStep, 'cancelling', { dueAt: this.clock.now() });
      old.status = 'cancelling';
    }
    Object.assign(old, { bookingItemId: null, bookingItemIds: [] });
    await this.attentions.settle(trip, oldStep.id, 'replaced');
    await this.repository.savePlan(plan);
    await this.repository.saveComponents([old, wanted], plan.id);
    trip.updatedAt = this.clock.now();
    await this.repository.trips.update(trip);
    await this.orders.setSupplierStatus(trip, wanted, wanted.isInternal() ? 'none' : 'pending');
    const cents = (wanted.totalCents ?? 0) - (old.totalCents ?? 0);
    if (cents !== 0) {
      const tax = (wanted.taxCents ?? 0) - (old.taxCents ?? 0);
      await this.sales.addDifference(
        { bookingId, itemId: bookingItemId },
        {
          type: 'adjustment',
          title: `Difference: ${wanted.title}`.slice(0, MAX_TITLE),
          unitSellCents: cents,
          taxIncludedCents: Math.max(Math.min(tax, Math.max(cents, 0)), Math.min(cents, 0)),
          serviceDate,
        },
      );
    }
    await this.jobs.add(ORDERS_JOB, {}, { key: ORDERS_JOB });
    const { before, after } = componentChangeOf(old, image);
    this.ledger.record('trips.component.replace', {
      ...{ subjectType: 'trip_component', subjectId: old.id, before },
      after: { ...after, replacedBy: wanted.id },
    });
  }
}
