import type { Account } from './account.js';
import { namedShares, payableOf } from './application.js';
import { BOOKINGS, type Clerk, FINANCE } from './clerk.js';
import { restLines } from './credit-notes.js';
import { type Installment, isOpen } from './plan.js';
import { isConfirmed, type Outcome } from './sales.js';
import { type Allocation, isReceived, type IssuedInvoice, type Money } from './records.js';

interface Payment {
  id: string;
  status: string;
  paidOn: string;
}

interface AllocationRow {
  id: string;
  scheduleId: string | null;
  invoiceId: string | null;
  refundId?: string | null;
  amountCents: number;
}

/** The largest rest of an installment that staff may waive. */
export const TOLERANCE = 500;

const PAYMENTS = `${FINANCE}/payments`;

export async function pay(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(({ total }) => total > 0));
  if (!account) return null;
  const owed = Math.max(1, account.claim - account.received);
  const next = account.open[0];
  const exact = next ? account.outstanding(next) : owed;
  const amount = random.chance(0.4) ? exact : random.int(1, Math.ceil(owed * 1.2));
  const paidOn = clerk.pastDay(60);
  const { id: bookingId, currency } = account;
  const body = { bookingId, currency, method: 'bank_transfer', amountCents: amount, paidOn };
  const { id } = await clerk.post<Payment>(PAYMENTS, body);
  clerk.note(`pay ${account.id} ${amount} on ${paidOn}`);
  account.receive(newMoney(clerk, { id, kind: 'receipt', amount, paidOn }));
  return [account];
}

/** Pays a part of an invoice or an installment by name; more than its open amount is rejected. */
export async function payByName(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter((one) => targetsOf(one).length > 0));
  const target = account && random.pick(targetsOf(account));
  if (!account || !target) return null;
  const payable = payableOf(account, target);
  const cents = random.chance(0.5) ? payable : random.int(1, Math.ceil(payable * 1.1));
  const paidOn = clerk.pastDay(60);
  const amount = random.chance(0.8) ? cents : cents + random.int(1, 5_000);
  const named = 'lines' in target ? { invoiceId: target.id } : { scheduleId: target.id };
  const body = {
    ...{ bookingId: account.id, currency: account.currency, method: 'bank_transfer', amountCents: amount, paidOn },
    allocations: [{ ...named, amountCents: cents }],
  };
  if (cents > payable) {
    await clerk.rejected('POST', PAYMENTS, { body, codes: ['over_allocated'] });
    return [account];
  }
  const { id } = await clerk.post<Payment>(PAYMENTS, body);
  clerk.note(`payByName ${account.id} ${cents} of ${amount} on ${'lines' in target ? target.id : target.position}`);
  const shares = namedShares(account, target, cents);
  account.receive({ ...newMoney(clerk, { id, kind: 'receipt', amount, paidOn }), autoApply: false }, shares);
  return [account];
}

/** A bank keeps its charge of an installment. Staff waive a rest up to the tolerance; a larger rest is rejected. */
export async function smallDifference(clerk: Clerk): Outcome {
  const { random, today: paidOn } = clerk;
  const account = random.pick(clerk.accounts.filter((one) => isConfirmed(one) && one.open.length > 0));
  const installment = account?.open[0];
  if (!account || !installment) return null;
  const amount = account.outstanding(installment) - random.int(1, Math.ceil(TOLERANCE * 1.2));
  if (amount > 0) {
    const { id: bookingId, currency } = account;
    const body = { bookingId, currency, method: 'bank_transfer', amountCents: amount, paidOn };
    const { id } = await clerk.post<Payment>(PAYMENTS, body);
    clerk.note(`payShort ${account.id} ${amount}`);
    account.receive(newMoney(clerk, { id, kind: 'receipt', amount, paidOn }));
    await clerk.check([account]);
  }
  if (!isOpen(installment)) return [account];
  const path = `${FINANCE}/bookings/${account.id}/payment-schedules/${installment.id}/small-difference`;
  if (account.outstanding(installment) > TOLERANCE) {
    await clerk.rejected('POST', path, { body: {}, codes: ['beyond_tolerance'] });
    return [account];
  }
  clerk.note(`smallDifference ${account.id} ${account.outstanding(installment)}`);
  await clerk.post(path, { reason: 'Bank charges' });
  account.writeOff(installment);
  return [account];
}

