import type { Installment } from './plan.js';

/** What a clerk wrote down of an item. `code` is the tax code, or `given`. */
export interface Item {
  id: string;
  code: string;
  /** The rate that was copied; null for a tax that was given. */
  basisPoints: number | null;
  quantity: number;
  unit: number;
  tax: number;
  isReduction: boolean;
  cancelled: boolean;
}

export interface DocumentLine {
  code: string;
  gross: number;
  tax: number;
  creditedGross: number;
  creditedTax: number;
}

export interface IssuedInvoice {
  id: string;
  installment: Installment | null;
  issueDate: string;
  lines: DocumentLine[];
  void: boolean;
  sent: boolean;
  fee: boolean;
}

/** What an issued credit note takes from the sales of its day. */
export interface IssuedCredit {
  issueDate: string;
  gross: number;
  tax: number;
}

/** A line of a credit note: which line of the invoice, and how much of it. */
export interface CreditLine {
  position: number;
  gross: number;
  tax: number;
}

export interface Money {
  id: string;
  kind: 'receipt' | 'refund' | 'transfer_in' | 'transfer_out';
  amount: number;
  paidOn: string;
  /** The day of the books. */
  postedOn: string;
  /** The day of the books of its reversal. */
  reversedOn: string | null;
  status: 'completed' | 'requested' | 'failed' | 'reversed';
  transferId: string | null;
  /** False from the moment on in which staff released a part of it by hand. */
  autoApply: boolean;
}

/** A part of a receipt and what it settles. The order of the rows is that in which they were written. */
export interface Allocation {
  money: Money;
  installment: Installment | null;
  invoice: IssuedInvoice | null;
  /** The refund or outgoing transfer that it covers. */
  refund: Money | null;
  cents: number;
}

export function totalOf({ lines }: IssuedInvoice): number {
  return lines.reduce((sum, { gross }) => sum + gross, 0);
}

export function creditedOf({ lines }: IssuedInvoice): number {
  return lines.reduce((sum, { creditedGross }) => sum + creditedGross, 0);
}

export function isReceived({ kind }: Money): boolean {
  return kind === 'receipt' || kind === 'transfer_in';
}
