import { type Clerk, FINANCE } from './clerk.js';
import { isCommissioned, isConfirmed, type Outcome } from './sales.js';

interface Commission {
  id: string;
  status: string;
  amountCents: number;
}

/** An agent earns a commission on an item of a trip that has departed, and is paid at once. */
export async function payCommission(clerk: Clerk): Outcome {
  const { random, today } = clerk;
  const departed = clerk.accounts.filter((one) => isConfirmed(one) && one.departure !== null && one.departure < today);
  const account = random.pick(departed.filter(({ waived }) => waived === 0));
  const sold = account?.liveItems.filter((one) => !one.isReduction && !isCommissioned(account, one)) ?? [];
  const item = random.pick(sold.filter(({ quantity, unit }) => quantity * unit >= 100));
  if (!account || !item) return null;
  const amount = random.int(1, Math.floor((item.quantity * item.unit) / 10));
  const path = `${FINANCE}/booking-items/${item.id}/commissions`;
  const terms = { recipientType: 'agent', recipientName: 'Reto', commissionModel: 'fixed', amountCents: amount };
  const earned = await clerk.post<Commission>(path, { ...terms, payableTrigger: 'departed' });
  clerk.same('a new commission', [earned.status, earned.amountCents], ['payable', amount]);
  const paidOn = clerk.pastDay(30);
  const paid = await clerk.post<Commission>(`${path}/${earned.id}/payout`, { paidOn, reference: 'SEPA 1' });
  clerk.note(`payCommission ${account.id} ${amount} on ${paidOn}`);
  clerk.same('a payout', [paid.status, paid.amountCents], ['paid', amount]);
  account.payouts.push({ item, amount, postedOn: clerk.postedOn(paidOn) });
  return [account];
}
