import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import { newPart, newProduct, PRODUCTS } from './products.js';

export const PRICE_LISTS = `${PRODUCTS}/price-lists`;

export interface PriceList extends Record<string, unknown> {
  id: string;
  status: string;
  priceCount: number;
  version: number;
}

export interface Price extends Record<string, unknown> {
  productId: string;
  unitId: string;
  amountCents: number;
}

/** A new price list; `terms` contain the members that matter to the test. */
export const priceList = (terms: object = {}) => ({ name: `Prices ${randomUUID()}`, currency: 'EUR', ...terms });

export async function newPriceList(app: TestApp, terms: object = {}): Promise<PriceList> {
  const answer = await app.as('owner').post<{ data: PriceList }>(PRICE_LISTS, priceList(terms));
  if (answer.status !== 201) throw new Error(`The price list was rejected: ${answer.text}`);
  return answer.body.data;
}

/** The IDs of an adult unit and its new product. */
export async function newPricedUnit(app: TestApp, terms: object = {}): Promise<{ productId: string; unitId: string }> {
  const { id: productId } = await newProduct(app, terms);
  const { id: unitId } = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
  return { productId, unitId };
}

/** An active price list with these prices. */
export async function activeList(app: TestApp, prices: readonly object[], terms: object = {}): Promise<PriceList> {
  const { id } = await newPriceList(app, terms);
  const owner = app.as('owner');
  const put = await owner.put(`${PRICE_LISTS}/${id}/prices`, { prices });
  if (put.status !== 200) throw new Error(`The prices were rejected: ${put.text}`);
  return (await owner.post<{ data: PriceList }>(`${PRICE_LISTS}/${id}/activation`)).body.data;
}
