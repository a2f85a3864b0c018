import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { type DepartureSummary, DeparturesService, type Units } from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import { AllotmentSlot } from './allotment-slot.entity.js';
import { ReleasePlans } from './release-plans.service.js';
import type { UnsoldAction } from './release-rule.js';
import { type Movement, type MovementCause, Movements } from './movements.service.js';
import { SlotRows } from './slot-rows.service.js';

/** Units of a slot that are given back. */
export interface Unsold {
  slot: AllotmentSlot;
  units: number;
}

/**
 * How slots come, go and give back units. The caller holds the product, the departures and, where it hands them in, the
 * slots; what it changes of them is stored.
 */
@Injectable()
export class Slots {
  constructor(
    private readonly rows: SlotRows,
    private readonly movements: Movements,
    private readonly departures: DeparturesService,
    private readonly plans: ReleasePlans,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives the allotment its part of departures where it has none; a slot that was closed is opened again. Throws 409
   * `capacity_exceeded` with the departures; then none has one.
   */
  async open(
    allotment: Allotment,
    departures: readonly DepartureSummary[],
    slotId: () => string = () => newId('alsl'),
  ): Promise<void> {
    const departureIds = departures.map(({ id }) => id);
    const found = await this.rows.lockOfAllotment(allotment.id, departureIds);
    const slots = new Map(found.map((slot) => [slot.departureId, slot]));
    const missing = departures.filter(({ id }) => !slots.has(id));
    const fresh = missing.map((departure) => newSlot(allotment, departure, { id: slotId(), now: this.clock.now() }));
    const closed = found.filter(({ closedAt }) => closedAt !== null);
    const opened = [...fresh, ...closed];

    if (allotment.type === 'guaranteed') {
      const { defaultQuantity: units } = allotment;
      await this.departures.raiseGuaranteed(...opened.map(({ departureId }) => ({ departureId, units })));
    }
    const reopenings = closed.flatMap((slot) => reopen(slot, allotment.defaultQuantity));
    const openings = fresh.map(({ id, allotted }) => movement('allot', id, { cause: 'opened', units: allotted }));
    await this.rows.insert(fresh);
    await this.rows.store(closed);
    await this.movements.append([...openings, ...reopenings]);
    await this.plans.plan(allotment, opened);
  }

  /** Nothing is left to sell on these; what was not sold goes back into the pool. Returns what of each. */
  async close(allotment: Allotment, slots: readonly AllotmentSlot[], cause: MovementCause): Promise<Unsold[]> {
    const open = slots.filter(({ closedAt }) => closedAt === null);
    if (open.length === 0) return [];
    const unsold = open.map((slot) => ({ slot, units: slot.remaining }));
    await this.takeFromChannel(allotment, unsold, { cause, action: 'release_to_general_pool' });
    for (const slot of open) slot.closedAt = this.clock.now();
    await this.rows.store(open);
    await this.plans.cancel(open);
    return unsold;
  }

  /**
   * Units that were given back are the channel's again, on slots that are open from then on. Throws 409
   * `capacity_exceeded`, `departure_cancelled`, `units_reclaimed` where they are not there to be had again.
   */
  async reclaim(allotment: Allotment, given: readonly Unsold[], action: UnsoldAction): Promise<void> {
    const gone = given.filter(({ slot, units }) => units > slot.released);
    if (gone.length > 0) {
      const slotIds = gone.map(({ slot }) => slot.id);
      throw conflict('units_reclaimed', 'The units were already returned to the channel', { slotIds });
    }
    if (allotment.type === 'guaranteed') {
      if (action === 'expire') await this.departures.restoreGuaranteed(...perDeparture(given));
      else await this.departures.raiseGuaranteed(...perDeparture(given));
    }
    for (const { slot, units } of given) {
      slot.released -= units;
      slot.closedAt = null;
      // As before the first release: what is given back from now on can be sold through the channel again.
      if (slot.released === 0) slot.releasedAt = null;
    }
    await this.movements.append(
      given.map(({ slot, units }) => movement('reclaim', slot.id, { cause: 'reversal', units })),
    );
    const slots = given.map(({ slot }) => slot);
    await this.rows.store(slots);
    await this.plans.plan(allotment, slots);
  }

  /** Gives back unsold units as the allotment says. What comes back later goes straight on, unless it retains them. */
  async release(allotment: Allotment, unsold: readonly Unsold[], cause: 'step' | 'hand'): Promise<void> {
    const action = allotment.unsoldAction ?? 'release_to_general_pool';
    if (action === 'retain') return;
    await this.takeFromChannel(allotment, unsold, { cause, action });
    for (const { slot } of unsold) slot.releasedAt ??= this.clock.now();
    await this.rows.store(unsold.map(({ slot }) => slot));
  }

  /** More units of a departure are set aside, or fewer. Throws 409 `capacity_exceeded`, `departure_cancelled`. */
  async resize(allotment: Allotment, slot: AllotmentSlot, allotted: number): Promise<void> {
    const more = allotted - slot.allotted;
    const given = { departureId: slot.departureId, units: Math.abs(more) };
    const kind = more > 0 ? 'allot' : 'release';
    await this.movements.append([movement(kind, slot.id, { cause: 'changed', units: given.units })]);
    if (allotment.type === 'guaranteed' && more > 0) await this.departures.raiseGuaranteed(given);
    if (allotment.type === 'guaranteed' && more < 0) await this.departures.lowerGuaranteed(given);
    Object.assign(slot, { allotted, updatedAt: this.clock.now() });
    await this.rows.update(slot);
  }

  /** Their departures start at another time. */
  async replan(allotment: Allotment, slots: readonly AllotmentSlot[]): Promise<void> {
    await this.plans.plan(allotment, slots);
  }

  private async takeFromChannel(
    allotment: Allotment,
    unsold: readonly Unsold[],
    { cause, action }: { cause: MovementCause; action: Exclude<UnsoldAction, 'retain'> },
  ): Promise<void> {
    for (const { slot, units } of unsold) slot.released += units;
    await this.movements.append(unsold.map(({ slot, units }) => movement('release', slot.id, { cause, units })));
    if (allotment.type === 'cap') return;
    const given = perDeparture(unsold);
    if (action === 'expire') await this.departures.withdrawGuaranteed(...given);
    else await this.departures.lowerGuaranteed(...given);
  }
}

function newSlot(
  allotment: Allotment,
  departure: DepartureSummary,
  { id, now }: { id: string; now: Date },
): AllotmentSlot {
  return Object.assign(new AllotmentSlot(), {
    id,
    allotmentId: allotment.id,
    departureId: departure.id,
    startsAt: departure.startsAt,
    startDate: departure.startDate,
    timeZone: departure.timeZone,
    allotted: allotment.defaultQuantity,
    sold: 0,
    released: 0,
    releasedAt: null,
    closedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

/** So many units are to be sold again: those that were released come back first. */
function reopen(slot: AllotmentSlot, units: number): Movement[] {
  const reclaimed = Math.min(slot.released, units);
  slot.released -= reclaimed;
  slot.allotted += units - reclaimed;
  slot.closedAt = null;
  return [
    movement('reclaim', slot.id, { cause: 'opened', units: reclaimed }),
    movement('allot', slot.id, { cause: 'opened', units: units - reclaimed }),
  ];
}

function movement(
  kind: 'allot' | 'release' | 'reclaim',
  slotId: string,
  { cause, units }: { cause: MovementCause; units: number },
): Movement {
  return { slotId, kind, cause, units };
}

function perDeparture(unsold: readonly Unsold[]): Units[] {
  const sums = new Map<string, number>();
  for (const { slot, units } of unsold) sums.set(slot.departureId, (sums.get(slot.departureId) ?? 0) + units);
  return [...sums].map(([departureId, units]) => ({ departureId, units }));
}
