import { Injectable } from '@nestjs/common';
import { conflict } from '../../../platform/errors/app-error.js';
import { Clock } from '../../../platform/clock/clock.js';
import { newId } from '../../../platform/ids/id.js';
import type { BookingItemSummary } from '../../bookings/index.js';
import { CommissionJournal, type CommissionVerb, imageOf } from './commission-journal.js';
import type { CommissionLine } from './commission-line.entity.js';
import { CommissionRows, type CommissionState as State } from './commission-rows.service.js';
import { exceedsBase } from './commission-terms.js';
import { reversalOf } from './new-commission-line.js';

const ACCRUED: State = { status: 'accrued', payableAt: null, voidedAt: null, voidReason: null };

/** What happens to commissions because something happened to their booking; many at once, with the booking locked. */
@Injectable()
export class CommissionMoves {
  constructor(
    private readonly rows: CommissionRows,
    private readonly journal: CommissionJournal,
    private readonly clock: Clock,
  ) {}

  async accrue(lines: readonly CommissionLine[]): Promise<void> {
    await this.move('accrue', lines, ACCRUED);
  }

  /** Their trigger is met. */
  async release(lines: readonly CommissionLine[]): Promise<void> {
    await this.move('release', lines, { ...ACCRUED, status: 'payable', payableAt: this.clock.now() });
  }

  /** Their trigger is met no longer. */
  async withdraw(lines: readonly CommissionLine[]): Promise<void> {
    await this.move('withdraw', lines, ACCRUED);
  }

  /** Nobody earns these any more: what was not paid is void, what was paid is taken back by a line of its own. */
  async takeBack(lines: readonly CommissionLine[], reason: string): Promise<void> {
    const now = this.clock.now();
    const open = lines.filter((line) => line.isOpen());
    await this.move('void', open, { status: 'void', payableAt: null, voidedAt: now, voidReason: reason });

    // An item that was cancelled before its booking has its lines taken back already.
    const reversed = new Set(lines.map(({ reversesId }) => reversesId));
    const reversals = lines
      .filter((line) => line.status === 'paid' && line.reversesId === null && !reversed.has(line.id))
      .filter(({ amountCents }) => amountCents > 0)
      .map((paid) => reversalOf(paid, newId('comm'), now));
    await this.rows.insert(reversals);
    for (const line of reversals) this.journal.tell('reverse', line, { before: null, reason });
  }

  /**
   * The item is another one now. Throws 409 `pass_through_item`, 422 `cost_unknown`, `commission_exceeds_base`: then the
   * item cannot become so.
   */
  async recompute(lines: readonly CommissionLine[], item: BookingItemSummary): Promise<void> {
    const live = lines.filter((line) => line.isLive());
    if (live.length === 0) return;
    if (item.pricingTreatment === 'pass_through') throw passThrough();

    const now = this.clock.now();
    const images = new Map(live.map((line) => [line.id, imageOf(line)]));
    const others = live.filter((line) => line.isOpen() && line.compute(line, item, now));
    assertWithin(live, item);
    await this.rows.storeAmounts(others, now);
    for (const line of others) this.journal.tell('recompute', line, { before: images.get(line.id) ?? null });
  }

  private async move(verb: CommissionVerb, lines: readonly CommissionLine[], state: State): Promise<void> {
    const images = lines.map(imageOf);
    await this.rows.move(lines, state, this.clock.now());
    for (const [index, line] of lines.entries()) {
      this.journal.tell(verb, line, { before: images[index] ?? null, reason: state.voidReason });
    }
  }
}

/** 409: what is sold on behalf of somebody else carries no commission. */
export function passThrough(): Error {
  return conflict('pass_through_item', 'A pass-through item cannot have commissions');
}

/** Throws 422 `commission_exceeds_base` where the lines that are live earn more than the item is sold for. */
export function assertWithin(lines: readonly CommissionLine[], item: Pick<BookingItemSummary, 'totalSellCents'>): void {
  const live = lines.filter((line) => line.isLive());
  const earned = live.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
  if (earned > BigInt(item.totalSellCents)) throw exceedsBase(item, earned);
}
