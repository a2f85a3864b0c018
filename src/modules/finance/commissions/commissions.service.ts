import { Injectable } from '@nestjs/common';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { assertVersion } from '../../../platform/http/if-match.js';
import type { Target } from '../../../platform/http/target.js';
import { newId } from '../../../platform/ids/id.js';
import type { BookingSummary, BookingItemSummary } from '../../bookings/index.js';
import { ChannelsService } from '../../distribution/index.js';
import { changedTerms, recipientChanges } from './commission-changes.js';
import { CommissionJournal, type CommissionVerb, imageOf } from './commission-journal.js';
import type { CommissionLine, Payout } from './commission-line.entity.js';
import { assertWithin, passThrough } from './commission-moves.service.js';
import { CommissionPlace, type Place } from './commission-place.service.js';
import { CommissionRows } from './commission-rows.service.js';
import { CommissionSettlement } from './commission-settlement.service.js';
import { completeTerms } from './commission-terms.js';
import type { CreateCommission, UpdateCommission } from './commission.dto.js';
import { newCommissionLine } from './new-commission-line.js';

const MOST_LINES = 50;

export type CommissionTarget = Target<'bookingItemId' | 'id'>;

/** What staff do with commissions: with the booking of the item held, which the sum of its lines depends on. */
@Injectable()
export class Commissions {
  constructor(
    private readonly place: CommissionPlace,
    private readonly rows: CommissionRows,
    private readonly channels: ChannelsService,
    private readonly settlement: CommissionSettlement,
    private readonly journal: CommissionJournal,
  ) {}

  /**
   * Throws 404, 409 `booking_closed`, `booking_item_cancelled`, `pass_through_item`, `commission_limit_reached`,
   * `channel_archived`, 422 `cost_unknown`, `commission_exceeds_base`.
   */
  async create(bookingItemId: string, input: CreateCommission, id = newId('comm')): Promise<CommissionLine> {
    const terms = completeTerms(input);
    return this.place.hold(bookingItemId, async ({ booking, item, now }) => {
      assertSold(booking, item);
      const others = await this.rows.ofItem(bookingItemId);
      if (others.filter(({ reversesId }) => reversesId === null).length >= MOST_LINES) {
        throw conflict('commission_limit_reached', `An item has at most ${MOST_LINES} commissions`, {
          limit: MOST_LINES,
        });
      }
      if (input.channelId) await this.channels.assertUsable(input.channelId);
      const status = booking.status === 'draft' ? 'pending' : 'accrued';
      const line = newCommissionLine(input, terms, { id, item, status, now });
      assertWithin([...others, line], item);
      await this.rows.insert([line]);
      this.journal.tell('create', line, { before: null });
      await this.settlement.settle(booking.id);
      return this.rows.get(bookingItemId, id);
    });
  }

  /** Throws 404, 409 `commission_locked`, `channel_archived`, 412, 422 `cost_unknown`, `commission_exceeds_base`. */
  async update(target: CommissionTarget, body: UpdateCommission): Promise<CommissionLine> {
    return this.change('update', target, async (line, { item, now }) => {
      const { channelId } = line;
      line.change(recipientChanges(body), now);
      if (line.channelId !== null && line.channelId !== channelId) await this.channels.assertUsable(line.channelId);
      const terms = changedTerms(line, body);
      if (terms && line.compute(terms, item, now)) {
        const others = await this.rows.ofItem(item.id);
        assertWithin([...others.filter(({ id }) => id !== line.id), line], item);
      }
    });
  }

  /** Throws 404, 409 `invalid_transition`, 412. */
  async void(target: CommissionTarget, reason: string): Promise<CommissionLine> {
    return this.change('void', target, (line, { now }) => {
      line.void(reason, now);
      return Promise.resolve();
    });
  }

  /** Throws 404, 409 `invalid_transition`, 412. */
  async payOut(target: CommissionTarget, payout: Payout): Promise<CommissionLine> {
    if (payout.paidOn > this.place.today()) {
      throw invalidField('paidOn', 'paidOn must not be after today', 'in_the_future');
    }
    return this.change('pay', target, (line, { now }) => {
      line.payOut(payout, now);
      return Promise.resolve();
    });
  }

  private async change(
    verb: CommissionVerb,
    { bookingItemId, id, expected }: CommissionTarget,
    work: (line: CommissionLine, place: Place) => Promise<void>,
  ): Promise<CommissionLine> {
    return this.place.hold(bookingItemId, async (place) => {
      const line = await this.rows.get(bookingItemId, id);
      assertVersion(expected, line);
      const before = imageOf(line);
      await work(line, place);
      await this.rows.update(line);
      this.journal.tell(verb, line, { before, reason: line.voidReason });
      await this.settlement.settle(place.booking.id);
      return this.rows.get(bookingItemId, id);
    });
  }
}

function assertSold({ status }: BookingSummary, item: BookingItemSummary): void {
  if (status === 'cancelled') throw conflict('booking_closed', 'The booking is cancelled', { status });
  if (item.status === 'cancelled') throw conflict('booking_item_cancelled', 'The item is cancelled');
  if (item.pricingTreatment === 'pass_through') throw passThrough();
}
