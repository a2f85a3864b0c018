import type { TestApp } from '../setup/app.js';
import {
  DELIVERIES,
  delivered,
  disabledEndpoint,
  endpointBody,
  ENDPOINTS,
  newEndpoint,
} from '../webhooks/endpoints.js';
import { inside, made, type Recipe, staff } from './recipe.js';

const ofEndpoint = async (app: TestApp, endpoint = newEndpoint(app)) => {
  const endpointId = await endpoint;
  return { ...staff(app), ...inside('webhook_endpoint', endpointId, { endpointId }) };
};

const one = `${ENDPOINTS}/{endpointId}`;

export const webhooksRecipes: Record<string, Recipe> = {
  [`POST ${ENDPOINTS}`]: async (app) =>
    Promise.resolve({ ...staff(app), body: endpointBody(), subject: made('webhook_endpoint') }),
  [`PATCH ${one}`]: async (app) => ({ ...(await ofEndpoint(app)), body: { description: 'Changed' } }),
  [`DELETE ${one}`]: (app) => ofEndpoint(app),
  [`POST ${one}/secret-rotations`]: async (app) => ({ ...(await ofEndpoint(app)), body: {} }),
  [`POST ${one}/activation`]: (app) => ofEndpoint(app, disabledEndpoint(app)),
  [`POST ${one}/test-events`]: (app) => ofEndpoint(app),
  [`POST ${one}/replays`]: async (app) => ({ ...(await ofEndpoint(app)), body: { from: '2026-01-01T00:00:00Z' } }),
  [`POST ${DELIVERIES}/{deliveryId}/replays`]: async (app) => {
    const { deliveryId } = await delivered(app);
    return { ...staff(app), ...inside('webhook_delivery', deliveryId, { deliveryId }) };
  },
};
