import { days } from '../payment-plans/plans.js';
import { newTaxCode, TAX_CODES } from '../../taxes/tax-codes.js';
import { Account } from './account.js';
import { BOOKINGS, type Clerk } from './clerk.js';
import { billNow } from './invoices.js';
import type { Item } from './records.js';
import { CURRENCIES, confirmed, HIGHEST_PRICE, type Outcome, POLICIES } from './sales.js';
import { includedTax, restsOf } from './taxes.js';

/** The rates of the day of the sale, of the day of the trip, and of that day after a rate was added. */
const [PRESENT, SOLD, ADDED] = [1_600, 1_900, 2_100];

interface Stored {
  taxIncludedCents: number;
}

/**
 * Sells a trip with a tax code of its own, bills none, a part or all of it, adds a tax rate before the trip and recalculates the
 * booking: the unbilled part takes the new rate. Then grants a discount at the rate of today, which no document bills. Other
 * steps leave the sale and the documents of the booking alone until its end.
 */
export async function addRate(clerk: Clerk): Outcome {
  const { random, today, email } = clerk;
  const policy = random.pick(POLICIES) ?? POLICIES[0];
  if (!policy) return null;
  const currency = random.pick(CURRENCIES) ?? 'EUR';
  const startDate = days(today, random.int(70, 240));
  const taxCode = await newTaxCode(clerk.office.client, {
    rates: [
      { rateBasisPoints: PRESENT, validFrom: '2007-01-01', validTo: days(today, 10) },
      { rateBasisPoints: SOLD, validFrom: days(today, 11) },
    ],
  });
  const body = { customerName: `Customer ${clerk.number}`, customerEmail: email, currency, startDate };
  const { id } = await clerk.post<{ id: string }>(BOOKINGS, { ...body, paymentPolicy: policy });
  const account = new Account(id, currency, policy, startDate, () => clerk.today);
  account.isKept = true;
  clerk.accounts.push(account);

  const { code } = taxCode;
  const [quantity, unit] = [random.int(1, 3), random.int(1_000, HIGHEST_PRICE[currency] ?? 1_000)];
  const gross = quantity * unit;
  const trip = { code, basisPoints: SOLD, quantity, unit, tax: includedTax(gross, SOLD) };
  const item = await sold(clerk, account, trip, { type: 'unit', taxCodeId: taxCode.id, serviceDate: startDate });
  await confirmed(clerk, account);
  const billed = random.pick(['nothing', 'a part', 'all']);
  if (billed === 'a part') await billNow(clerk, account, account.installments[0] ?? null);
  if (billed === 'all') await billNow(clerk, account, null);

  await clerk.post(`${TAX_CODES}/${taxCode.id}/rates`, { rateBasisPoints: ADDED, validFrom: days(today, 40) });
  await clerk.post(`${BOOKINGS}/${id}/tax-recalculation`);
  const documents = account.onDocuments.get(code) ?? { gross: 0, tax: 0 };
  const rest = includedTax(gross - documents.gross, ADDED);
  Object.assign(item, { basisPoints: ADDED, tax: documents.tax + rest, earlier: { basisPoints: SOLD, ...documents } });
  const stored = await clerk.send<Stored>('GET', `${BOOKINGS}/${id}/items/${item.id}`);
  clerk.same(`the tax of ${item.id} after ${billed} was billed`, stored.taxIncludedCents, item.tax);
  clerk.note(`addRate ${id} ${gross} of which ${documents.gross} were billed`);

  const off = -random.int(1, Math.max(1, Math.floor(gross * 0.7)));
  const discount = { code, basisPoints: PRESENT, quantity: 1, unit: off, tax: includedTax(off, PRESENT) };
  await sold(clerk, account, discount, { type: 'discount', taxCodeId: taxCode.id });
  const owed = restsOf(account.owedAtRates, account.billedAtRates).get(`${code} ${PRESENT}`);
  clerk.same('the unbilled discount', owed, { gross: off, tax: discount.tax });
  return [account];
}

async function sold(
  clerk: Clerk,
  account: Account,
  terms: Pick<Item, 'code' | 'basisPoints' | 'quantity' | 'unit' | 'tax'>,
  body: { type: string; taxCodeId: string; serviceDate?: string },
): Promise<Item> {
  const { quantity, unit, tax } = terms;
  const path = `${BOOKINGS}/${account.id}/items`;
  const sale = { ...body, title: body.type, quantity, unitSellCents: unit };
  const { id, taxIncludedCents } = await clerk.post<{ id: string } & Stored>(path, sale);
  clerk.same(`the tax of a ${body.type}`, taxIncludedCents, tax);
  const before = account.total;
  const item: Item = { id, ...terms, isReduction: body.type === 'discount', cancelled: false };
  account.items.push(item);
  account.totalChanged(before, clerk.today);
  return item;
}
