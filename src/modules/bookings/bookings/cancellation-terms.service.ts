import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { type CancellationCost, type CancellationInitiator, TermsService } from '../../legal/index.js';
import { DeparturesService } from '../../operations/index.js';
import type { BookingItem } from '../items/booking-item.entity.js';
import type { BookingView } from './booking.entity.js';

/** The circumstances of a cancellation that decide its fee. */
export interface CancellationCircumstances {
  cancelledOn: string;
  initiator: CancellationInitiator;
}

/** A draft is not binding: cancelling it costs nothing. */
const FREE: CancellationCost = { lines: [], feeCents: 0, outcome: 'refund', warnings: ['no_cancellation_terms'] };

/** Determines the fee for cancelling bookings and items, and the time within which a cancellation can be reversed. */
@Injectable()
export class CancellationTermsService {
  constructor(
    private readonly terms: TermsService,
    private readonly departures: DeparturesService,
    private readonly clock: Clock,
  ) {}

  /** The cost of cancelling these items of a locked booking under the terms of its confirmation. */
  async costOf(
    { status, currency, departureDate, terms }: BookingView,
    items: readonly BookingItem[],
    circumstances: CancellationCircumstances,
  ): Promise<CancellationCost> {
    if (status === 'draft') return FREE;
    const departures = await this.departures.listSummaries(items.flatMap(({ departureId }) => departureId ?? []));
    const productOf = new Map(departures.map(({ id, productId }) => [id, productId]));
    return this.terms.cancellationCost(terms ?? [], {
      currency,
      departureDate,
      ...circumstances,
      items: items.map((item) => ({
        productId: productOf.get(item.departureId ?? '') ?? null,
        totalCents: item.totalSellCents,
        refundable: item.refundable,
      })),
    });
  }

  /** The fee for one item that the customer cancels today. */
  async feeOf(booking: BookingView, item: BookingItem): Promise<number> {
    const circumstances = { cancelledOn: this.clock.today(), initiator: 'customer' } as const;
    const { feeCents } = await this.costOf(booking, [item], circumstances);
    if (feeCents === null) {
      throw conflict('fee_needs_decision', 'The terms do not determine the fee; add it as a separate item', {
        itemId: item.id,
      });
    }
    return feeCents;
  }

  /** The day must be between the sale and today. */
  assertCancelledOn(day: string, { confirmedOn, createdAt }: BookingView): void {
    const [earliest, latest] = [confirmedOn ?? this.clock.dayOf(createdAt), this.clock.today()];
    if (earliest <= day && day <= latest) return;
    throw unprocessable('cancelled_on_out_of_bounds', 'cancelledOn must be between the confirmation and today', {
      field: 'cancelledOn',
      earliest,
      latest,
    });
  }

  /** Rejects a day that has passed. */
  assertAhead(departureDate: string | null): void {
    if (departureDate === null || departureDate >= this.clock.today()) return;
    throw conflict('departure_departed', 'The departure has passed', { departureDate });
  }
}
