/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../setup/app.js';
import {
  actingAs,
  requestToken,
  clientsOf,
  newClient,
  newGrant,
  newOperator,
  type OAuthClient,
  provision,
  errorBody,
} from './partners.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

/** A small set of areas and actions; `others` represents every area or action that no scope contains. */
const AREAS = ['bookings', 'flights'];
const ACTIONS = ['read', 'write'];
const OTHERS = 'others';

const segment = (names: string[]) => fc.constantFrom(...names, '*');
const scope = fc.oneof(
  { weight: 1, arbitrary: fc.constant('connect:*') },
  {
    weight: 9,
    arbitrary: fc.tuple(segment(AREAS), segment(ACTIONS)).map(([area, action]) => `connect:${area}:${action}`),
  },
);
const scopes = fc.uniqueArray(scope, { minLength: 1, maxLength: 4 });

/** All permissions of the scopes, computed separately instead of comparing scopes. */
function rights(granted: string[]): Set<string> {
  const allowed = granted.flatMap((one) => {
    const [, area = '', action = '*'] = one.split(':');
    return [...AREAS, OTHERS]
      .filter((name) => area === '*' || area === name)
      .flatMap((name) =>
        [...ACTIONS, OTHERS].filter((verb) => action === '*' || action === verb).map((verb) => `${name}:${verb}`),
      );
  });
  return new Set(allowed);
}

const within = (inner: Set<string>, outer: Set<string>) => [...inner].every((right) => outer.has(right));

describe('scopes of new clients and grants', () => {
  it('scopes of new clients and grants are always covered by the scopes of the caller', async () => {
    const outcomes = new Set<number>();
    const property = fc.asyncProperty(scopes, scopes, async (granted, wanted) => {
      const operatorId = await newOperator(app);
      // Without the permission to create clients the request is rejected earlier.
      const caller = await newClient(app, operatorId, { scopes: [...new Set([...granted, 'connect:flights:write'])] });
      const token = await actingAs(app, caller);

      const { status, body } = await token.post<OAuthClient & { details?: { excessScopes: string[] } }>(
        clientsOf(operatorId),
        { scopes: wanted },
      );

      outcomes.add(status);
      if (status === 201) expect(within(rights(body.scopes), rights(caller.scopes))).toBe(true);
      const each = wanted.filter((one) => !within(rights([one]), rights(caller.scopes)));
      // A wildcard is rejected even if the caller has all its current parts: later it can cover more.
      expect(body.details?.excessScopes ?? []).toEqual(expect.arrayContaining(each));
      expect(status).toBe((body.details?.excessScopes ?? []).length > 0 ? 403 : 201);
    });
    await fc.assert(property, { numRuns: 60 });
    expect([...outcomes].sort()).toEqual([201, 403]);
  }, 60_000);
});

describe('a client that creates clients', () => {
  const scopes = ['connect:bookings:*'];
  const inHours = (hours: number) => new Date(app.now().getTime() + hours * 3_600_000).toISOString();

  it('a client that creates clients passes on its grant and its end: the new clients end with it', async () => {
    const operatorId = await newOperator(app);
    const grantId = await newGrant(app, operatorId, { scopes });
    const expiresAt = inHours(5);
    const bound = await actingAs(app, await newClient(app, operatorId, { scopes, grantId, expiresAt }));

    const { status, body: child } = await bound.post<OAuthClient>(clientsOf(operatorId), { scopes });
    expect([status, child.grantId, child.expiresAt]).toEqual([201, grantId, expiresAt]);
    const sooner = await bound.post<OAuthClient>(clientsOf(operatorId), { scopes, grantId, expiresAt: inHours(1) });
    expect(sooner.status).toBe(201);

    const made = await actingAs(app, child);
    expect((await made.get(clientsOf(operatorId))).status).toBe(200);
    await provision(app, { operatorGrants: [{ id: grantId, operatorId, scopes, status: 'paused' }] });
    expect((await made.get(clientsOf(operatorId))).status).toBe(401);
    expect((await requestToken(app, child)).status).toBe(400);
  });

  it('a client that creates clients cannot gain scopes by another grant, a later end, or the secret of another client', async () => {
    const operatorId = await newOperator(app);
    const [grantId, other] = [await newGrant(app, operatorId, { scopes }), await newGrant(app, operatorId, { scopes })];
    const bound = await actingAs(app, await newClient(app, operatorId, { scopes, grantId, expiresAt: inHours(5) }));
    const free = await newClient(app, operatorId, { scopes });

    const elsewhere = await bound.post(clientsOf(operatorId), { scopes, grantId: other });
    const later = await bound.post(clientsOf(operatorId), { scopes, expiresAt: inHours(6) });
    const secret = await bound.post(`${clientsOf(operatorId)}/${free.clientId}/secrets`, {});

    expect([elsewhere.status, elsewhere.body]).toEqual([403, errorBody('forbidden')]);
    const message = 'expiresAt must not be later than the end of the credential that creates this one';
    const issues = [{ path: 'expiresAt', message, code: 'after_parent_end' }];
    const details = { issues, fields: { expiresAt: [message] } };
    expect([later.status, later.body]).toEqual([400, errorBody('invalid_request', details)]);
    expect([secret.status, secret.body]).toEqual([403, errorBody('forbidden')]);
  });
});
