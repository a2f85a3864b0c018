import { beforeAll, describe, expect, it } from '@jest/globals';
import { newCredential } from '../../src/platform/ids/credentials.js';
import {
  actingAs,
  clientsOf,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  uniqueName,
} from '../connect/partners.js';
import { confirmedBooking } from '../bookings/bookings.js';
import type { Placed } from '../contract/served-document.js';
import { departureIn } from '../distribution/allotments/allotments.js';
import { newConnection } from '../octo/connections.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import { publish } from '../realtime/channel.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';
import { contents } from '../setup/tables.js';
import { encrypted } from '../vault/vaults.js';
import { needsSubscription } from '../fuzz/draft.js';
import { guardedOperations, nameOf, pathWith, surfaceOf } from './calls.js';

/** The resources of an operator, by the names of the path parameters of the API document. */
type Estate = Record<string, string> & { operatorId: string; channel: string; vaultSlug: string };

/** Not resources of an operator: the number of a key version, and reference data, which all operators share. */
const SHARED = { version: '1', code: 'de', source: 'reviewsite' };
const SURFACES = ['connect', 'vault', 'realtime', 'data'];
const SCOPES = [
  'connect:*',
  'vault:write',
  'vault:read',
  'vault:keys',
  'realtime:subscribe',
  'realtime:publish',
  'data:geo:read',
  'data:hotels:read',
];

let app: TestApp;
let operations: Placed[];
let theirs: Estate;
let ours: Estate;
let owner: TestClient;
let ourToken: string;
let intruders: [string, TestClient][];

/** An operator with one resource of each kind. */
async function settle(): Promise<{ estate: Estate; token: string; client: OAuthClient }> {
  const { token } = newCredential('tpk');
  const operatorId = await newOperator(app);
  const grantId = await newGrant(app, operatorId, { scopes: ['connect:*'] });
  const client = await newClient(app, operatorId, { scopes: ['connect:*'], grantId });
  const rotated = await app
    .as('platform')
    .post<{ id: string }>(`${clientsOf(operatorId)}/${client.clientId}/secrets`, {});
  const [providerKey, vaultSlug] = [uniqueName('p').replace('_', '-'), uniqueName('v').replace('_', '-')];
  await provision(app, {
    connectorProviders: [{ key: providerKey, name: 'Of an operator', capabilities: [], operatorId }],
    vaults: [{ slug: vaultSlug, operatorId }],
    platformKeys: [{ name: uniqueName('key'), scopes: SCOPES, operatorId, token }],
  });
  const key = app.with(token);
  const ciphertext = await encrypted(key, vaultSlug, 'secret');
  const channel = `${operatorId}.news`;
  await publish(key, channel, { ciphertext });
  const endpoint = { url: 'http://127.0.0.1:9/', eventTypes: ['partner_booking.changed'] };
  const { body: created } = await key.post<{ id: string }>('/connect/v1/webhooks/endpoints', endpoint);
  const { body: delivery } = await key.post<{ id: string }>(`/connect/v1/webhooks/endpoints/${created.id}/test-events`);
  const ofWebhooks = { endpointId: created.id, deliveryId: delivery.id };
  const ids = { operatorId, grantId, clientId: client.clientId, secretId: rotated.body.id, providerKey, ...ofWebhooks };
  return { estate: { ...ids, ...(await sold(operatorId)), vaultSlug, channel, ...SHARED }, token, client };
}

/** A booking of the channel of the operator's only connection, and a departure of the only product that it sells. */
async function sold(operatorId: string): Promise<{ bookingId: string; departureId: string }> {
  const staff = app.as('owner');
  const { id: productId } = await newProduct(app);
  await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
  expect((await staff.post(`${PRODUCTS}/${productId}/activation`)).status).toBe(200);
  const { id: departureId } = await departureIn(app, 30, { productId });
  const { channelId } = await newConnection(app, { operatorId, catalogue: 'listed', productIds: [productId] });
  const { booking } = await confirmedBooking(staff, { booking: { channelId } });
  return { bookingId: booking.id, departureId };
}

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  operations = (await guardedOperations(app)).filter(
    (operation) => SURFACES.includes(surfaceOf(operation)) && !needsSubscription(operation),
  );
  const [one, other] = [await settle(), await settle()];
  // The vault stores its audit up to half a second after the response, which must not look like an effect of an intruder.
  const audited = `select distinct vault_id from vault_audit join vaults on vaults.id = vault_id
    where slug = any($1) and operation = 'encrypt'`;
  const slugs = [one.estate.vaultSlug, other.estate.vaultSlug];
  while ((await app.sql(audited, [slugs])).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  [theirs, ours, owner] = [one.estate, other.estate, app.with(one.token)];
  ourToken = other.token;
  intruders = [
    ['a platform key', app.with(other.token)],
    ['an access token', await actingAs(app, other.client)],
  ];
});

