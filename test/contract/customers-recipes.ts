import { CUSTOMERS, customer, newCustomer } from '../customers/customers.js';
import { inside, made, post, type Recipe, staff } from './recipe.js';

const about = (id: string) => inside('customer', id, { customerId: id });

export const customersRecipes: Record<string, Recipe> = {
  [`PUT ${CUSTOMERS}/{customerId}/agency-terms`]: async (app) => {
    const { id } = await newCustomer(app, { kind: 'company', companyName: 'Agency' });
    return { ...staff(app), ...about(id), body: { creditLimitCents: 500_000, creditCurrency: 'EUR' } };
  },
  [`POST ${CUSTOMERS}`]: async (app) => ({ ...staff(app), body: customer(), subject: made('customer') }),
  [`PATCH ${CUSTOMERS}/{customerId}`]: async (app) => {
    const { id } = await newCustomer(app);
    return { ...staff(app), ...about(id), body: { language: 'de' } };
  },
  [`POST ${CUSTOMERS}/{customerId}/archival`]: async (app) => {
    const { id } = await newCustomer(app);
    return { ...staff(app), ...about(id) };
  },
  [`POST ${CUSTOMERS}/{customerId}/merges`]: async (app) => {
    const [{ id }, duplicate] = await Promise.all([newCustomer(app), newCustomer(app)]);
    return {
      ...staff(app),
      ...about(id),
      body: { duplicateIds: [duplicate.id] },
      follows: ['customers.customer.update'],
    };
  },
  [`POST ${CUSTOMERS}/{customerId}/erasures`]: async (app) => {
    const { id: customerId } = await newCustomer(app);
    const body = { reason: 'Request by letter' };
    return { ...staff(app), parameters: { customerId }, body, subject: made('customer_erasure') };
  },
  [`POST ${CUSTOMERS}/{customerId}/erasures/{erasureId}/execution`]: async (app) => {
    const { id: customerId } = await newCustomer(app);
    const { id: erasureId } = await post(app, `${CUSTOMERS}/${customerId}/erasures`, { reason: 'Request by letter' });
    return { ...staff(app), ...inside('customer_erasure', erasureId, { customerId, erasureId }) };
  },
  [`POST ${CUSTOMERS}/{customerId}/data-exports`]: async (app) => {
    const { id } = await newCustomer(app);
    return { ...staff(app), ...about(id) };
  },
  [`POST ${CUSTOMERS}/{customerId}/consents`]: async (app) => {
    const { id } = await newCustomer(app);
    return { ...staff(app), ...about(id), body: { purpose: 'photo', granted: true, source: 'paper form' } };
  },
};
