import type { Account } from './account.js';
import type { Installment } from './plan.js';
import type { Allocation, IssuedInvoice } from './records.js';
import { sum } from './taxes.js';

/**
 * Computes the allocations of a booking after received money was applied (section 4.2 of the reference): money on invoices
 * alone goes to open installments, money on installments alone to open invoices, and unapplied money to open installments, open
 * invoices, to these up to the claim, and uncovered refunds. Money on an invoice alone beyond the claim becomes unapplied. A
 * row that is divided or completed is replaced.
 */
export function allocationsOf(account: Account, byHandToo = false): Allocation[] {
  const open = new OpenAmounts(account);
  const first = rewritten(account.allocations, (row) => (isOnInvoiceAlone(row) ? open.forInvoiceMoney(row) : null));
  const second = withInvoices(first, open);
  const third = withInvoices(withUnapplied(account, { rows: second, open, byHandToo }), open);
  const kept = withoutExcess(account, third, open);
  if (kept === third) return third;
  return withUnapplied(account, { rows: withInvoices(kept, open), open, byHandToo });
}

/** Returns the debts settled by a part of a payment for which staff named an invoice or an installment. */
export function namedShares(account: Account, target: IssuedInvoice | Installment, cents: number): Share[] {
  return new OpenAmounts(account).named(target, cents);
}

/** Returns the amount that can be paid by name. */
export function payableOf(account: Account, target: IssuedInvoice | Installment): number {
  return 'lines' in target ? account.balance(target) : account.outstanding(target);
}

interface Applying {
  rows: readonly Allocation[];
  open: OpenAmounts;
  byHandToo: boolean;
}

function withUnapplied(account: Account, { rows, open, byHandToo }: Applying): Allocation[] {
  const applied = sum(rows.filter(({ refund }) => refund === null).map(({ cents }) => cents));
  let claimLeft = account.claim - applied;
  const added: Allocation[] = [];
  for (const money of account.receipts.filter(({ autoApply }) => autoApply || byHandToo)) {
    const used = sum(rows.filter((row) => row.money === money).map(({ cents }) => cents));
    for (const share of open.take(money.amount - used, () => Math.max(0, claimLeft))) {
      if (share.refund === null) claimLeft -= share.cents;
      added.push({ ...share, money });
    }
  }
  return [...rows, ...added];
}

/** Applies money on installments alone, first to their own invoices and invoices of the booking, then to others. */
function withInvoices(rows: readonly Allocation[], open: OpenAmounts): Allocation[] {
  const parts = new Map(rows.filter(isOnInstallmentAlone).map((row): [Allocation, Allocation[]] => [row, []]));
  for (const invoicesOf of [open.ownInvoices, open.otherInvoices]) {
    for (const [row, shares] of parts) {
      const left = row.cents - sum(shares.map(({ cents }) => cents));
      shares.push(
        ...open.onInvoices(invoicesOf.call(open, row.installment), left).map((share) => ({ ...row, ...share })),
      );
    }
  }
  return rewritten(rows, (row) => {
    const shares = parts.get(row) ?? [];
    const rest = row.cents - sum(shares.map(({ cents }) => cents));
    return shares.length === 0 ? null : [...shares, ...(rest > 0 ? [{ ...row, cents: rest }] : [])];
  });
}

/** Releases the latest money on invoices alone if it exceeds the claim, or if money on installments alone replaces it. */
function withoutExcess(account: Account, rows: Allocation[], open: OpenAmounts): Allocation[] {
  if (account.status === 'cancelled' || open.isAnyInstallmentOpen) return rows;
  const centsOf = (isMeant: (row: Allocation) => boolean) => sum(rows.filter(isMeant).map(({ cents }) => cents));
  const above = centsOf(({ refund }) => refund === null) - account.claim;
  const alone = rows.filter(isOnInvoiceAlone);
  let left = Math.min(centsOf(isOnInvoiceAlone), Math.max(0, above, centsOf(isOnInstallmentAlone)));
  if (left === 0) return rows;
  const cut = new Map<Allocation, Allocation[]>();
  const unapplied = new Map(alone.map(({ money }) => [money, unappliedOf(money, rows)]));
  for (const row of alone.reverse()) {
    const part = Math.min(left, row.cents);
    if (part === 0) break;
    left -= part;
    open.reopen(row.invoice, part);
    cut.set(row, part < row.cents ? [{ ...row, cents: row.cents - part }] : []);
    // The money settles later debts automatically, unless staff keep other money of the payment from doing so.
    if (unapplied.get(row.money) === 0) row.money.autoApply = true;
  }
  return rewritten(rows, (row) => cut.get(row) ?? null);
}

function unappliedOf(money: Allocation['money'], rows: readonly Allocation[]): number {
  return money.amount - sum(rows.filter((row) => row.money === money).map(({ cents }) => cents));
}

