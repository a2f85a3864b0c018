import type { CancellationCost, CancellationInitiator } from '../../legal/index.js';
import type { BookingItemSummary, BookingSummary } from './booking-summary.js';

/** The cancellation of a whole booking, with its fee under the terms of the sale. */
export interface BookingCancellation {
  readonly reason: string;
  /** The day that decides the fee: today, or an earlier one on which the customer declared it. */
  readonly cancelledOn: string;
  readonly initiator: CancellationInitiator;
  /** Whether the customer gets a mail about it; false if another mail informs the customer. */
  readonly informsCustomer: boolean;
  /** The booking's total before the cancellation. */
  readonly totalCents: number;
  readonly cost: CancellationCost;
}

/** A change of the total of a booking that is not cancelled. */
export interface TotalChange {
  /** Null for the first item. */
  readonly beforeCents: number | null;
  readonly afterCents: number;
  /** The item whose cancellation or reinstatement changes the total; null for another change. */
  readonly cancelledItemId: string | null;
  readonly reinstatedItemId: string | null;
}

/** Whom a voucher admits. */
export interface VoucherAdmission {
  /** Null for an item without a departure. */
  readonly departureId: string | null;
  readonly people: number;
  /** The seats of these people on the item. Without a departure there is no check-in. */
  readonly seats: readonly { readonly itemId: string; readonly seat: number }[];
}

/** Amounts of a tax code at one rate on issued documents. */
export interface BilledAmounts {
  readonly taxCodeId: string;
  /** Null on lines that show no rate. */
  readonly rateBasisPoints: number | null;
  readonly grossCents: number;
  readonly taxCents: number;
  /** The part of these amounts on lines that name an item, per item. */
  readonly items: readonly { readonly itemId: string; readonly grossCents: number; readonly taxCents: number }[];
}

/**
 * Called for changes of a booking, in their transaction and with the booking locked; `booking` has the values after the
 * change. An error rejects the change. Implementations declare `@Listens(BookingListener, ...)`.
 */
export abstract class BookingListener {
  /**
   * Called before the booking is locked for a cancellation or reinstatement (of itself or an item) or for the move of a
   * departure. Called before bookings are locked; a module locks rows here that must be locked first.
   */
  beforeLock?(bookingId: string): Promise<void>;
  confirmed?(booking: BookingSummary): Promise<void>;
  /** All items are cancelled and the total is 0; neither `itemCancelled` nor `totalChanged` is called for it. */
  cancelled?(booking: BookingSummary, cancellation: BookingCancellation): Promise<void>;
  /** The items that were cancelled with the booking are live again; `totalChanged` is not called for it. */
  reinstated?(booking: BookingSummary, items: readonly BookingItemSummary[], reason: string): Promise<void>;
  /** Called before `itemChanged`, `itemCancelled` and `itemReinstated`. */
  totalChanged?(booking: BookingSummary, change: TotalChange): Promise<void>;
  /** Items were added by a sale to a booking and have their travelers; `totalChanged` was called for each of them. */
  itemsAdded?(bookingId: string): Promise<void>;
  /** An item was changed, not added. */
  itemChanged?(booking: BookingSummary, item: BookingItemSummary): Promise<void>;
  /** One item was cancelled, the booking was not. */
  itemCancelled?(booking: BookingSummary, item: BookingItemSummary): Promise<void>;
  /** Travelers of the booking were changed, cancelled or deleted, or have other seats. `itemChanged` is called for an item. */
  travelersChanged?(bookingId: string): Promise<void>;
  /** The booking follows this departure to another day. Called after `beforeLock`, whether or not an item has moved. */
  departureMoved?(bookingId: string, departureId: string): Promise<void>;
  /** These items are on another departure, because theirs was called off. Called after `beforeLock`. */
  rebooked?(bookingId: string, items: readonly BookingItemSummary[]): Promise<void>;
  /** Returns the amounts that issued documents of the booking bill for each tax code and rate, less credits. */
  billedTaxes?(bookingId: string): Promise<readonly BilledAmounts[]>;
  /** Whether the fee for a cancelled item is taxed like the item; otherwise it contains no tax. */
  isFeeTaxed?(): Promise<boolean>;
  /** Whether everything that staff sell needs a tax code. */
  areTaxCodesRequired?(): Promise<boolean>;
  /** Whether the customer still owes something for the booking. */
  isBalanceDue?(bookingId: string): Promise<boolean>;
  /** What the customer owes for its bookings in the currency, in minor units. */
  openBalance?(customerId: string, currency: string): Promise<number>;
  /** The people on these seats have shown their voucher. */
  voucherRedeemed?(admission: VoucherAdmission): Promise<void>;
  /** The redemption was a mistake; these people are no longer checked in. */
  voucherReopened?(admission: VoucherAdmission): Promise<void>;
  /** A cancelled item of an active booking was reinstated. */
  itemReinstated?(booking: BookingSummary, item: BookingItemSummary, reason: string): Promise<void>;
  /** The booking's departure date has changed. */
  dateMoved?(booking: BookingSummary, before: string | null): Promise<void>;
}
