import { days } from '../payment-plans/plans.js';
import { Account } from './account.js';
import { BOOKINGS, type Clerk, FINANCE } from './clerk.js';
import type { Policy } from './plan.js';
import type { Item } from './records.js';
import { GIVEN, includedTax, isWrong, restsOf, grouped, rounded, sorted } from './taxes.js';

/** The change of a step; null if there was nothing to change. */
export type Outcome = Promise<Account[] | null>;

export const CURRENCIES = ['EUR', 'JPY', 'KWD'];
/** Cents, yen and fils: prices of about the same size to a customer. */
export const HIGHEST_PRICE: Record<string, number> = { EUR: 90_000, JPY: 150_000, KWD: 300_000 };

const FREE = { minimumDays: 0, floorDays: 3, noDateDays: 14, roundToCents: null };

export const POLICIES: readonly Policy[] = [
  {
    ...{ ...FREE, minimumDays: 45 },
    steps: [
      { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 },
      { label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30 },
    ],
  },
  {
    ...{ ...FREE, roundToCents: 100 },
    steps: [
      { label: 'First', type: 'deposit', percentBasisPoints: 3333, anchor: 'booking', offsetDays: 0 },
      { label: 'Second', type: 'installment', percentBasisPoints: 3333, anchor: 'departure', offsetDays: -60 },
      { label: 'Third', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -14 },
    ],
  },
  {
    ...{ ...FREE, noDateDays: null },
    steps: [
      { label: 'Fixed deposit', type: 'deposit', fixedCents: 20_000, anchor: 'booking', offsetDays: 0 },
      { label: 'Rest', type: 'balance', remainder: true, anchor: 'booking', offsetDays: 20 },
    ],
  },
];

export async function book(clerk: Clerk): Outcome {
  const { random, email, today } = clerk;
  const currency = random.pick(CURRENCIES) ?? 'EUR';
  const policy = random.pick(POLICIES) ?? POLICIES[0];
  if (!policy) return null;
  const startDate = random.chance(0.85) ? days(today, random.int(5, 240)) : null;
  const body = { customerName: `Customer ${clerk.number}`, customerEmail: email, currency, startDate };
  const { id } = await clerk.post<{ id: string }>(BOOKINGS, { ...body, paymentPolicy: policy });
  const account = new Account(id, currency, policy, startDate, () => clerk.today);
  clerk.accounts.push(account);
  for (let count = random.int(1, 3); count > 0; count -= 1) await insertItem(clerk, account);
  if (random.chance(0.85)) await confirmed(clerk, account);
  return [account];
}

export async function confirm(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(({ status }) => status === 'draft'));
  if (!account || account.liveItems.length === 0) return null;
  await confirmed(clerk, account);
  return [account];
}

export async function addItem(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(isLive));
  if (!account) return null;
  await insertItem(clerk, account);
  return [account];
}

/** Adds a discount to a tax group; a discount larger than the group or the booking is rejected. */
export async function discount(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(isLive));
  const like = account && random.pick(account.liveItems);
  if (!account || !like) return null;
  const group = groupsOf(account.liveItems).get(like.code);
  const unit = -random.int(1, Math.max(1, Math.floor((group?.gross ?? 1) * random.next() * 1.1)));
  const code = codeOf(clerk, like.code);
  const tax = code ? includedTax(unit, code.basisPoints) : 0;
  const body = { type: 'discount', title: 'Discount', unitSellCents: unit, ...(code ? { taxCodeId: code.id } : {}) };
  const path = `${BOOKINGS}/${account.id}/items`;
  const isMixed = account.liveItems.some((item) => item.code !== GIVEN);
  if (!code && isMixed) {
    await clerk.rejected('POST', path, { body, codes: ['tax_code_required'] });
    return [account];
  }
  const after = { gross: (group?.gross ?? 0) + unit, tax: (group?.tax ?? 0) + tax };
  if (isWrong(after)) {
    await clerk.rejected('POST', path, { body, codes: ['negative_total'] });
    return [account];
  }
  const { id } = await clerk.post<{ id: string }>(path, body);
  clerk.note(`discount ${account.id} ${unit} ${like.code}`);
  const before = account.total;
  const basisPoints = code?.basisPoints ?? null;
  account.items.push({ id, code: like.code, basisPoints, quantity: 1, unit, tax, isReduction: true, cancelled: false });
  account.totalChanged(before, clerk.today);
  return [account];
}

