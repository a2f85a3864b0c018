import { CUSTOMERS, customer, newCustomer } from '../customers/customers.js';
import { inside, made, type Recipe, staff } from './recipe.js';

const about = (id: string) => inside('customer', id, { customerId: id });

export const customersRecipes: Record<string, Recipe> = {
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
  [`POST ${CUSTOMERS}/{customerId}/consents`]: async (app) => {
    const { id } = await newCustomer(app);
    return { ...staff(app), ...about(id), body: { purpose: 'photo', granted: true, source: 'paper form' } };
  },
};
