import { newRule, RULES, rule } from '../notifications/reminders.js';
import { made, on, type Recipe, staff } from './recipe.js';

export const notificationsRecipes: Record<string, Recipe> = {
  [`POST ${RULES}/compose`]: async (app) => ({ ...staff(app), body: rule(), subject: made('reminder_rule') }),
  [`PATCH ${RULES}/{id}`]: async (app) => {
    const { id } = await newRule(app);
    return { ...staff(app), ...on('reminder_rule', id), body: { enabled: false } };
  },
  [`POST ${RULES}/{id}/simulations`]: async (app) => {
    const { id } = await newRule(app);
    return { ...staff(app), parameters: { id }, body: { date: '2026-12-01' }, subject: null };
  },
};