function targetsOf(account: Account): (IssuedInvoice | Installment)[] {
  return [...account.issued, ...account.open].filter((target) => payableOf(account, target) > 0);
}

/** Reverses a receipt, or a refund that came back. */
export async function reversePayment(clerk: Clerk): Outcome {
  const { random } = clerk;
  const reversible = ({ status, kind }: Money) => status === 'completed' && (kind === 'receipt' || kind === 'refund');
  const account = random.pick(clerk.accounts.filter(({ money }) => money.some(reversible)));
  const money = account && random.pick(account.money.filter(reversible));
  if (!account || !money) return null;
  const kind = random.pick(['mistake', 'bounced', 'chargeback']);
  await clerk.post(`${PAYMENTS}/${money.id}/reversal`, { reason: 'The bank returned it', kind });
  clerk.note(`reversePayment ${account.id} ${money.kind} ${money.amount}`);
  if (isReceived(money)) account.reverse(money, clerk.today);
  else account.takeBack(money, 'reversed', clerk.today);
  return [account];
}

/** Releases an allocation by hand: its debt is open again, and the money stays unapplied until staff apply it. */
export async function releaseByHand(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(
    clerk.accounts.filter(({ status, allocations }) => status === 'confirmed' && allocations.length > 0),
  );
  const money = account && random.pick(account.allocations)?.money;
  if (!account || !money) return null;
  const { allocations } = await clerk.send<{ allocations: AllocationRow[] }>('GET', `${PAYMENTS}/${money.id}`);
  const own = account.allocations.filter((row) => row.money === money);
  clerk.same(`the allocations of ${money.id}`, allocations.map(partOf).sort(), own.map(recordedPartOf).sort());
  const row = random.pick(own);
  const stored = allocations.find((one) => row && partOf(one) === recordedPartOf(row));
  if (!row || !stored) return null;
  const path = `${PAYMENTS}/${money.id}/allocations/${stored.id}`;
  if (row.refund) {
    await clerk.rejected('DELETE', path, { codes: ['invalid_transition'] });
    return [account];
  }
  await clerk.send('DELETE', path);
  clerk.note(`releaseByHand ${account.id} ${row.cents} of ${money.id}`);
  account.releaseByHand(row);
  return [account];
}

/** Money released by hand settles open debts again. */
export async function applyByHand(clerk: Clerk): Outcome {
  const { random } = clerk;
  const waits = ({ autoApply, status }: Money) => !autoApply && status === 'completed';
  const account = random.pick(clerk.accounts.filter(({ money }) => money.some(waits)));
  const money = account && random.pick(account.money.filter(waits));
  if (!account || !money) return null;
  await clerk.post(`${PAYMENTS}/${money.id}/allocations`, {});
  clerk.note(`applyByHand ${account.id} ${money.id}`);
  money.autoApply = true;
  account.applyMoney();
  return [account];
}

/** Applies all money that was released by hand. */
export async function applyAll(clerk: Clerk, account: Account): Promise<void> {
  for (const money of account.receipts.filter((one) => !one.autoApply && account.unapplied(one) > 0)) {
    await clerk.post(`${PAYMENTS}/${money.id}/allocations`, {});
    money.autoApply = true;
    account.applyMoney();
  }
}

/** Pays the outstanding amounts. */
export async function payRest(clerk: Clerk, account: Account): Promise<void> {
  const amount = account.claim - account.received;
  if (amount <= 0) return;
  const { id: bookingId, currency } = account;
  const paidOn = clerk.today;
  const body = { bookingId, currency, method: 'bank_transfer', amountCents: amount, paidOn };
  const { id } = await clerk.post<Payment>(PAYMENTS, body);
  clerk.note(`payRest ${account.id} ${amount}`);
  account.receive(newMoney(clerk, { id, kind: 'receipt', amount, paidOn }));
}

/** Refunds overpaid money. */
export async function refundRest(clerk: Clerk, account: Account): Promise<void> {
  const amount = account.received - account.claim;
  if (amount <= 0) return;
  const body = { amountCents: amount, method: 'bank_transfer', reason: 'Paid too much' };
  const { id } = await clerk.post<Payment>(`${FINANCE}/bookings/${account.id}/refunds`, body);
  clerk.note(`refundRest ${account.id} ${amount}`);
  const requested = newMoney(clerk, { id, kind: 'refund', amount, paidOn: clerk.today });
  account.payOut({ ...requested, status: 'requested' });
  await completeRefunds(clerk, account);
}

