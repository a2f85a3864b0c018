import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import type { Target } from '../../../platform/http/target.js';
import { newId } from '../../../platform/ids/id.js';
import { DeparturesService } from '../../operations/index.js';
import { TripJournal, imageOfComponent } from '../envelopes/trip-journal.js';
import { TripRows } from '../envelopes/trip-rows.service.js';
import type { Trip } from '../envelopes/trip.entity.js';
import type { CreateComponent, UpdateComponent } from './component.dto.js';
import { TripComponent } from './component.entity.js';

const MOST_COMPONENTS = 50;

/** A component on its trip's path, and the versions of it that a change is meant for. */
type ComponentTarget = Target<'envelopeId' | 'componentId'>;

/** What staff do with single components. Each change holds the trip, and its prices hold no longer. */
@Injectable()
export class Components {
  constructor(
    private readonly trips: TripRows,
    private readonly departures: DeparturesService,
    private readonly journal: TripJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws 400 where kind and members do not fit, 404, 409 `component_limit_reached`, `invalid_transition`. */
  async add(envelopeId: string, input: CreateComponent, id = newId('tcmp')): Promise<TripComponent> {
    return this.trips.within(async () => {
      const trip = await this.edited(envelopeId);
      const component = newComponent(input, { id, trip, now: this.clock.now() });
      assertFits(component);
      await this.assertSellable(component);
      const others = await this.trips.components.of([envelopeId]);
      if (others.length >= MOST_COMPONENTS) {
        throw conflict('component_limit_reached', `A trip has at most ${MOST_COMPONENTS} components`, {
          limit: MOST_COMPONENTS,
        });
      }
      await this.trips.components.append(component);
      await this.trips.update(trip);
      this.journal.component('create', component, { before: null });
      return component;
    });
  }

  /** Throws 400 where kind and members do not fit, 404, 409 `invalid_transition`, 412. */
  async update(target: ComponentTarget, changes: UpdateComponent): Promise<TripComponent> {
    return this.change(target, 'update', async (component) => {
      Object.assign(component, changes);
      if (component.unitPriceCents !== null) component.unitTaxIncludedCents ??= 0;
      assertFits(component);
      await this.assertSellable(component);
      component.voidPrice();
    });
  }

  /** It belongs to the trip no longer; its row stays. Throws 404, 409 `invalid_transition`, 412. */
  async remove(target: ComponentTarget): Promise<TripComponent> {
    return this.change(target, 'remove', async (component) => {
      component.voidPrice();
      component.status = 'removed';
      return Promise.resolve();
    });
  }

  private async change(
    { envelopeId, componentId, expected }: ComponentTarget,
    verb: 'update' | 'remove',
    work: (component: TripComponent) => Promise<void>,
  ): Promise<TripComponent> {
    return this.trips.within(async () => {
      const trip = await this.trips.lock(envelopeId);
      const component = await this.trips.components.get(envelopeId, componentId);
      assertVersion(expected, component);
      trip.edit(this.clock.now());
      const before = imageOfComponent(component);
      await work(component);
      await this.trips.components.save([component]);
      await this.trips.update(trip);
      this.journal.component(verb, component, { before });
      return component;
    });
  }

  private async edited(envelopeId: string): Promise<Trip> {
    const trip = await this.trips.lock(envelopeId);
    trip.edit(this.clock.now());
    return trip;
  }

  /** Throws 404 for an unknown departure, 400 where the price of the whole quantity would be beyond 2^53-1. */
  private async assertSellable({ departureId, quantity, unitPriceCents }: TripComponent): Promise<void> {
    const departure = departureId && (await this.departures.getSummary(departureId, { field: 'departureId' }));
    const priceCents = departure ? departure.priceCents : (unitPriceCents ?? 0);
    if (Number.isSafeInteger(priceCents * quantity)) return;
    throw invalidField('quantity', 'Price of the whole quantity would exceed 2^53-1', 'amount_too_large');
  }
}

function newComponent(input: CreateComponent, { id, trip, now }: { id: string; trip: Trip; now: Date }): TripComponent {
  const unitTax = input.unitTaxIncludedCents ?? (input.unitPriceCents === undefined ? null : 0);
  return make(TripComponent, {
    id,
    envelopeId: trip.id,
    position: 0,
    kind: input.kind,
    title: input.title,
    quantity: input.quantity ?? 1,
    status: 'draft',
    departureId: input.departureId ?? null,
    providerRef: input.providerRef ?? null,
    unitPriceCents: input.unitPriceCents ?? null,
    unitTaxIncludedCents: unitTax,
    confirmedByStaff: input.confirmedByStaff ?? false,
    serviceDate: input.serviceDate ?? null,
    currency: trip.currency,
    subtotalCents: null,
    taxCents: null,
    totalCents: null,
    priceExpiresAt: null,
    holdExpiresAt: null,
    bookingItemId: null,
    warnings: [],
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** Which members belong to which kind; throws 400 on the first that is missing or out of place. */
function assertFits(component: TripComponent): void {
  const { kind, departureId, providerRef, unitPriceCents, unitTaxIncludedCents } = component;
  const isManual = kind === 'manual_placeholder';
  const rules: readonly [field: string, isThere: boolean, isWanted: boolean | null][] = [
    ['departureId', departureId !== null, kind === 'catalog_booking'],
    ['providerRef', providerRef !== null, kind === 'external_order'],
    ['unitPriceCents', unitPriceCents !== null, isManual ? null : false],
    ['unitTaxIncludedCents', unitTaxIncludedCents !== null, isManual && unitPriceCents !== null ? null : false],
    ['confirmedByStaff', component.confirmedByStaff, isManual ? null : false],
  ];
  for (const [field, isThere, isWanted] of rules) {
    if (isWanted === null || isThere === isWanted) continue;
    if (isWanted) throw invalidField(field, `A ${kind} requires ${field}`, 'missing_for_kind');
    throw invalidField(field, `A ${kind} must not have ${field}`, 'not_of_kind');
  }
  if ((unitTaxIncludedCents ?? 0) > (unitPriceCents ?? 0)) {
    throw invalidField(
      'unitTaxIncludedCents',
      'unitTaxIncludedCents must not exceed unitPriceCents',
      'tax_above_price',
    );
  }
}
