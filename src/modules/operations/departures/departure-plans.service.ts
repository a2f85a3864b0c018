import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { make } from '../../../platform/database/rows.js';
import type { ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { FacilityChoice } from '../facilities/facility-choice.service.js';
import { type DepartureSummary, toDepartureSummary } from './departure-summary.js';
import { DepartureListener } from './departure-listener.js';
import { DepartureJournal, imageOfDeparture } from './departure-journal.js';
import { DepartureRows } from './departure-rows.service.js';
import type { CreateDeparture, UpdateDeparture } from './departure.dto.js';
import { Departure, type DepartureChanges, type DepartureView } from './departure.entity.js';

/** What staff do with departures. Whoever follows one takes part in the transaction, or refuses it. */
@Injectable()
export class DeparturePlans {
  constructor(
    private readonly rows: DepartureRows,
    private readonly facilities: FacilityChoice,
    private readonly listeners: Listeners,
    private readonly journal: DepartureJournal,
    private readonly clock: Clock,
  ) {}

  /** Throws 400 where the figures contradict each other, 404, 409 `facility_archived`, and what followers throw. */
  async create(input: CreateDeparture, id = newId('dep')): Promise<DepartureView> {
    const departure = newDeparture(input, id, this.clock.now());
    departure.assertSound();
    return this.rows.within(departure.productId, async () => {
      await this.facilities.assertUsable(departure.facilityId);
      await this.rows.insert(departure);
      const facts = await this.factsOf(id);
      await this.listeners.call(DepartureListener, (listener) => listener.created?.(facts));
      return this.finish('create', id, { before: null });
    });
  }

  /**
   * Throws 400 where the figures contradict each other, 404, 409 `departure_cancelled`, `capacity_exceeded`,
   * `facility_archived`, 412, and what followers throw.
   */
  async update(id: string, body: UpdateDeparture, expected: ExpectedVersions): Promise<DepartureView> {
    return this.rows.change(id, expected, async (departure, before) => {
      departure.change(changesOf(body), this.clock.now());
      if (departure.facilityId !== before.facilityId) await this.facilities.assertUsable(departure.facilityId);
      await this.rows.update(departure);
      const facts = await this.factsOf(id);
      if (facts.startsAt.getTime() !== before.startsAt.getTime() || facts.timeZone !== before.timeZone) {
        await this.listeners.call(DepartureListener, (listener) => listener.moved?.(facts, toDepartureSummary(before)));
      }
      return this.finish('update', id, { before: imageOfDeparture(before) });
    });
  }

  /** Throws 404, 409 `invalid_transition`, `departure_in_use`, 412. */
  async cancel(id: string, reason: string | null, expected: ExpectedVersions): Promise<DepartureView> {
    return this.rows.change(id, expected, async (departure, before) => {
      departure.cancel(this.clock.now());
      await this.rows.update(departure);
      const facts = await this.factsOf(id);
      await this.listeners.call(DepartureListener, (listener) => listener.cancelled?.(facts));
      return this.finish('cancel', id, { before: imageOfDeparture(before), reason });
    });
  }

  /** Read again, for followers move units. */
  private async finish(
    verb: 'create' | 'update' | 'cancel',
    id: string,
    images: { before: object | null; reason?: string | null },
  ): Promise<DepartureView> {
    const view = await this.rows.get(id);
    this.journal.record(verb, view, images);
    return view;
  }

  private async factsOf(id: string): Promise<DepartureSummary> {
    return toDepartureSummary(await this.rows.get(id));
  }
}

function newDeparture(input: CreateDeparture, id: string, now: Date): Departure {
  return make(Departure, {
    id,
    productId: input.productId,
    startsAt: new Date(input.startsAt),
    endsAt: new Date(input.endsAt),
    timeZone: input.timeZone,
    capacity: input.capacity,
    priceCents: input.priceCents,
    taxIncludedCents: input.taxIncludedCents ?? 0,
    currency: input.currency,
    facilityId: input.facilityId ?? null,
    status: 'scheduled',
    sold: 0,
    held: 0,
    guaranteedOpen: 0,
    cancelledAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
}

function changesOf({ startsAt, endsAt, ...fields }: UpdateDeparture): DepartureChanges {
  return {
    ...fields,
    ...(startsAt === undefined ? {} : { startsAt: new Date(startsAt) }),
    ...(endsAt === undefined ? {} : { endsAt: new Date(endsAt) }),
  };
}
