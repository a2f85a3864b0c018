import { newConnection, octoConnection, CONNECTIONS } from '../octo/connections.js';
import { made, on, type Recipe, staff } from './recipe.js';

export const octoRecipes: Record<string, Recipe> = {
  [`POST ${CONNECTIONS}`]: async (app) => ({
    ...staff(app),
    body: await octoConnection(app),
    subject: made('octo_connection'),
  }),
  [`PATCH ${CONNECTIONS}/{id}`]: async (app) => {
    const { id } = await newConnection(app);
    return { ...staff(app), ...on('octo_connection', id), body: { holdMinutes: 20 } };
  },
};
