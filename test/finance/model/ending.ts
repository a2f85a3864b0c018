import type { Account } from './account.js';
import { type Clerk, FINANCE } from './clerk.js';
import { creditAll, owesCredit } from './credit-notes.js';
import { billRest } from './invoices.js';
import * as payments from './payments.js';
import { confirmed } from './sales.js';
import { GIVEN, restsOf, sorted, sum } from './taxes.js';

/**
 * Completes a booking with ordinary steps, until nothing is owed or unapplied and everything is billed with the right tax.
 * Throws if this is impossible.
 */
export async function end(clerk: Clerk, account: Account): Promise<void> {
  if (account.status === 'draft') await confirmed(clerk, account);
  if (payments.isUnsettled(account)) await payments.settled(clerk, account);
  await payments.completeRefunds(clerk, account);
  await clerk.check([account]);
  const steps = [bringDocuments, bringMoney];
  if (clerk.random.chance(0.5)) steps.reverse();
  for (const step of steps) await step(clerk, account);
  await clerk.check([account]);
  clerk.same(`what is left of ${account.id}`, leftOf(account), []);
}

async function bringDocuments(clerk: Clerk, account: Account): Promise<void> {
  for (const draft of clerk.drafts.filter((one) => one.account === account)) {
    await clerk.send('DELETE', `${FINANCE}/invoices/${draft.id}`);
  }
  clerk.drafts = clerk.drafts.filter((one) => one.account !== account);
  if (owesCredit(account) || account.mixedCodes.length > 0) await creditAll(clerk, account);
  await billRest(clerk, account);
}

async function bringMoney(clerk: Clerk, account: Account): Promise<void> {
  await payments.applyAll(clerk, account);
  await payments.payRest(clerk, account);
  await payments.refundRest(clerk, account);
}

/** Returns the remaining amounts of a completed booking. */
function leftOf(account: Account): string[] {
  const terms = {
    room: Math.max(0, account.claim - account.billed),
    creditDue: Math.max(0, account.billed - account.claim),
    balance: account.claim - account.received,
    unapplied: account.unapplied(),
    outstanding: sum(account.installments.map((one) => account.outstanding(one))),
    uncovered: sum(account.money.map((one) => account.uncovered(one))),
    requested: account.money.filter(({ status }) => status === 'requested').length,
    openDocuments: sum(account.issued.map((invoice) => account.balance(invoice))),
    wrongRates: sorted(restsOf(account.owedAtRates, account.billedAtRates)).filter(
      ([key, { gross, tax }]) => !key.startsWith(GIVEN) && account.status !== 'cancelled' && (gross !== 0 || tax !== 0),
    ).length,
    wrongTaxes: sorted(account.rests).filter(([, { gross, tax }]) => gross !== 0 || tax !== 0).length,
  };
  return Object.entries(terms).flatMap(([name, value]) => (value === 0 ? [] : [`${name} ${value}`]));
}