export type Share = Omit<Allocation, 'money'>;

const isOnInvoiceAlone = ({ invoice, installment }: Allocation) => invoice !== null && installment === null;
const isOnInstallmentAlone = ({ invoice, installment }: Allocation) => installment !== null && invoice === null;

/** Replaces rows with others of the same sum, which are written last; null keeps a row. */
function rewritten(rows: readonly Allocation[], replace: (row: Allocation) => Allocation[] | null): Allocation[] {
  const written: Allocation[] = [];
  const kept = rows.filter((row) => {
    const replacement = replace(row);
    if (replacement) written.push(...replacement);
    return replacement === null;
  });
  return [...kept, ...written];
}

interface Open<Debt> {
  of: Debt;
  left: number;
}

/** The open debts while money is applied. */
class OpenAmounts {
  private readonly installments: Open<Installment>[];
  private readonly invoices: Open<IssuedInvoice>[];
  private readonly refunds: Open<Allocation['refund']>[];
  private readonly isCancelled: boolean;

  constructor(account: Account) {
    this.isCancelled = account.status === 'cancelled';
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

  /** Splits money that is already on an installment. */
  onInvoices(invoices: Open<IssuedInvoice>[], cents: number): { invoice: IssuedInvoice; cents: number }[] {
    return taken(invoices, cents).map(({ of: invoice, part }) => ({ invoice, cents: part }));
  }

  get isAnyInstallmentOpen(): boolean {
    return this.installments.some(({ left }) => left > 0);
  }

  reopen(invoice: IssuedInvoice | null, cents: number): void {
    for (const open of this.invoices) if (open.of === invoice) open.left += cents;
  }

  named(target: IssuedInvoice | Installment, cents: number): Share[] {
    if (!('lines' in target)) {
      const open = this.installments.filter(({ of }) => of === target);
      return taken(open, cents).flatMap(({ of, part }) => this.onInstallment(of, part));
    }
    const isOwn = ({ of }: Open<Installment>) => of === target.installment;
    const order = [...this.installments.filter(isOwn), ...this.installments.filter((one) => !isOwn(one))];
    const parts = taken(order, cents).map(({ of: installment, part }) => ({ installment, cents: part }));
    const rest = cents - sum(parts.map((part) => part.cents));
    return [...parts, ...(rest > 0 ? [{ installment: null, cents: rest }] : [])].map((part) => ({
      ...{ ...part, invoice: target, refund: null },
    }));
  }

  /** Returns the debts that this amount of unapplied money settles. */
  take(cents: number, claimLeft: () => number): Share[] {
    let left = cents;
    const shares: Share[] = [];
    for (const open of this.installments) {
      for (const { of: installment, part } of taken([open], left)) {
        left -= part;
        shares.push(...this.onInstallment(installment, part));
      }
    }
    const claimed = cents - left;
    const forInvoices = taken(this.invoices, Math.min(left, Math.max(0, claimLeft() - claimed)));
    left -= sum(forInvoices.map(({ part }) => part));
    const nothing = { installment: null, invoice: null, refund: null };
    return [
      ...shares,
      ...forInvoices.map(({ of: invoice, part }) => ({ ...nothing, invoice, cents: part })),
      ...taken(this.refunds, left).map(({ of: refund, part }) => ({ ...nothing, refund, cents: part })),
    ];
  }

  /** Returns the invoices of an installment, then the invoices of the whole booking. */
  ownInvoices(installment: Installment | null): Open<IssuedInvoice>[] {
    const own = this.invoices.filter(({ of }) => of.installment === installment && installment !== null);
    return [...own, ...this.invoices.filter(({ of }) => of.installment === null)];
  }

  /** Returns the invoices of other installments; `left` excludes the need of those installments. */
  otherInvoices(installment: Installment | null): Open<IssuedInvoice>[] {
    if (this.isCancelled) return [];
    return this.invoices
      .filter(({ of }) => of.installment !== installment && of.installment !== null)
      .map((open) => {
        const own = this.installments.find(({ of }) => of === open.of.installment);
        const needed = own?.left ?? 0;
        return {
          of: open.of,
          get left() {
            return open.left - needed;
          },
          set left(left) {
            open.left = left + needed;
          },
        };
      });
  }

  private onInstallment(installment: Installment, cents: number): Share[] {
    const parts = this.onInvoices([...this.ownInvoices(installment), ...this.otherInvoices(installment)], cents);
    const rest = cents - sum(parts.map((part) => part.cents));
    const shares: Share[] = parts.map((part) => ({ ...part, installment, refund: null }));
    return [...shares, ...(rest > 0 ? [{ installment, invoice: null, refund: null, cents: rest }] : [])];
  }
}

/** Allocates to each in turn, up to its rest. */
function taken<Debt>(debts: Open<Debt>[], cents: number): { of: Debt; part: number }[] {
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