export async function completeRefunds(clerk: Clerk, account: Account): Promise<void> {
  for (const refund of account.money.filter(({ status }) => status === 'requested')) {
    await complete(clerk, account, refund);
  }
}

export async function requestRefund(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter((one) => one.unapplied() > 0));
  if (!account) return null;
  const available = account.unapplied();
  const amount = random.chance(0.5) ? available : random.int(1, Math.ceil(available * 1.2));
  const path = `${FINANCE}/bookings/${account.id}/refunds`;
  const body = { amountCents: amount, method: 'bank_transfer', reason: 'Paid too much' };
  if (amount > available) {
    await clerk.rejected('POST', path, { body, codes: ['over_refunded'] });
    return [account];
  }
  const { id } = await clerk.post<Payment>(path, body);
  clerk.note(`requestRefund ${account.id} ${amount}`);
  const requested = newMoney(clerk, { id, kind: 'refund', amount, paidOn: clerk.today });
  account.payOut({ ...requested, status: 'requested' });
  return [account];
}

/** Completes a requested refund, or lets it fail. */
export async function endRefund(clerk: Clerk): Outcome {
  const { random } = clerk;
  const isRequested = ({ status }: Money) => status === 'requested';
  const account = random.pick(clerk.accounts.filter(({ money }) => money.some(isRequested)));
  const refund = account && random.pick(account.money.filter(isRequested));
  if (!account || !refund) return null;
  const path = `${FINANCE}/refunds/${refund.id}`;
  if (random.chance(0.3)) {
    await clerk.post(`${path}/failure`, { reason: 'The account was closed' });
    clerk.note(`endRefund ${account.id} ${refund.amount} failed`);
    account.takeBack(refund, 'failed', clerk.today);
    return [account];
  }
  await complete(clerk, account, refund);
  return [account];
}

async function complete(clerk: Clerk, account: Account, refund: Money): Promise<void> {
  const { today: paidOn } = clerk;
  await clerk.post(`${FINANCE}/refunds/${refund.id}/completion`, { paidOn });
  clerk.note(`complete ${account.id} ${refund.amount}`);
  Object.assign(refund, { status: 'completed', paidOn, postedOn: clerk.postedOn(paidOn) });
}

export async function transfer(clerk: Clerk): Outcome {
  const { random } = clerk;
  const source = random.pick(clerk.accounts.filter((one) => one.unapplied() > 0));
  const target = source && random.pick(clerk.accounts.filter((one) => one !== source));
  if (!source || !target) return null;
  const amount = random.int(1, Math.ceil(source.unapplied() * 1.1));
  const path = `${FINANCE}/bookings/${source.id}/transfers`;
  const body = { toBookingId: target.id, amountCents: amount, reason: 'Booked another tour' };
  const isOther = source.currency !== target.currency;
  if (isOther || amount > source.unapplied()) {
    await clerk.rejected('POST', path, { body, codes: [isOther ? 'currency_mismatch' : 'over_refunded'] });
    return [source, target];
  }
  const { id: transferId, ...made } = await clerk.post<{ id: string; fromPaymentId: string; toPaymentId: string }>(
    path,
    body,
  );
  clerk.note(`transfer ${source.id} to ${target.id} ${amount}`);
  const both = { amount, paidOn: clerk.today, transferId };
  source.payOut(newMoney(clerk, { ...both, id: made.fromPaymentId, kind: 'transfer_out' }));
  target.receive(newMoney(clerk, { ...both, id: made.toPaymentId, kind: 'transfer_in' }));
  return [source, target];
}

export async function reverseTransfer(clerk: Clerk): Outcome {
  const { random } = clerk;
  const isOut = ({ kind, status }: Money) => kind === 'transfer_out' && status === 'completed';
  const source = random.pick(clerk.accounts.filter(({ money }) => money.some(isOut)));
  const from = source && random.pick(source.money.filter(isOut));
  const isTo = ({ kind, transferId }: Money) => kind === 'transfer_in' && transferId === from?.transferId;
  const target = clerk.accounts.find(({ money }) => money.some(isTo));
  const to = target?.money.find(isTo);
  if (!source || !from || !target || !to) return null;
  const path = `${FINANCE}/transfers/${from.transferId}/reversal`;
  const body = { reason: 'Wrong booking' };
  if (target.unapplied() < from.amount) {
    await clerk.rejected('POST', path, { body, codes: ['transfer_used'] });
    return [source, target];
  }
  await clerk.post(path, body);
  clerk.note(`reverseTransfer ${source.id} to ${target.id} ${from.amount}`);
  target.reverse(to, clerk.today);
  source.takeBack(from, 'reversed', clerk.today);
  return [source, target];
}

