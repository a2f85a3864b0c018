import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { CancellationCost } from '../../legal/index.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import { BookingsRepository } from './bookings.repository.js';
import { type CancellationCircumstances, CancellationTermsService } from './cancellation-terms.service.js';

interface ForecastQuery extends Partial<CancellationCircumstances> {
  /** Only these items; the whole booking if absent. */
  itemIds?: readonly string[];
}

/** What a cancellation would cost and free now. Amounts are in minor units. */
export interface CancellationForecast extends CancellationCircumstances, Pick<CancellationCost, 'lines' | 'warnings'> {
  currency: string;
  itemIds: string[];
  /** Price of what would be cancelled. */
  totalCents: number;
  /** Null if the terms do not determine it. */
  feeCents: number | null;
  outcome: CancellationCost['outcome'];
  freed: FreedUnits[];
}

interface FreedUnits {
  departureId: string;
  units: number;
}

/** Computes what the cancellation of a booking, or of some of its items, would cost. Changes nothing. */
@Injectable()
export class CancellationForecastsService {
  constructor(
    private readonly repository: BookingsRepository,
    private readonly cancellationTerms: CancellationTermsService,
    private readonly clock: Clock,
  ) {}

  /** Throws if the state of the booking does not allow the cancellation. Each item is priced as if it were cancelled alone. */
  async forecast(bookingId: string, query: ForecastQuery): Promise<CancellationForecast> {
    const { itemIds, cancelledOn = this.clock.today(), initiator = 'customer' } = query;
    if (itemIds) assertNoCircumstances(query);
    const booking = await this.repository.bookings.get(bookingId);
    const view = await this.repository.viewOf(booking);
    const active = await this.repository.activeItems(bookingId);
    const items = itemIds ? named(active, itemIds) : active;
    if (itemIds) {
      booking.assertItemsOpen();
    } else {
      // Rejects what the cancellation would reject; the changed entity is not saved.
      booking.cancel('', { declaredOn: cancelledOn, now: this.clock.now(), today: this.clock.today() });
      this.cancellationTerms.assertCancelledOn(cancelledOn, view);
    }
    const costs: CancellationCost[] = [];
    for (const part of itemIds ? items.map((item) => [item]) : [items]) {
      costs.push(await this.cancellationTerms.costOf(view, part, { cancelledOn, initiator }));
    }
    const fees = costs.map(({ feeCents }) => feeCents);
    return {
      ...{ currency: view.currency, cancelledOn, initiator, itemIds: items.map(({ id }) => id) },
      totalCents: sum(items.map(({ totalSellCents }) => totalSellCents)),
      feeCents: fees.includes(null) ? null : sum(fees.map((cents) => cents ?? 0)),
      lines: costs.flatMap(({ lines }) => lines),
      warnings: [...new Set(costs.flatMap(({ warnings }) => warnings))],
      outcome: costs.every(({ outcome }) => outcome === 'credit') ? 'credit' : 'refund',
      freed: freedBy(items),
    };
  }
}

function named(active: readonly BookingItem[], itemIds: readonly string[]): BookingItem[] {
  return itemIds.map((wanted, index) => {
    const item = active.find(({ id }) => id === wanted);
    if (!item) throw notFound({ field: `itemIds.${index}` });
    return item;
  });
}

/** Single items are cancelled today, and by the customer. */
function assertNoCircumstances(query: ForecastQuery): void {
  for (const name of ['cancelledOn', 'initiator'] as const) {
    if (query[name] === undefined) continue;
    throw invalidField(name, `${name} is only allowed without itemIds`, 'not_applicable');
  }
}

function freedBy(items: readonly BookingItem[]): FreedUnits[] {
  const freed = new Map<string, number>();
  for (const item of items) {
    if (item.departureId === null) continue;
    freed.set(item.departureId, (freed.get(item.departureId) ?? 0) + item.units());
  }
  return [...freed].map(([departureId, units]) => ({ departureId, units }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
