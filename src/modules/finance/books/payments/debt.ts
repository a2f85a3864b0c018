import { type AppError, unprocessable } from '../../../../platform/errors/app-error.js';
import type { Share } from './payment-allocation.entity.js';

/** A part of a payment and its requested target. */
export interface RequestedShare {
  scheduleId?: string;
  invoiceId?: string;
  amountCents: number;
}

/** A locked debt: of a customer to the organization, or of the organization to a supplier or a recipient of commissions. */
export interface Debt {
  readonly currency: string;
  /** Returns the shares that this amount settles if nothing is requested; their sum may be less than the amount. */
  automatic(cents: number): Promise<Share[]>;
  /** Returns the requested shares, to the cent. */
  requested(requested: readonly RequestedShare[], availableCents: number): Share[];
  /** Counts the shares as paid on their targets. */
  settle(shares: readonly Share[]): Promise<void>;
  /** Stops counting the shares as paid. The reason is given if the payment was reversed. */
  unsettle(shares: readonly Share[], reason?: string): Promise<void>;
  /** Applies other unapplied money to the current debts. */
  applyMoney(): Promise<void>;
}

/** Makes the error for a share beyond the payment's unapplied amount or the outstanding amount. */
export function overAllocated(availableCents: number, outstandingCents: number): AppError {
  return unprocessable('over_allocated', 'Allocation exceeds the unapplied or the outstanding amount', {
    field: 'allocations',
    available: availableCents,
    outstanding: outstandingCents,
  });
}
