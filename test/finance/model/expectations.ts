import type { Account } from './account.js';
import { isOpen } from './plan.js';
import { creditedOf, isReceived, type IssuedInvoice, type Money, totalOf } from './records.js';
import { GIVEN, sorted, sum } from './taxes.js';

/** The members of `GET FB/money` that are compared. */
export interface BookingMoney extends Record<string, unknown> {
  installments: Record<string, unknown>[] & { id: string }[];
  documents: Record<string, unknown>[];
  creditDueByTaxCode: {
    taxCode: string | null;
    taxRateBasisPoints: number | null;
    grossCents: number;
    taxCents: number;
  }[];
  payments: Record<string, unknown>[];
}

const TERMS = [
  ...['claimCents', 'billedCents', 'roomCents', 'creditDueCents', 'receivedCents', 'unappliedCents', 'reservedCents'],
  ...['invoiceOnlyCents', 'uncoveredRefundCents', 'outstandingCents', 'balanceCents'],
];
const OF_INSTALLMENT = ['id', 'dueDate', 'amountCents', 'paidCents', 'status', 'waived'];
const OF_DOCUMENT = ['id', 'status', 'totalCents', 'creditedCents', 'paidCents', 'balanceCents'];
const OF_PAYMENT = ['id', 'kind', 'status', 'amountCents', 'unappliedCents', 'coveredCents', 'paidOn', 'postingDate'];

/** Returns the amounts of the service. */
export function amountsOf(money: BookingMoney): object {
  return {
    terms: TERMS.map((name) => `${name} ${String(money[name])}`),
    installments: money.installments.map((one) => valuesOf(one, OF_INSTALLMENT)),
    // The reference fixes the sums of tax codes, not which of their rates is billed in excess.
    creditDue: money.creditDueByTaxCode
      .filter(({ taxRateBasisPoints }) => taxRateBasisPoints === null)
      .map(({ taxCode, grossCents, taxCents }) => [taxCode ?? GIVEN, grossCents, taxCents].join(' ')),
    documents: money.documents.map((one) => valuesOf(one, OF_DOCUMENT)).sort(),
    payments: money.payments.map((one) => valuesOf(one, OF_PAYMENT)).sort(),
  };
}

/** Returns the same amounts from the clerk's own record. */
export function expectedMoney(account: Account, { today }: { today: string }): object {
  const { claim, billed, received } = account;
  const unapplied = account.unapplied();
  const reserved = sum(account.money.filter(isRequested).map((refund) => account.covered(refund)));
  const invoiceOnly = sum(account.allocations.filter(isOnInvoiceAlone).map(({ cents }) => cents));
  const uncovered = sum(account.money.map((refund) => account.uncovered(refund)));
  const outstanding = sum(account.installments.map((installment) => account.outstanding(installment)));
  const terms = [
    ...[claim, billed, Math.max(0, claim - billed), Math.max(0, billed - claim), received, unapplied, reserved],
    ...[invoiceOnly, uncovered, outstanding, claim - received],
  ];
  return {
    terms: TERMS.map((name, index) => `${name} ${terms[index]}`),
    installments: account.installments.map((one) => {
      const isLate = isOpen(one) && one.due < today;
      const paid = account.paid(one);
      return [one.id, one.due, one.amount, paid, isLate ? 'overdue' : one.status, one.waived].join(' ');
    }),
    creditDue: sorted(account.creditDue).map(([code, { gross, tax }]) => [code, gross, tax].join(' ')),
    documents: account.issued
      .map((invoice) => {
        const amounts = [totalOf(invoice), creditedOf(invoice), account.paid(invoice), account.balance(invoice)];
        return [invoice.id, statusOf(account, invoice), ...amounts].join(' ');
      })
      .sort(),
    payments: account.money.map((one) => paymentOf(account, one)).sort(),
  };
}

export function statusOf(account: Account, invoice: IssuedInvoice): string {
  if (invoice.void) return 'void';
  const total = totalOf(invoice);
  if (creditedOf(invoice) === total && total > 0) return 'credited';
  if (account.balance(invoice) === 0) return 'paid';
  return account.paid(invoice) > 0 ? 'partially_paid' : 'issued';
}

function paymentOf(account: Account, money: Money): string {
  const { id, kind, status, amount, paidOn, postedOn } = money;
  const receipts = status === 'reversed' ? amount : account.unapplied(money);
  const unapplied = isReceived(money) ? receipts : 0;
  return [id, kind, status, amount, unapplied, account.covered(money), paidOn, postedOn].join(' ');
}

const isRequested = ({ status }: Money) => status === 'requested';
const isOnInvoiceAlone = ({ invoice, installment }: Account['allocations'][number]) => invoice && !installment;

function valuesOf(row: Record<string, unknown>, names: readonly string[]): string {
  return names.map((name) => String(row[name])).join(' ');
}