/** Sets a new price or quantity; a given tax changes in proportion. */
export async function changeItem(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(isLive));
  const item =
    account && random.pick(account.liveItems.filter((one) => !one.isReduction && !isCommissioned(account, one)));
  if (!account || !item) return null;
  const changes = random.chance(0.5)
    ? { quantity: random.int(1, 4) }
    : { unitSellCents: random.int(0, Math.max(1, Math.floor(item.unit * 1.6))) };
  const [quantity, unit] = [changes.quantity ?? item.quantity, changes.unitSellCents ?? item.unit];
  const [before, after] = [item.quantity * item.unit, quantity * unit];
  const scaled = before === 0 ? 0 : rounded(item.tax * after, before);
  const ofCode = item.basisPoints === null ? scaled : includedTax(after, item.basisPoints);
  const tax = after === before ? item.tax : ofCode;
  const path = `${BOOKINGS}/${account.id}/items/${item.id}`;
  if (!fits(account, item, { ...item, quantity, unit, tax })) {
    await clerk.rejected('PATCH', path, { body: changes, codes: ['negative_total'] });
    return [account];
  }
  const changed = await clerk.send<{ taxIncludedCents: number }>('PATCH', path, changes);
  clerk.note(`changeItem ${account.id} ${before}/${item.tax} to ${after}/${tax}`);
  clerk.same('the tax of the item', changed.taxIncludedCents, tax);
  const total = account.total;
  Object.assign(item, { quantity, unit, tax });
  account.totalChanged(total, clerk.today);
  return [account];
}

/**
 * Changes the tax code of an item by mistake and reverts it; the item is then unchanged, regardless of billing. Omits bookings
 * with items at several rates of the code, because their documents bill a different rate than the item's.
 */
export async function recodeItem(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(isLive));
  const isPlain = ({ code, basisPoints }: Item) =>
    account?.items.every((other) => other.code !== code || other.basisPoints === basisPoints);
  const item = account && random.pick(account.liveItems.filter((one) => one.code !== GIVEN && isPlain(one)));
  if (!account || !item || account.items.some(({ isReduction }) => isReduction)) return null;
  const codes = clerk.office.taxCodes.filter(({ code }) => code !== 'M-STANDARD');
  const other = random.pick(codes.filter(({ code }) => code !== item.code));
  const own = codeOf(clerk, item.code);
  if (!other || !own) return null;
  const path = `${BOOKINGS}/${account.id}/items/${item.id}`;
  await clerk.send('PATCH', path, { taxCodeId: other.id });
  const changed = await clerk.send<{ taxIncludedCents: number }>('PATCH', path, { taxCodeId: own.id });
  clerk.note(`recodeItem ${account.id} ${item.quantity * item.unit} ${item.code} to ${other.code} and back`);
  clerk.same('the tax of the item', changed.taxIncludedCents, item.tax);
  return [account];
}

export async function cancelItem(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(isLive));
  const item = account && clerk.random.pick(account.liveItems);
  if (!account || !item || account.liveItems.length === 1) return null;
  const path = `${BOOKINGS}/${account.id}/items/${item.id}/cancellation`;
  if (!fits(account, item, null)) {
    await clerk.rejected('POST', path, { body: { reason: 'Ill' }, codes: ['negative_total'] });
    return [account];
  }
  await clerk.post(path, { reason: 'Ill' });
  clerk.note(`cancelItem ${account.id} ${item.quantity * item.unit} ${item.code}`);
  const before = account.total;
  item.cancelled = true;
  account.itemCancelled(item, before, clerk.today);
  return [account];
}

/** Reinstates a cancelled item at its old price and tax. */
export async function reinstateItem(clerk: Clerk): Outcome {
  const cancelledOf = ({ items }: Account) => items.filter(({ cancelled }) => cancelled);
  const account = clerk.random.pick(clerk.accounts.filter((one) => isLive(one) && cancelledOf(one).length > 0));
  const item = account && clerk.random.pick(cancelledOf(account));
  if (!account || !item) return null;
  const path = `${BOOKINGS}/${account.id}/items/${item.id}/reinstatement`;
  if (!fits(account, item, item)) {
    await clerk.rejected('POST', path, { body: { reason: 'By mistake' }, codes: ['negative_total'] });
    return [account];
  }
  await clerk.post(path, { reason: 'By mistake' });
  clerk.note(`reinstateItem ${account.id} ${item.quantity * item.unit} ${item.code}`);
  const before = account.total;
  item.cancelled = false;
  account.itemReinstated(item, before, clerk.today);
  return [account];
}

