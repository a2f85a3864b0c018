import { newDeparture } from '../operations/departures.js';
import { newPriceList, newPricedUnit, PRICE_LISTS, priceList } from '../products/price-lists.js';
import { newPart, newProduct, product, PRODUCTS } from '../products/products.js';
import { inside, made, on, type Recipe, staff } from './recipe.js';

const about = (productId: string) => inside('product', productId, { productId });

const PARTS = {
  options: { key: 'optionId', type: 'product_option', body: { name: 'Private' }, change: { maxUnits: 8 } },
  units: { key: 'unitId', type: 'product_unit', body: { type: 'adult', name: 'Adult' }, change: { minAge: 13 } },
  extras: {
    ...{ key: 'extraId', type: 'product_extra', change: { maxQuantity: 8 } },
    body: { name: 'Lunch', kind: 'meal', pricing: 'per_person' },
  },
  questions: {
    ...{ key: 'questionId', type: 'product_question', change: { help: 'EU sizes' } },
    body: { scope: 'traveler', type: 'integer', label: 'Shoe size' },
  },
} as const;

function partRecipes(list: keyof typeof PARTS): Record<string, Recipe> {
  const { key, type, body, change } = PARTS[list];
  const existing = async (app: Parameters<Recipe>[0]) => {
    const { id: productId } = await newProduct(app);
    const { id } = await newPart(app, productId, list, body);
    return { ...staff(app), ...inside(type, id, { productId, [key]: id }) };
  };
  const path = `${PRODUCTS}/{productId}/${list}`;
  return {
    [`POST ${path}`]: async (app) => {
      const { id: productId } = await newProduct(app);
      return { ...staff(app), parameters: { productId }, body, subject: made(type) };
    },
    [`PATCH ${path}/{${key}}`]: async (app) => ({ ...(await existing(app)), body: change }),
    [`DELETE ${path}/{${key}}`]: existing,
  };
}

async function onList(app: Parameters<Recipe>[0]) {
  return { ...staff(app), ...on('price_list', (await newPriceList(app)).id) };
}

export const productsRecipes: Record<string, Recipe> = {
  [`POST ${PRODUCTS}`]: async (app) => ({ ...staff(app), body: product(), subject: made('product') }),
  [`PATCH ${PRODUCTS}/{productId}`]: async (app) => {
    const { id } = await newProduct(app);
    return { ...staff(app), ...about(id), body: { durationMinutes: 90 } };
  },
  [`POST ${PRODUCTS}/{productId}/activation`]: async (app) => ({ ...staff(app), ...about((await newProduct(app)).id) }),
  [`POST ${PRODUCTS}/{productId}/archival`]: async (app) => ({ ...staff(app), ...about((await newProduct(app)).id) }),
  [`POST ${PRODUCTS}/{productId}/copies`]: async (app) => {
    const { id: productId } = await newProduct(app);
    return { ...staff(app), parameters: { productId }, body: {}, subject: made('product') };
  },
  [`POST ${PRODUCTS}/{productId}/quotes`]: async (app) => {
    const { productId, unitId } = await newPricedUnit(app);
    const { id: departureId } = await newDeparture(app, { productId });
    const body = { departureId, currency: 'EUR', units: [{ unitId, quantity: 1 }] };
    return { ...staff(app), parameters: { productId }, body, subject: null };
  },
  [`POST ${PRICE_LISTS}`]: async (app) => ({ ...staff(app), body: priceList(), subject: made('price_list') }),
  [`PATCH ${PRICE_LISTS}/{id}`]: async (app) => ({ ...(await onList(app)), body: { priority: 5 } }),
  [`PUT ${PRICE_LISTS}/{id}/prices`]: async (app) => {
    return { ...(await onList(app)), body: { prices: [{ ...(await newPricedUnit(app)), amountCents: 100 }] } };
  },
  [`POST ${PRICE_LISTS}/{id}/activation`]: onList,
  [`POST ${PRICE_LISTS}/{id}/retirement`]: onList,
  [`POST ${PRICE_LISTS}/{id}/copies`]: async (app) => {
    const { id } = await newPriceList(app);
    return { ...staff(app), parameters: { id }, body: { changeBasisPoints: 500 }, subject: made('price_list') };
  },
  ...partRecipes('options'),
  ...partRecipes('units'),
  ...partRecipes('extras'),
  ...partRecipes('questions'),
};
