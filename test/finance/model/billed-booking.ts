import type { Installment } from './plan.js';
import { creditedOf, type DocumentLine, type IssuedInvoice, type Item, totalOf } from './records.js';
import { allocated, GIVEN, type Groups, grouped, isWrong, lessWaived, restsOf, sorted, sum } from './taxes.js';

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
    const items = this.liveItems.map(({ code, basisPoints, quantity, unit, tax }) => {
      return { code, basisPoints, gross: quantity * unit, tax };
    });
    return lessWaived(items, this.waived);
  }

  /** Computes D and U of each tax group. A fee bills no item. */
  get onDocuments(): Groups {
    const lines = this.issued.filter(({ fee }) => !fee).flatMap((invoice) => invoice.lines);
    return grouped(
      lines.map(({ code, gross, tax, creditedGross, creditedTax }) => [code, gross - creditedGross, tax - creditedTax]),
    );
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
    const { lines } = invoice;
    invoice.lines = lines.map((line) => ({ ...line, creditedGross: line.gross, creditedTax: line.tax }));
    const drawn = this.linesFor(invoice.installment);
    invoice.lines = lines;
    return drawn;
  }

  /** The only rate of the items and documents of a code; null if there are several, or none. */
  rateOf(code: string): number | null {
    const rates = new Set([
      ...this.liveItems.flatMap((item) => (item.code === code ? item.basisPoints : [])),
      ...this.issued.flatMap(({ lines }) => lines.flatMap((line) => (line.code === code ? line.basisPoints : []))),
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