export async function cancelBooking(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(isConfirmed));
  if (!account) return null;
  const items = account.liveItems;
  const total = account.total;
  await clerk.post(`${BOOKINGS}/${account.id}/cancellation`, { reason: 'The customer fell ill' });
  clerk.note(`cancelBooking ${account.id} ${total}`);
  account.cancel();
  clerk.drafts = clerk.drafts.filter((draft) => draft.account !== account);
  cancelled.set(account, { items, total });
  return [account];
}

/** The items and the total of open settlements. */
const cancelled = new WeakMap<Account, { items: Account['items']; total: number }>();

export function isUnsettled({ status, agreedFee }: Account): boolean {
  return status === 'cancelled' && agreedFee === null;
}

export async function reinstate(clerk: Clerk): Outcome {
  const { today } = clerk;
  const isAhead = ({ departure }: Account) => departure !== null && departure > today;
  const account = clerk.random.pick(clerk.accounts.filter((one) => isUnsettled(one) && isAhead(one)));
  if (!account) return null;
  await clerk.post(`${BOOKINGS}/${account.id}/reinstatement`, { reason: 'Cancelled by mistake' });
  clerk.note(`reinstate ${account.id}`);
  account.reinstate(cancelled.get(account)?.items ?? []);
  return [account];
}

export async function settle(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(isUnsettled));
  if (!account) return null;
  await settled(clerk, account);
  return [account];
}

interface Settlement {
  feeInvoiceId: string | null;
  refundId: string | null;
  restCents: number;
}

export async function settled(clerk: Clerk, account: Account): Promise<void> {
  const { random, today } = clerk;
  const total = cancelled.get(account)?.total ?? 0;
  const fee = random.chance(0.3) ? 0 : random.int(0, total);
  const outcome = random.pick(['refund', 'credit']);
  const body = { agreedFeeCents: fee, feeReason: 'Agreed by phone', outcome };
  const path = `${FINANCE}/bookings/${account.id}/cancellation-settlement`;
  const { feeInvoiceId, refundId, restCents } = await clerk.post<Settlement>(path, body);
  clerk.note(`settle ${account.id} fee ${fee} outcome ${outcome}`);
  const line = { code: 'given', basisPoints: null, gross: fee, tax: 0, creditedGross: 0, creditedTax: 0 };
  const invoice: IssuedInvoice | null = feeInvoiceId
    ? {
        ...{ id: feeInvoiceId, installment: null, issueDate: today, lines: [line], discounts: [] },
        ...{ void: false, sent: false, fee: true },
      }
    : null;
  clerk.same('whether there is a fee invoice', invoice !== null, fee > 0);
  for (const issued of [...account.issued].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    account.credit(issued, restLines(issued), today);
  }
  account.settleCancellation(fee, { today, feeInvoice: invoice });
  const rest = account.unapplied();
  clerk.same('what is left after the fee', restCents, rest);
  clerk.same('whether the rest is refunded', refundId !== null, outcome === 'refund' && rest > 0);
  if (refundId) {
    const requested = newMoney(clerk, { id: refundId, kind: 'refund', amount: rest, paidOn: today });
    account.payOut({ ...requested, status: 'requested' });
  }
}

function partOf({ scheduleId, invoiceId, amountCents }: AllocationRow): string {
  return [scheduleId, invoiceId, amountCents].join(' ');
}

function recordedPartOf({ installment, invoice, cents }: Allocation): string {
  return [installment?.id ?? null, invoice?.id ?? null, cents].join(' ');
}

type New = Pick<Money, 'id' | 'kind' | 'amount' | 'paidOn'> & { transferId?: string };

function newMoney(clerk: Clerk, { transferId = '', ...made }: New): Money {
  const status = 'completed';
  return {
    ...made,
    postedOn: clerk.postedOn(made.paidOn),
    reversedOn: null,
    autoApply: true,
    status,
    transferId: transferId || null,
  };
}