const namesIn = ({ path }: Placed) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The API document has a valid body for each operation, so only the resources in the path can be the reason of an error. */
function call(client: TestClient, operation: Placed, values: Record<string, string>) {
  const [media] = Object.values(operation.requestBody?.content ?? {});
  return client.request(operation.method, pathWith(operation, values), { body: media?.example });
}

/** Returns status, headers and body without the parts that differ between any two responses. */
function shapeOf({ status, headers, body }: Answer): unknown {
  const { date: _, 'x-request-id': __, ratelimit: ___, ...same } = headers;
  const content: unknown =
    typeof body === 'object' && body !== null && 'requestId' in body ? { ...body, requestId: null } : body;
  return { status, headers: same, body: content };
}

const unknownOf = (values: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, theirs[name] === value ? twin(value) : value]),
  );

/** A value of the same form that no resource has. */
const twin = (value: string) =>
  value === '1' ? value : value.slice(0, -6) + (value.endsWith('000000') ? '1' : '0').repeat(6);

/** Every combination of the resources of both operators in the path with at least one of theirs. */
function trespasses(operation: Placed): Record<string, string>[] {
  const combinations = namesIn(operation).reduce<Record<string, string>[]>(
    (all, name) =>
      all.flatMap((values) =>
        [...new Set([theirs[name], ours[name]])].map((value = '') => ({ ...values, [name]: value })),
      ),
    [{}],
  );
  const isTheirs = (values: Record<string, string>) =>
    Object.entries(values).some(([name, value]) => !(name in SHARED) && theirs[name] === value);
  return combinations.filter(isTheirs);
}

/** The expected response to the holder of a bound credential for a resource of another operator. */
function expectedFor({ path }: Placed): { status: number } {
  // The name of a channel determines its owner, so 403 reveals nothing.
  return { status: path.startsWith('/realtime/') ? 403 : 404 };
}

describe('the resources of another operator', () => {
  it('have a value in this test for every path parameter of connect, vault, realtime and data', () => {
    const names = [...new Set(operations.flatMap(namesIn))];
    expect(names.filter((name) => theirs[name] === undefined)).toEqual([]);
  });

  it('the resources of another operator are like missing ones in every operation, whose call changes nothing', async () => {
    const before = await contents(app);
    const called = new Set<string>();
    for (const operation of operations) {
      for (const values of trespasses(operation)) {
        for (const [whose, intruder] of intruders) {
          if (whose === 'an access token' && surfaceOf(operation) !== 'connect') continue;
          const place = `${nameOf(operation)} ${JSON.stringify(values)} with ${whose}`;
          const answer = await call(intruder, operation, values);
          const { status } = expectedFor(operation);
          expect([place, answer.status]).toEqual([place, status]);
          // An unknown slug is created where VAULT_UPSERT is on; the tests of the vault cover a foreign one.
          const creates = nameOf(operation) === 'POST /vault/v1/{vaultSlug}/encrypt';
          if (!creates) expect(shapeOf(answer)).toEqual(shapeOf(await call(intruder, operation, unknownOf(values))));
          called.add(nameOf(operation));
        }
      }
    }
    expect(await contents(app)).toEqual(before);
    const withResource = operations.filter((operation) => namesIn(operation).some((name) => !(name in SHARED)));
    expect([...called].sort()).toEqual(withResource.map(nameOf).sort());
  }, 180_000);

  it('the resources of another operator are in no list', async () => {
    const secrets = Object.values(theirs).filter((value) => !Object.values(SHARED).includes(value));
    for (const operation of operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
      for (const [whose, intruder] of intruders) {
        if (whose === 'an access token' && surfaceOf(operation) !== 'connect') continue;
        const { status, text } = await call(intruder, operation, {});
        const place = `${nameOf(operation)} with ${whose}`;
        expect([place, status, secrets.filter((id) => text.includes(id))]).toEqual([place, 200, []]);
      }
    }
  });

  it('cannot be followed as a live stream', async () => {
    const { status } = await app.with(ourToken).get(`/realtime/v1/channels/${theirs.channel}/events`);
    expect(status).toBe(403);
  });

  it('the resources of another operator are found by every operation with the key of their operator, so the calls of this test are valid', async () => {
    const inOrder = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
    const found = operations
      .filter((operation) => trespasses(operation).length > 0)
      // The body of a grant or a key version refers to demo data; deletions come last, first parts and then wholes.
      .sort((a, b) => inOrder.indexOf(a.method) - inOrder.indexOf(b.method) || b.path.length - a.path.length);
    for (const operation of found) {
      const { status } = await call(owner, operation, theirs);
      const isMissing = status === 404 && nameOf(operation) !== 'POST /connect/v1/operators/{operatorId}/oauth-clients';
      expect([nameOf(operation), isMissing]).toEqual([nameOf(operation), false]);
    }
  });
});
