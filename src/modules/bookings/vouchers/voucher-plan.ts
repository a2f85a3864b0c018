import type { VoucherRule } from '../../products/index.js';
import type { VoidCause, Voucher } from './voucher.entity.js';

/** A larger group gets one voucher for the item. */
const MOST_SINGLE = 50;
/** Valid vouchers of single travelers that a booking gets; further items get one voucher each. A booking has at most 500 items. */
const MOST_SINGLE_OF_BOOKING = 500;

/** An item that vouchers can be issued for. */
export interface VoucherItem {
  id: string;
  isLive: boolean;
  /** Whether the item sells a unit of a product. */
  isUnit: boolean;
  people: number;
  /** The travelers with a seat, in the order of the seats. */
  travelerIds: readonly string[];
  /** The rule of the product; null without a product. */
  rule: VoucherRule | null;
}

/** Whom a voucher admits: a traveler, or all people of the item. */
export interface VoucherTarget {
  itemId: string;
  travelerId: string | null;
}

export interface VoucherPlan {
  voided: { voucher: Voucher; cause: Exclude<VoidCause, 'staff'> }[];
  reinstated: Voucher[];
  issued: VoucherTarget[];
}

export interface VoucherTerms {
  /** Whether the booking is confirmed and not cancelled. */
  isSold: boolean;
  isPaid: boolean;
  /** Whether missing vouchers are issued now, as the products say. */
  isIssuing: boolean;
}

/**
 * Compares the vouchers of a booking with its items. Vouchers of cancelled items and of travelers without a seat become void; they
 * are valid again when the item or the seat is back. Vouchers that staff voided are neither reinstated nor replaced.
 */
export function planVouchers(
  items: readonly VoucherItem[],
  vouchers: readonly Voucher[],
  { isSold, isPaid, isIssuing }: VoucherTerms,
): VoucherPlan {
  const plan: VoucherPlan = { voided: [], reinstated: [], issued: [] };
  const counted = { single: 0 };
  for (const item of items) {
    const all = vouchers.filter(({ itemId }) => itemId === item.id);
    const isEntitled = isSold && item.isLive && (item.rule !== 'when_paid' || isPaid);
    const valid: VoucherTarget[] = [];
    for (const voucher of all.filter((one) => one.isValid())) {
      const cause = !item.isLive ? 'item_cancelled' : lostSeat(item, voucher) ? 'seat_lost' : null;
      if (cause === null) valid.push(voucher);
      else plan.voided.push({ voucher, cause });
    }
    const ended = new Set(plan.voided.map(({ voucher }) => voucher));
    // Prefer the newest voucher, because the customer received it last.
    for (const voucher of all.toReversed()) {
      const isTaken = valid.some(
        ({ travelerId }) => travelerId === null || voucher.travelerId === null || travelerId === voucher.travelerId,
      );
      const isEnded = voucher.isValid() || ended.has(voucher) || voucher.voidCause === 'staff';
      if (!isEntitled || isEnded || isTaken || lostSeat(item, voucher)) continue;
      plan.reinstated.push(voucher);
      valid.push(voucher);
    }
    counted.single += valid.filter(({ travelerId }) => travelerId !== null).length;
    if (!isEntitled || !isIssuing || item.rule === null || item.rule === 'never') continue;
    const withdrawn = all.filter(({ voidCause }) => voidCause === 'staff').map(({ travelerId }) => travelerId);
    const hadSingle = all.some(({ travelerId }) => travelerId !== null);
    const added = withdrawn.includes(null)
      ? []
      : missingOf(item, valid, { hadSingle, roomForSingle: MOST_SINGLE_OF_BOOKING - counted.single }).filter(
          ({ travelerId }) => !withdrawn.includes(travelerId),
        );
    counted.single += added.filter(({ travelerId }) => travelerId !== null).length;
    plan.issued.push(...added);
  }
  return plan;
}

/**
 * Returns the vouchers that a live item lacks beside its valid ones: one for each traveler if the item sells units and each of its
 * people has a traveler, otherwise one for the item. An item keeps the kind of voucher that it has, or had if `hadSingle`, so that
 * a printed voucher of a traveler whose seat comes back is not replaced by one for the item.
 */
export function missingOf(
  item: VoucherItem,
  valid: readonly VoucherTarget[],
  { hadSingle = false, roomForSingle = MOST_SINGLE_OF_BOOKING }: { hadSingle?: boolean; roomForSingle?: number } = {},
): VoucherTarget[] {
  const { id: itemId, isUnit, people, travelerIds } = item;
  if (valid.some(({ travelerId }) => travelerId === null)) return [];
  const missing = travelerIds.filter((id) => !valid.some(({ travelerId }) => travelerId === id));
  const single = missing.slice(0, roomForSingle).map((travelerId) => ({ itemId, travelerId }));
  if (valid.length > 0 || hadSingle) return single;
  const isEachNamed = isUnit && people > 0 && travelerIds.length === people && people <= MOST_SINGLE;
  return isEachNamed && single.length === people ? single : [{ itemId, travelerId: null }];
}

function lostSeat({ travelerIds }: VoucherItem, { travelerId }: VoucherTarget): boolean {
  return travelerId !== null && !travelerIds.includes(travelerId);
}