export async function moveDeparture(clerk: Clerk): Outcome {
  const account = clerk.random.pick(clerk.accounts.filter(isLive));
  if (!account) return null;
  const startDate = days(clerk.today, clerk.random.int(1, 240));
  await clerk.send('PATCH', `${BOOKINGS}/${account.id}`, { startDate });
  clerk.note(`moveDeparture ${account.id} ${startDate}`);
  if (startDate !== account.departure) account.moveDeparture(startDate, clerk.today);
  return [account];
}

export async function waive(clerk: Clerk): Outcome {
  const { random } = clerk;
  const account = random.pick(clerk.accounts.filter(isConfirmed));
  const installment = account && random.pick(account.open);
  if (!account || !installment) return null;
  const path = `${FINANCE}/bookings/${account.id}/payment-schedules/${installment.id}?rebalance=none`;
  const body = { status: 'cancelled', waiveReason: 'Goodwill' };
  if (account.paid(installment) > 0) {
    await clerk.rejected('PATCH', path, { body, codes: ['schedule_has_payments'] });
    return [account];
  }
  await clerk.send('PATCH', path, body);
  clerk.note(`waive ${account.id} ${installment.amount}`);
  account.waive(installment);
  return [account];
}

export async function unwaive(clerk: Clerk): Outcome {
  const confirmed = clerk.accounts.filter((one) => isConfirmed(one) && one.waived > 0);
  const account = clerk.random.pick(confirmed);
  const installment = account && clerk.random.pick(account.installments.filter(({ waived }) => waived));
  if (!account || !installment) return null;
  await clerk.send('PATCH', `${FINANCE}/bookings/${account.id}/payment-schedules/${installment.id}`, {
    status: 'pending',
  });
  clerk.note(`unwaive ${account.id} ${installment.amount}`);
  account.unwaive(installment);
  return [account];
}

/** Whether an agent earned a commission on the item. */
export function isCommissioned({ payouts }: Account, item: Item): boolean {
  return payouts.some((payout) => payout.item === item);
}

/** Whether the sale of a booking may change at random. */
export const isLive = ({ status, isKept }: Account) => status !== 'cancelled' && !isKept;

export function isConfirmed({ status, isKept }: Account): boolean {
  return status === 'confirmed' && !isKept;
}

export async function confirmed(clerk: Clerk, account: Account): Promise<void> {
  await clerk.post(`${BOOKINGS}/${account.id}/confirmation`);
  clerk.note(`confirm ${account.id} ${account.total} ${account.currency}`);
  account.confirm(clerk.today);
}

async function insertItem(clerk: Clerk, account: Account): Promise<void> {
  const { random, today } = clerk;
  const [quantity, unit] = [random.int(1, 3), random.int(1, HIGHEST_PRICE[account.currency] ?? 1)];
  const code = random.chance(0.7) ? codeOf(clerk, random.pick(clerk.office.taxCodes)?.code ?? GIVEN) : null;
  const given = random.int(0, Math.floor((quantity * unit) / 5));
  const tax = code ? includedTax(quantity * unit, code.basisPoints) : given;
  const taxed = code ? { taxCodeId: code.id } : { taxIncludedCents: tax };
  const body = { type: 'unit', title: 'Seat', quantity, unitSellCents: unit, ...taxed };
  const { id, taxIncludedCents } = await clerk.post<{ id: string; taxIncludedCents: number }>(
    `${BOOKINGS}/${account.id}/items`,
    body,
  );
  clerk.note(`addItem ${account.id} ${quantity * unit}/${tax} ${code?.code ?? GIVEN}`);
  clerk.same('the tax of a new item', taxIncludedCents, tax);
  const before = account.total;
  const item = { id, code: code?.code ?? GIVEN, basisPoints: code?.basisPoints ?? null, quantity, unit, tax };
  account.items.push({ ...item, isReduction: false, cancelled: false });
  account.totalChanged(before, today);
}

/** Returns the tax code with today's rate; null for amounts with a given tax. */
export function codeOf({ office, today }: Clerk, code: string) {
  const found = office.taxCodes.find((one) => one.code === code);
  const rate = found?.rates.filter(({ validFrom }) => validFrom <= today).at(-1);
  return found && rate ? { id: found.id, code, basisPoints: rate.rateBasisPoints } : null;
}

/** A change must not bring a tax group, or the booking, below 0. */
function fits(account: Account, item: Item, changed: Item | null): boolean {
  const others = account.liveItems.filter((one) => one !== item);
  const after = groupsOf(changed ? [...others, changed] : others);
  return sorted(after).every(([, group]) => !isWrong(group));
}

export function groupsOf(items: readonly Item[]) {
  return restsOf(grouped(items.map(({ code, quantity, unit, tax }) => [code, quantity * unit, tax])), new Map());
}
