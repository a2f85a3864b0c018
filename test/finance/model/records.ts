import type { Installment } from './plan.js';

/** A clerk's record of an item. `code` is the tax code, or `given`. */
export interface Item {
  id: string;
  code: string;
  /** The rate that was copied; null for a tax that was given. */
  basisPoints: number | null;
  quantity: number;
  unit: number;
  tax: number;
  /** The part that documents bill at an earlier rate. */
  earlier?: { basisPoints: number; gross: number; tax: number };
  isReduction: boolean;
  cancelled: boolean;
}

export interface DocumentLine {
  code: string;
  /** Null for a tax that was given. */
  basisPoints: number | null;
  gross: number;
  tax: number;
  creditedGross: number;
  creditedTax: number;
}

/** A discount that was credited on a line of an invoice, at a rate that the line does not have. */
export interface CreditedDiscount {
  position: number;
  code: string;
  basisPoints: number | null;
  gross: number;
  tax: number;
}

export interface IssuedInvoice {
  id: string;
  installment: Installment | null;
  issueDate: string;
  lines: DocumentLine[];
  discounts: CreditedDiscount[];
  void: boolean;
  sent: boolean;
  fee: boolean;
}

/** Amounts by which an issued credit note reduces the sales of its day. */
export interface IssuedCredit {
  issueDate: string;
  gross: number;
  tax: number;
}

/** A line of a credit note, with the credited line and amount of the invoice. */
export interface CreditLine {
  position: number;
  basisPoints: number | null;
  gross: number;
  tax: number;
}

export interface Money {
  id: string;
  kind: 'receipt' | 'refund' | 'transfer_in' | 'transfer_out';
  amount: number;
  paidOn: string;
  /** The posting date. */
  postedOn: string;
  /** The posting date of its reversal. */
  reversedOn: string | null;
  status: 'completed' | 'requested' | 'failed' | 'reversed';
  transferId: string | null;
  /** False once staff have released a part of it by hand. */
  autoApply: boolean;
}

/** A part of a receipt and its target. The rows are in the order in which they were written. */
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

export function creditedOf({ lines, discounts }: IssuedInvoice): number {
  const ofLines = lines.reduce((sum, { creditedGross }) => sum + creditedGross, 0);
  return discounts.reduce((sum, { gross }) => sum + gross, ofLines);
}

export function isReceived({ kind }: Money): boolean {
  return kind === 'receipt' || kind === 'transfer_in';
}
