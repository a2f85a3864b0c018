import type { Installment } from './plan.js';
import { creditedOf, type DocumentLine, type IssuedInvoice, type Item, totalOf } from './records.js';
import {
  allocated,
  GIVEN,
  type Groups,
  grouped,
  isWrong,
  lessWaived,
  type Rated,
  restsOf,
  sorted,
  sum,
  waivedAtRates,
} from './taxes.js';

/** A line before it is part of a document. An amount of items with several rates has no rate yet. */
export type DrawnLine = Pick<DocumentLine, 'code' | 'basisPoints' | 'gross' | 'tax'>;

/** The price of a booking and its billed part, in total and per tax group (sections 0 and 1 of the reference). */
export abstract class BilledBooking {
  readonly items: Item[] = [];
  readonly invoices: IssuedInvoice[] = [];
  abstract readonly status: 'draft' | 'confirmed' | 'cancelled';
  abstract readonly claim: number;
  abstract readonly waived: number;

  get liveItems(): Item[] {
    return this.items.filter(({ cancelled }) => !cancelled);
  }

  get total(): number {
    return sum(this.liveItems.map(({ quantity, unit }) => quantity * unit));
  }

  get issued(): IssuedInvoice[] {
    return this.invoices.filter((invoice) => !invoice.void);
  }

  get billed(): number {
    return sum(this.issued.map((invoice) => totalOf(invoice) - creditedOf(invoice)));
  }

  /** Computes G and T of each tax group. */
  get owed(): Groups {
    return lessWaived(this.ratedItems, this.waived);
  }

  /** Computes D and U of each tax group. A fee bills no item. */
  get onDocuments(): Groups {
    return grouped(this.billedAmounts.map(({ code, gross, tax }) => [code, gross, tax]));
  }

  /** Computes what documents bill at each rate of each tax code; a discount that was credited is negative. */
  get billedAtRates(): Groups {
    return grouped(
      this.billedAmounts.map(({ code, basisPoints, gross, tax }) => [`${code} ${basisPoints}`, gross, tax]),
    );
  }

  /** Computes what the items of tax codes owe at each rate, less the waived amount. */
  get owedAtRates(): Groups {
    return waivedAtRates(this.ratedItems, this.waived);
  }

  private get ratedItems(): Rated[] {
    return this.liveItems.flatMap(({ code, basisPoints, quantity, unit, tax, earlier }) => {
      const whole = { code, basisPoints, gross: quantity * unit, tax };
      if (!earlier || earlier.gross === 0) return [whole];
      const present = { ...whole, gross: whole.gross - earlier.gross, tax: tax - earlier.tax };
      return [{ code, ...earlier }, ...(present.gross === 0 ? [] : [present])];
    });
  }

  private get billedAmounts(): DrawnLine[] {
    return this.issued
      .filter(({ fee }) => !fee)
      .flatMap(({ lines, discounts }) => [
        ...lines.map((line) => ({
          ...line,
          gross: line.gross - line.creditedGross,
          tax: line.tax - line.creditedTax,
        })),
        ...discounts.map((discount) => ({ ...discount, gross: -discount.gross, tax: -discount.tax })),
      ]);
  }

  get rests(): Groups {
    return restsOf(this.owed, this.onDocuments);
  }

  /** Returns the wrongly billed groups and the amounts to credit. */
  get creditDue(): Groups {
    const wrong = sorted(this.rests).filter(([, rest]) => isWrong(rest));
    return grouped(wrong.map(([code, { gross, tax }]) => [code, Math.max(0, -gross), Math.max(0, -tax)] as const));
  }

  /** Returns the lines of an invoice for an installment or the booking, or the expected error. */
  linesFor(installment: Installment | null): DrawnLine[] | 'credit_due' | 'invoice_exceeds_booking' {
    const lines = this.drawnLines(installment);
    if (lines === 'credit_due') return lines;
    // A quote can be billed up to its price.
    const limit = this.status === 'draft' ? this.total : this.claim;
    const total = sum(lines.map(({ gross }) => gross));
    return this.billed + total > limit || lines.length === 0 ? 'invoice_exceeds_booking' : lines;
  }

  /** Computes the same after an invoice was credited in full. */
  linesWithout(invoice: IssuedInvoice): ReturnType<BilledBooking['linesFor']> {
    const { lines, discounts } = invoice;
    invoice.lines = lines.map((line) => ({ ...line, creditedGross: line.gross, creditedTax: line.tax }));
    invoice.discounts = [];
    const drawn = this.linesFor(invoice.installment);
    Object.assign(invoice, { lines, discounts });
    return drawn;
  }

  /** The only rate of the items and documents of a code; null if there are several, or none. */
  rateOf(code: string): number | null {
    const rates = new Set([
      ...this.liveItems.flatMap((item) => (item.code === code ? item.basisPoints : [])),
      ...this.issued.flatMap(({ lines, discounts }) =>
        [...lines, ...discounts].flatMap((line) => (line.code === code ? line.basisPoints : [])),
      ),
    ]);
    return rates.size === 1 ? ([...rates][0] ?? null) : null;
  }

  /** The tax codes whose items or documents have several rates. Documents can bill too much at one of them. */
  get mixedCodes(): string[] {
    const codes = new Set([
      ...this.liveItems.map(({ code }) => code),
      ...this.issued.flatMap(({ lines }) => lines.map(({ code }) => code)),
    ]);
    return [...codes].filter((code) => code !== GIVEN && this.rateOf(code) === null);
  }

  private drawnLines(installment: Installment | null): DrawnLine[] | 'credit_due' {
    const { rests } = this;
    const rest = sum(sorted(rests).map(([, { gross }]) => gross));
    const isFirst =
      this.waived === 0 && sorted(this.onDocuments).every(([, { gross, tax }]) => gross === 0 && tax === 0);
    if (!installment && isFirst) {
      return this.liveItems.map(({ code, basisPoints, quantity, unit, tax }) => {
        return { code, basisPoints, gross: quantity * unit, tax };
      });
    }
    if (sorted(rests).some(([, group]) => isWrong(group))) return 'credit_due';
    const amount = installment?.amount ?? rest;
    if (amount > rest || amount === 0) return [];
    return allocated(rests, amount).map(([code, group]) => ({ code, basisPoints: this.rateOf(code), ...group }));
  }
}
