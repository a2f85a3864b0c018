import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';
import { inside, made, type Recipe, type Row } from './recipe.js';

const OPERATORS = '/connect/v1/operators';
const CLIENTS = `${OPERATORS}/{operatorId}/oauth-clients`;
const GRANTS = `${OPERATORS}/{operatorId}/grants`;
const READ = { scopes: ['connect:bookings:read'] };

export const connectRecipes: Record<string, Recipe> = {
  [`POST ${OPERATORS}`]: async (app) => ({ ...platform(app), body: operator(), subject: made('operator') }),
  [`PATCH ${OPERATORS}/{operatorId}`]: async (app) => {
    const { id: operatorId } = await post(app, OPERATORS, operator());
    return { ...platform(app), ...inside('operator', operatorId, { operatorId }), body: { status: 'inactive' } };
  },
  [`POST ${GRANTS}`]: async (app) => ({ ...platform(app), body: READ, subject: made('operator_grant') }),
  [`PATCH ${GRANTS}/{grantId}`]: async (app) => {
    const { operatorId } = app.credentials;
    const { id: grantId } = await post(app, `${OPERATORS}/${operatorId}/grants`, READ);
    const place = inside('operator_grant', grantId, { operatorId, grantId });
    return { ...platform(app), ...place, body: { status: 'paused' } };
  },

  [`POST ${CLIENTS}`]: async (app) => ({ ...platform(app), body: READ, subject: made('oauth_client') }),
  [`DELETE ${CLIENTS}/{clientId}`]: async (app) => {
    const { id, place } = await newClient(app);
    return { ...platform(app), ...inside('oauth_client', id, place) };
  },
  [`POST ${CLIENTS}/{clientId}/secrets`]: async (app) => {
    const { place } = await newClient(app);
    return { ...platform(app), parameters: place, body: {}, subject: made('oauth_client_secret') };
  },
  [`DELETE ${CLIENTS}/{clientId}/secrets/{secretId}`]: async (app) => {
    const { place } = await newClient(app);
    const { id: secretId } = await post(app, `${pathOf(place)}/secrets`, {});
    return { ...platform(app), ...inside('oauth_client_secret', secretId, { ...place, secretId }) };
  },

  'PATCH /connect/v1/connector-providers/{providerKey}': async (app) => ({
    ...platform(app),
    body: { applicationFormSchema: { type: 'object' } },
    subject: () => ({ type: 'connector_provider', id: app.credentials.providerKey }),
  }),

  'POST /connect/v1/realtime/subscriptions': async (app) => ({
    ...platform(app),
    body: { channels: ['demo.news'] },
    subject: null,
  }),
  'POST /connect/v1/oauth/token': async (app) => {
    const { credentials } = await newClient(app);
    return { body: { ...credentials, grant_type: 'client_credentials' }, subject: null };
  },
  'POST /connect/v1/oauth/introspect': async (app) => {
    const { credentials } = await newClient(app);
    return { body: { ...credentials, token: 'oat_unknown' }, subject: null };
  },
  'POST /connect/v1/oauth/revoke': async (app) => {
    const { credentials } = await newClient(app);
    return { body: { ...credentials, token: await tokenOf(app, credentials) }, subject: null };
  },
};

const operator = () => ({ id: `op_${randomUUID()}`, name: 'Operator of a recipe' });

function platform(app: TestApp): { token: string; parameters: Record<string, string> } {
  const { platformKey: token, operatorId, providerKey } = app.credentials;
  return { token, parameters: { operatorId, providerKey } };
}

type Place = { operatorId: string; clientId: string };
const pathOf = ({ operatorId, clientId }: Place) => `${OPERATORS}/${operatorId}/oauth-clients/${clientId}`;

interface Credentials {
  client_id: string;
  client_secret: string;
}

async function newClient(app: TestApp): Promise<{ id: string; place: Place; credentials: Credentials }> {
  const { operatorId } = app.credentials;
  const client = await post(app, `${OPERATORS}/${operatorId}/oauth-clients`, READ);
  const clientId = String(client['clientId']);
  const credentials = { client_id: clientId, client_secret: String(client['clientSecret']) };
  return { id: client.id, place: { operatorId, clientId }, credentials };
}

async function tokenOf(app: TestApp, credentials: Credentials): Promise<string> {
  const answer = await post(app, '/connect/v1/oauth/token', { ...credentials, grant_type: 'client_credentials' });
  return String(answer['access_token']);
}

async function post(app: TestApp, path: string, body: object): Promise<Row> {
  const answer = await app.as('platform').post<Row>(path, body);
  if (answer.status >= 300) throw new Error(`POST ${path} was refused: ${answer.text}`);
  return answer.body;
}
