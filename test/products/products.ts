import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';

export const PRODUCTS = '/v1/admin/products';

export interface Product extends Record<string, unknown> {
  id: string;
  name: string;
  status: string;
  version: number;
}

/** A new product with a name of its own; `terms` contain the members that matter to the test. */
export const product = (terms: object = {}) => ({
  name: `Product ${randomUUID()}`,
  kind: 'day_tour',
  timeZone: 'Europe/Berlin',
  ...terms,
});

export async function newProduct(app: TestApp, terms: object = {}): Promise<Product> {
  return make<Product>(app, PRODUCTS, product(terms));
}

/** Adds an option, a unit, an extra or a question to a product. */
export async function newPart(
  app: TestApp,
  productId: string,
  list: 'options' | 'units' | 'extras' | 'questions',
  body: object,
) {
  return make<{ id: string; version: number }>(app, `${PRODUCTS}/${productId}/${list}`, body);
}

async function make<T>(app: TestApp, path: string, body: object): Promise<T> {
  const answer = await app.as('owner').post<{ data: T }>(path, body);
  if (answer.status !== 201) throw new Error(`${path} was rejected: ${answer.text}`);
  return answer.body.data;
}
