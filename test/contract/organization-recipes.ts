import { png } from '../organization/logos.js';
import { type Recipe, staff } from './recipe.js';

const ORGANIZATION = '/v1/admin/organization';
const profile = () => ({ type: 'organization_profile', id: 'organization' });

export const organizationRecipes: Record<string, Recipe> = {
  [`PATCH ${ORGANIZATION}/profile`]: async (app) => ({
    ...staff(app),
    body: { tradeName: 'Alpine Tours' },
    subject: profile,
  }),
  [`PATCH ${ORGANIZATION}/settings`]: async (app) => ({
    ...staff(app),
    body: { unknownStepMinutes: 15 },
    subject: () => ({ type: 'organization_settings', id: 'organization' }),
  }),
  [`PUT ${ORGANIZATION}/logo`]: async (app) => ({ ...staff(app), body: png(), subject: profile }),
  [`DELETE ${ORGANIZATION}/logo`]: async (app) => {
    await app.as('owner').put(`${ORGANIZATION}/logo`, png());
    return { ...staff(app), subject: profile };
  },
};
