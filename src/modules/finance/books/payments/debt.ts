import { type AppError, unprocessable } from '../../../../platform/errors/app-error.js';
import type { Share } from './payment-allocation.entity.js';

/** A part of a payment and the target that the client wants it to settle. */
export interface RequestedShare {
  scheduleId?: string;
  invoiceId?: string;
  amountCents: number;
}

/** What a customer owes to the organization, or the organization to a supplier or to a recipient of commissions; locked. */
export interface Debt {
  readonly currency: string;
  /** What this much money settles if nothing is requested; the shares may be less than that. */
  automatic(cents: number): Promise<Share[]>;
  /** What is requested, to the cent. Throws 422 `over_allocated` beyond `availableCents` or what is outstanding. */
  requested(requested: readonly RequestedShare[], availableCents: number): Share[];
  /** Counts the shares as paid on what they settle. */
  settle(shares: readonly Share[]): Promise<void>;
  /** Counts them as no longer paid. The reason is given if the payment was reversed. */
  unsettle(shares: readonly Share[], reason?: string): Promise<void>;
  /** Applies other unapplied money to what is owed now. */
  applyMoney(): Promise<void>;
}

/** 422 for more than the payment has left, or than is outstanding. */
export function overAllocated(availableCents: number, outstandingCents: number): AppError {
  return unprocessable('over_allocated', 'Allocation exceeds the unapplied or the outstanding amount', {
    field: 'allocations',
    available: availableCents,
    outstanding: outstandingCents,
  });
}
