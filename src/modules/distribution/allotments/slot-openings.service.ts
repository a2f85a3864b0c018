import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  type DepartureSummary,
  DeparturesService,
  type DepartureWarning,
  type ShortageRule,
  type Units,
} from '../../operations/index.js';
import type { Allotment } from './allotment.entity.js';
import { AllotmentSlot } from './allotment-slot.entity.js';
import { AllotmentsRepository } from './allotments.repository.js';
import { remainingOf } from './release-rule.js';
import { type Movement, type MovementCause, SlotsRepository } from './slots.repository.js';

/** Unsold units of a slot. */
export interface Unsold {
  slot: AllotmentSlot;
  units: number;
}

/** A slot to open, with its required and its actual units. */
interface Opening {
  allotment: Allotment;
  slot: AllotmentSlot;
  isNew: boolean;
  wanted: number;
  granted: number;
}

interface OpeningOptions {
  onShortage?: ShortageRule;
  slotId?: () => string;
}

/**
 * Opens and closes slots: departures and allotments enter and leave a range. A closed slot keeps its units as suspended and has
 * them again when it is opened. Callers must open the transaction and lock the allotment's product.
 */
@Injectable()
export class SlotOpeningsService {
  constructor(
    private readonly repository: SlotsRepository,
    private readonly allotments: AllotmentsRepository,
    private readonly departures: DeparturesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens slots on all scheduled future departures that the allotment covers without an open slot, or on none. Returns these
   * departures, and a warning for each slot that is short.
   */
  async openUpcoming(
    allotment: Allotment,
    { onShortage = 'reject', slotId }: OpeningOptions = {},
  ): Promise<{ departures: DepartureSummary[]; warnings: DepartureWarning[] }> {
    const { id, productId, validFrom: from, validTo: to } = allotment;
    const departures = await this.departures.lockUpcoming(productId, { after: this.clock.now(), from, to });
    const departureIds = departures.map((departure) => departure.id);
    const slots = await this.repository.lockOfAllotment(id, departureIds);
    const known = new Set(slots.map(({ departureId }) => departureId));
    const missing = allotment.active ? departures.filter((departure) => !known.has(departure.id)) : [];
    const openings = [
      ...slots.filter(({ closedAt }) => closedAt !== null).map((slot) => toReopen(allotment, slot)),
      ...missing.map((departure) => this.toCreate(allotment, departure, slotId)),
    ];
    return { departures, warnings: await this.open(openings, departures, onShortage) };
  }

  /** Creates the slots of a new departure. */
  async openDeparture(departure: DepartureSummary): Promise<void> {
    const covering = await this.allotments.listCovering(departure.productId, departure.startDate);
    const openings = covering.map((allotment) => this.toCreate(allotment, departure));
    await this.open(openings, [departure], 'reject');
  }

  /** Closes the slots of a departure that is cancelled or called off. */
  async closeDeparture(departureId: string): Promise<void> {
    const slots = await this.repository.lockOfDeparture(departureId);
    const allotments = await this.allotments.listByIds(slots.map(({ allotmentId }) => allotmentId));
    for (const allotment of allotments) await this.close(allotment, ownOf(allotment, slots), 'departure_cancelled');
  }

  /**
   * Updates the slots of a moved departure: closes slots that are no longer covered, opens slots that are covered now, and
   * plans the release steps again. Returns a warning for each slot that is short.
   */
  async followDeparture(departure: DepartureSummary, onShortage: ShortageRule): Promise<DepartureWarning[]> {
    const { id, startsAt, startDate, timeZone } = departure;
    const slots = await this.repository.lockOfDeparture(id);
    for (const slot of slots) Object.assign(slot, { startsAt, startDate, timeZone });
    await this.repository.save(slots);
    const allotments = await this.allotments.listByIds(slots.map(({ allotmentId }) => allotmentId));
    for (const allotment of allotments.filter((one) => !one.covers(startDate))) {
      await this.close(allotment, ownOf(allotment, slots), 'out_of_range');
    }
    if (startsAt <= this.clock.now()) return [];
    const openings = await this.openingsOn(departure, allotments, slots);
    const warnings = await this.open(openings, await this.departures.listSummaries([id]), onShortage);
    await this.repeatSteps(id, allotments, slots);
    return warnings;
  }

  /** Closes the slots that are not within the validity. */
  async closeUncovered(allotment: Allotment): Promise<void> {
    const uncovered = await this.repository.lockOpen(allotment.id, ({ startDate }) => !allotment.covers(startDate));
    const sold = uncovered.reduce((sum, slot) => sum + slot.sold, 0);
    const held = uncovered.reduce((sum, slot) => sum + slot.held, 0);
    assertUnsold({ sold, held }, 'Units are sold on departures outside the new validity');
    await this.close(allotment, uncovered, 'out_of_range');
  }

  /** Closes all slots. Returns the units that were suspended. */
  async closeAll(allotment: Allotment): Promise<Unsold[]> {
    const slots = await this.repository.lockOpen(allotment.id);
    // Closed slots may also have sales, if their departure was moved out of the validity.
    assertUnsold(await this.repository.countSold(allotment.id), 'Units of the allotment are sold');
    return this.close(allotment, slots, 'deleted');
  }

  /** Suspends the remaining units of locked slots. Sold and held units stay. */
  private async close(allotment: Allotment, slots: readonly AllotmentSlot[], cause: MovementCause): Promise<Unsold[]> {
    const open = slots.filter(({ closedAt }) => closedAt === null);
    if (open.length === 0) return [];
    const unsold = open.map((slot) => ({ slot, units: remainingOf(slot) }));
    for (const slot of open) slot.close(this.clock.now());
    await this.repository.save(open);
    await this.repository.addMovements(
      unsold.map(({ slot, units }) => ({ slotId: slot.id, kind: 'suspend', cause, units })),
    );
    if (allotment.type === 'guaranteed') await this.departures.lowerGuaranteed(...perDeparture(unsold));
    await this.allotments.cancelSteps(open);
    return unsold;
  }

  /** Opens all of these slots or none, in the order of their ids, new slots last. The caller has locked the departures. */
  private async open(
    openings: readonly Opening[],
    departures: readonly DepartureSummary[],
    onShortage: ShortageRule,
  ): Promise<DepartureWarning[]> {
    grant(openings, departures);
    const short = openings.filter(({ wanted, granted }) => granted < wanted);
    if (short.length > 0 && onShortage === 'reject') throwShortage(short, departures);

    const guaranteed = openings.filter(({ allotment }) => allotment.type === 'guaranteed');
    await this.departures.raiseGuaranteed(
      ...perDeparture(guaranteed.map(({ slot, granted: units }) => ({ slot, units }))),
    );
    for (const { slot, isNew, wanted, granted } of openings) {
      if (isNew) slot.release(wanted - granted);
      else slot.reopen({ missing: wanted - granted });
    }
    await this.repository.insert(openings.filter(({ isNew }) => isNew).map(({ slot }) => slot));
    await this.repository.save(openings.filter(({ isNew }) => !isNew).map(({ slot }) => slot));
    await this.repository.addMovements(openings.flatMap(toMovements));
    for (const allotment of new Set(openings.map((opening) => opening.allotment))) {
      const own = openings.filter((opening) => opening.allotment === allotment);
      const slots = own.map(({ slot }) => slot);
      await this.allotments.planSteps(allotment, slots);
    }
    for (const { allotment, slot, wanted, granted } of short) {
      const data = { slotId: slot.id, departureId: slot.departureId, units: wanted - granted };
      this.publish('slot_short', allotment, data);
    }
    return short.map(({ slot: { id: slotId, departureId }, wanted, granted: available }) => {
      return { code: 'slot_short', slotId, departureId, wanted, available };
    });
  }

  /** Slots also return to inactive allotments, which keep their units; only active ones get new slots. */
  private async openingsOn(
    departure: DepartureSummary,
    allotments: readonly Allotment[],
    slots: readonly AllotmentSlot[],
  ): Promise<Opening[]> {
    const returning = allotments.filter((one) => one.deletedAt === null && one.covers(departure.startDate));
    const known = new Set(allotments.map(({ id }) => id));
    const covering = await this.allotments.listCovering(departure.productId, departure.startDate);
    const closed = returning
      .flatMap((allotment) => ownOf(allotment, slots).map((slot) => toReopen(allotment, slot)))
      .filter(({ slot }) => slot.closedAt !== null)
      .sort((one, other) => (one.slot.id < other.slot.id ? -1 : 1));
    const created = covering.filter(({ id }) => !known.has(id));
    return [...closed, ...created.map((allotment) => this.toCreate(allotment, departure))];
  }

  private toCreate(allotment: Allotment, departure: DepartureSummary, slotId = () => newId('alsl')): Opening {
    const slot = newSlot(allotment, departure, { id: slotId(), now: this.clock.now() });
    return { allotment, slot, isNew: true, wanted: allotment.defaultQuantity, granted: 0 };
  }

  /**
   * Plans the steps of a moved departure. An executed step that is due in the future again is repeated. It returns the units
   * that the pool still has, unless the release rule excludes that.
   */
  private async repeatSteps(
    departureId: string,
    allotments: readonly Allotment[],
    slots: readonly AllotmentSlot[],
  ): Promise<void> {
    const open = slots.filter(({ closedAt }) => closedAt === null);
    for (const allotment of allotments) {
      const repeatAfter = allotment.reclaimOnMove === true ? this.clock.now() : null;
      await this.allotments.planSteps(allotment, ownOf(allotment, open), { repeatAfter });
    }
    const outstanding = await this.allotments.countRepeated(open);
    if (outstanding.size === 0) return;
    const [{ available = 0 } = {}] = await this.departures.listSummaries([departureId]);
    let pool = available;
    for (const slot of open) {
      const allotment = allotments.find(({ id }) => id === slot.allotmentId);
      const wanted = outstanding.get(slot.id) ?? 0;
      const units = allotment?.type === 'guaranteed' ? Math.min(pool, wanted) : wanted;
      if (!allotment || units === 0) continue;
      if (allotment.type === 'guaranteed') {
        await this.departures.raiseGuaranteed({ departureId, units });
        pool -= units;
      }
      slot.reclaim(units);
      await this.allotments.takeOutstanding([{ slotId: slot.id, units }]);
      await this.repository.addMovements([{ slotId: slot.id, kind: 'reclaim', cause: 'moved', units }]);
      this.publish('reclaimed', allotment);
    }
    await this.repository.save(open);
  }

  private publish(what: 'slot_short' | 'reclaimed', allotment: Allotment, data: object = {}): void {
    const event = `allotment.${what}`;
    this.outbox.add({ channel: 'distribution.allotments', event, data: { ...allotment.eventData(), ...data } });
  }
}

/** A statement moves each departure once, so the units of its slots are added up. */
export function perDeparture(unsold: readonly Unsold[]): Units[] {
  const sums = new Map<string, number>();
  for (const { slot, units } of unsold) sums.set(slot.departureId, (sums.get(slot.departureId) ?? 0) + units);
  return [...sums].map(([departureId, units]) => ({ departureId, units }));
}

function ownOf({ id }: Allotment, slots: readonly AllotmentSlot[]): AllotmentSlot[] {
  return slots.filter(({ allotmentId }) => allotmentId === id);
}

function toReopen(allotment: Allotment, slot: AllotmentSlot): Opening {
  return { allotment, slot, isNew: false, wanted: slot.suspended, granted: 0 };
}

/** Distributes the units of each departure's pool over the openings, in their order. Units of a cap stay in the pool. */
function grant(openings: readonly Opening[], departures: readonly DepartureSummary[]): void {
  const pools = new Map(departures.map(({ id, available }) => [id, available]));
  for (const opening of openings) {
    const { allotment, slot, wanted } = opening;
    const pool = pools.get(slot.departureId) ?? 0;
    opening.granted = allotment.type === 'guaranteed' ? Math.min(pool, wanted) : wanted;
    if (allotment.type === 'guaranteed') pools.set(slot.departureId, pool - opening.granted);
  }
}

function throwShortage(short: readonly Opening[], all: readonly DepartureSummary[]): never {
  const ids = new Set(short.map(({ slot }) => slot.departureId));
  const departures = all
    .filter(({ id }) => ids.has(id))
    .map(({ id: departureId, available }) => ({ departureId, available }));
  const available = Math.min(...departures.map((departure) => departure.available));
  const returning = short.filter(({ isNew }) => !isNew);
  const slots = returning.map(({ slot, wanted, granted }) => ({ slotId: slot.id, wanted, available: granted }));
  const details = { available, departures, ...(slots.length > 0 ? { slots } : {}) };
  throw conflict('capacity_exceeded', 'Not enough units available', details);
}

function toMovements({ slot: { id: slotId }, isNew, wanted, granted }: Opening): Movement[] {
  return [
    { slotId, kind: isNew ? 'allot' : 'resume', cause: 'opened', units: wanted },
    { slotId, kind: 'release', cause: 'shortage', units: wanted - granted },
  ];
}

function assertUnsold({ sold, held }: { sold: number; held: number }, message: string): void {
  if (sold + held === 0) return;
  throw conflict('allotment_has_sales', message, { sold, ...(held > 0 ? { held } : {}) });
}

function newSlot(
  allotment: Allotment,
  departure: DepartureSummary,
  { id, now }: { id: string; now: Date },
): AllotmentSlot {
  return make(AllotmentSlot, {
    id,
    allotmentId: allotment.id,
    departureId: departure.id,
    startsAt: departure.startsAt,
    startDate: departure.startDate,
    timeZone: departure.timeZone,
    allotted: allotment.defaultQuantity,
    sold: 0,
    held: 0,
    released: 0,
    suspended: 0,
    expired: 0,
    createdAt: now,
  });
}
