import { newKey, newOperator } from '../connect/partners.js';
import type { TestApp } from '../setup/app.js';
import {
  DELIVERIES,
  delivered,
  disabledEndpoint,
  endpointBody,
  ENDPOINTS,
  newEndpoint,
} from '../webhooks/endpoints.js';
import { inside, made, type Prepared, type Recipe, staff } from './recipe.js';

const ofEndpoint = async (app: TestApp, endpoint = newEndpoint(app)) => {
  const endpointId = await endpoint;
  return { ...staff(app), ...inside('webhook_endpoint', endpointId, { endpointId }) };
};

const one = `${ENDPOINTS}/{endpointId}`;
const ofOperators = '/connect/v1/webhooks/endpoints';
const oneOfOperators = `${ofOperators}/{endpointId}`;

/** An endpoint that its operator changes. */
async function ofOperator(app: TestApp, endpoint = newEndpoint(app)): Promise<Prepared> {
  const [endpointId, operatorId] = [await endpoint, await newOperator(app)];
  await app.sql(
    `update webhook_endpoints set owner_kind = 'operator', owner_id = $2, event_types = '{partner_booking.changed}' where id = $1`,
    [endpointId, operatorId],
  );
  const token = await newKey(app, ['connect:*'], operatorId);
  return { token, ...inside('webhook_endpoint', endpointId, { endpointId }) };
}

export const webhooksRecipes: Record<string, Recipe> = {
  [`POST ${ENDPOINTS}`]: async (app) =>
    Promise.resolve({ ...staff(app), body: endpointBody(), subject: made('webhook_endpoint') }),
  [`PATCH ${one}`]: async (app) => ({ ...(await ofEndpoint(app)), body: { description: 'Changed' } }),
  [`DELETE ${one}`]: (app) => ofEndpoint(app),
  [`POST ${one}/secret-rotations`]: async (app) => ({ ...(await ofEndpoint(app)), body: {} }),
  [`POST ${one}/activation`]: (app) => ofEndpoint(app, disabledEndpoint(app)),
  [`POST ${one}/test-events`]: (app) => ofEndpoint(app),
  [`POST ${one}/replays`]: async (app) => ({ ...(await ofEndpoint(app)), body: { from: '2026-01-01T00:00:00Z' } }),
  [`POST ${ofOperators}`]: async (app) => ({
    token: await newKey(app, ['connect:*'], await newOperator(app)),
    body: endpointBody({ eventTypes: ['partner_booking.changed'] }),
    subject: made('webhook_endpoint'),
  }),
  [`PATCH ${oneOfOperators}`]: async (app) => ({ ...(await ofOperator(app)), body: { description: 'Changed' } }),
  [`DELETE ${oneOfOperators}`]: (app) => ofOperator(app),
  [`POST ${oneOfOperators}/secret-rotations`]: async (app) => ({ ...(await ofOperator(app)), body: {} }),
  [`POST ${oneOfOperators}/activation`]: (app) => ofOperator(app, disabledEndpoint(app)),
  [`POST ${oneOfOperators}/test-events`]: (app) => ofOperator(app),
  [`POST ${oneOfOperators}/replays`]: async (app) => ({
    ...(await ofOperator(app)),
    body: { from: '2026-01-01T00:00:00Z' },
  }),
  'POST /connect/v1/webhooks/deliveries/{deliveryId}/replays': async (app) => {
    const { deliveryId, endpointId } = await delivered(app);
    const { token = '' } = await ofOperator(app, Promise.resolve(endpointId));
    return { token, ...inside('webhook_delivery', deliveryId, { deliveryId }) };
  },
  [`POST ${DELIVERIES}/{deliveryId}/replays`]: async (app) => {
    const { deliveryId } = await delivered(app);
    return { ...staff(app), ...inside('webhook_delivery', deliveryId, { deliveryId }) };
  },
};
