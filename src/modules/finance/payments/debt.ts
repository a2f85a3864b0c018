import { type AppError, unprocessable } from '../../../platform/errors/app-error.js';

/** A part of a payment and what it settles: an installment, an invoice or both, or a supplier invoice. */
export interface Share {
  scheduleId: string | null;
  invoiceId: string | null;
  supplierInvoiceId: string | null;
  amountCents: number;
}

/** What the caller wants a part of a payment to settle. */
export interface Wish {
  scheduleId?: string;
  invoiceId?: string;
  amountCents: number;
}

/** What is owed to us by a customer, or by us to a supplier; locked, so that nobody else can settle it meanwhile. */
export interface Debt {
  readonly currency: string;
  /** What so many cents settle where nobody wishes anything; the shares may be less than that. */
  automatic(cents: number): Share[];
  /** What is wished, each to the cent. Throws 422 `over_allocated` beyond `availableCents` or what is outstanding. */
  wished(wishes: readonly Wish[], availableCents: number): Share[];
  /** Counts the shares as paid on what they settle. */
  settle(shares: readonly Share[]): Promise<void>;
  /** Counts them no longer: what they had settled falls back to its earlier status. */
  unsettle(shares: readonly Share[]): Promise<void>;
}

/** 422 for more than the payment has left, or than is outstanding. */
export function overAllocated(availableCents: number, outstandingCents: number): AppError {
  return unprocessable('over_allocated', 'Allocation exceeds the unapplied or the outstanding amount', {
    available: availableCents,
    outstanding: outstandingCents,
  });
}

export function sumOfShares(shares: readonly { amountCents: number }[]): number {
  return shares.reduce((sum, { amountCents }) => sum + amountCents, 0);
}
