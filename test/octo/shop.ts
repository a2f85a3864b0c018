import { newKey } from '../connect/partners.js';
import { departureIn } from '../distribution/allotments/allotments.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newConnection, type OctoConnection } from './connections.js';

export const PRICING = { headers: { 'Octo-Capabilities': 'octo/pricing' } };

export interface Shop {
  productId: string;
  optionId: string;
  adult: string;
  child: string;
  departureId: string;
  connection: OctoConnection;
  reseller: TestClient;
}

/** An active product with two units and an option, which a reseller with a key of its own sells; `terms` are of the connection. */
export async function newShop(
  app: TestApp,
  terms: object = {},
  { departure = {}, product = {} }: { departure?: object; product?: object } = {},
): Promise<Shop> {
  const { id: productId } = await newProduct(app, { timeZone: 'Europe/Bucharest', ...product });
  const { id: adult } = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult', minAge: 13 });
  const child = await newPart(app, productId, 'units', {
    ...{ type: 'child', name: 'Child', maxAge: 12, accompaniedBy: [adult] },
  });
  const option = await newPart(app, productId, 'options', { name: 'Morning', startTimes: ['09:00'], maxUnits: 60 });
  const activated = await app.as('owner').post(`${PRODUCTS}/${productId}/activation`);
  if (activated.status !== 200) throw new Error(`The product was not activated: ${activated.text}`);
  const unitPrices = [{ unitId: child.id, amountCents: 2_500 }];
  const { id: departureId } = await departureIn(app, 30, { productId, priceCents: 5_000, unitPrices, ...departure });
  const connection = await newConnection(app, terms);
  const reseller = app.with(await newKey(app, ['connect:octo:sell', 'connect:octo:browse'], connection.operatorId));
  return { productId, optionId: option.id, adult, child: child.id, departureId, connection, reseller };
}
