import type { Account } from './account.js';
import type { Installment } from './plan.js';
import type { Allocation, IssuedInvoice } from './records.js';
import { sum } from './taxes.js';

/**
 * The allocations of a booking after received money was applied, section 4.2 of the reference: money on invoices alone goes
 * to open installments, money on installments alone to open invoices, and unapplied money to uncovered refunds, open
 * installments and open invoices, to these up to the claim. A row that is divided or completed is replaced.
 */
export function allocationsOf(account: Account, byHandToo = false): Allocation[] {
  const open = new OpenAmounts(account);
  const first = rewritten(account.allocations, (row) => (isOnInvoiceAlone(row) ? open.forInvoiceMoney(row) : null));
  const second = rewritten(first, (row) => (isOnInstallmentAlone(row) ? open.forInstallmentMoney(row) : null));
  const applied = sum(second.filter(({ refund }) => refund === null).map(({ cents }) => cents));
  let claimLeft = account.claim - applied;
  const rows = [...second];
  for (const money of account.receipts.filter(({ autoApply }) => autoApply || byHandToo)) {
    const used = sum(second.filter((row) => row.money === money).map(({ cents }) => cents));
    for (const share of open.take(money.amount - used, () => Math.max(0, claimLeft))) {
      if (share.refund === null) claimLeft -= share.cents;
      rows.push({ ...share, money });
    }
  }
  return rows;
}

type Share = Omit<Allocation, 'money'>;

const isOnInvoiceAlone = ({ invoice, installment }: Allocation) => invoice !== null && installment === null;
const isOnInstallmentAlone = ({ invoice, installment }: Allocation) => installment !== null && invoice === null;

/** Replaces rows by others of the same sum, which are written last. Null: the row stays. */
function rewritten(rows: readonly Allocation[], replace: (row: Allocation) => Allocation[] | null): Allocation[] {
  const written: Allocation[] = [];
  const kept = rows.filter((row) => {
    const replacement = replace(row);
    if (replacement) written.push(...replacement);
    return replacement === null;
  });
  return [...kept, ...written];
}

/** What is open while money is applied. */
class OpenAmounts {
  private readonly installments: { of: Installment; left: number }[];
  private readonly invoices: { of: IssuedInvoice; left: number }[];
  private readonly refunds: { of: Allocation['refund']; left: number }[];

  constructor(account: Account) {
    this.installments = account.open.map((of) => ({ of, left: account.outstanding(of) }));
    this.invoices = account.issued
      .map((of) => ({ of, left: account.balance(of) }))
      .sort((a, b) => compare(a.of.issueDate, b.of.issueDate) || compare(a.of.id, b.of.id));
    this.refunds = account.money
      .map((of) => ({ of, left: account.uncovered(of) }))
      .filter(({ left }) => left > 0)
      .sort((a, b) => compare(a.of.paidOn, b.of.paidOn) || compare(a.of.id, b.of.id));
  }

  forInvoiceMoney(row: Allocation): Allocation[] | null {
    const own = (installment: Installment) => installment === row.invoice?.installment;
    const order = [...this.installments.filter(({ of }) => own(of)), ...this.installments.filter(({ of }) => !own(of))];
    const parts = taken(order, row.cents);
    const rest = row.cents - sum(parts.map(({ part }) => part));
    if (parts.length === 0) return null;
    const shares = parts.map(({ of: installment, part }) => ({ ...row, installment, cents: part }));
    return [...shares, ...(rest > 0 ? [{ ...row, cents: rest }] : [])];
  }

  forInstallmentMoney(row: Allocation): Allocation[] | null {
    const parts = taken(this.invoicesOf(row.installment), row.cents);
    const rest = row.cents - sum(parts.map(({ part }) => part));
    if (parts.length === 0) return null;
    const shares = parts.map(({ of: invoice, part }) => ({ ...row, invoice, cents: part }));
    return [...shares, ...(rest > 0 ? [{ ...row, cents: rest }] : [])];
  }

  /** What this much unapplied money settles. */
  take(cents: number, claimLeft: () => number): Share[] {
    let left = cents;
    const nothing = { installment: null, invoice: null, refund: null };
    const shares: Share[] = taken(this.refunds, left).map(({ of: refund, part }) => ({
      ...nothing,
      refund,
      cents: part,
    }));
    left -= sum(shares.map((share) => share.cents));
    let claimed = 0;
    for (const { of: installment, part } of taken(this.installments, left)) {
      left -= part;
      claimed += part;
      const parts = taken(this.invoicesOf(installment), part);
      const rest = part - sum(parts.map((one) => one.part));
      shares.push(...parts.map((one) => ({ ...nothing, installment, invoice: one.of, cents: one.part })));
      if (rest > 0) shares.push({ ...nothing, installment, cents: rest });
    }
    const forInvoices = Math.min(left, Math.max(0, claimLeft() - claimed));
    const parts = taken(this.invoices, forInvoices);
    return [...shares, ...parts.map(({ of: invoice, part }) => ({ ...nothing, invoice, cents: part }))];
  }

  /** The own invoices of an installment, then those of the booking as a whole. Others belong to other installments. */
  private invoicesOf(installment: Installment | null) {
    const own = this.invoices.filter(({ of }) => of.installment === installment && installment !== null);
    return [...own, ...this.invoices.filter(({ of }) => of.installment === null)];
  }
}

/** One after the other, each up to what is left of it. */
function taken<Debt>(debts: { of: Debt; left: number }[], cents: number): { of: Debt; part: number }[] {
  let left = cents;
  return debts.flatMap((debt) => {
    const part = Math.max(0, Math.min(left, debt.left));
    debt.left -= part;
    left -= part;
    return part > 0 ? [{ of: debt.of, part }] : [];
  });
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
