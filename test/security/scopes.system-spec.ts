import type { Answer } from '../setup/http.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { apiDocumentContent } from '../../src/document/api-document.js';
import { buildDocument } from '../../src/platform/openapi/document.js';
import { PLATFORM_SCOPES, STAFF_MODULES, STAFF_SCOPES } from '../../src/platform/auth/scopes.js';
import { scopeTable } from '../../src/document/scope-table.js';
import { actingAs, newClient, newOperator, uniqueName, withKey } from '../connect/partners.js';
import type { Placed } from '../contract/served-document.js';
import { hire } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenWith } from '../setup/staff-token.js';
import { contents } from '../setup/tables.js';
import { needsSubscription } from '../fuzz/draft.js';
import { callInVain, fewAtATime, expectForbidden, guardedOperations, nameOf, surfaceOf } from './calls.js';

const ROLES = ['owner', 'manager', 'finance', 'operations', 'sales', 'viewer'];
const SPECIAL = [
  'finance:approve',
  'finance:void',
  'finance:numbering',
  'finance:close',
  'finance:refund',
  'finance:receivables',
  'bookings:override',
  'customers:sensitive',
  'customers:privacy',
  'action-ledger:reverse',
];
const CONNECT_SCOPES = [
  'connect:*',
  ...['bookings', 'events', 'oauth-clients', 'operators', 'grants', '*'].flatMap((area) =>
    ['read', 'write', 'delete', 'writer', '*'].map((action) => `connect:${area}:${action}`),
  ),
  ...['commissions', 'departures', 'webhooks'].map((area) => `connect:${area}:read`),
  'connect:webhooks:manage',
];
/** No endpoint and no provisioning accepts these; a row that contains one grants nothing. */
const MEANINGLESS = [
  'connect:bookings',
  'connect',
  '*:write',
  'vault:*',
  'vault',
  'data:geo:*',
  'data:*:read',
  'realtime:*',
];

let app: TestApp;
let operations: Placed[];

/**
 * Returns the callers that meet a requirement, implemented independently, because the test checks the comparison of the
 * service.
 */
function meets(granted: string, required: string): boolean {
  if (required.startsWith('*:')) {
    const [prefix, area, action] = granted.split(':');
    const isWhole = granted === 'connect:*';
    return prefix === 'connect' && (isWhole || (area !== undefined && [required.slice(2), '*'].includes(action ?? '')));
  }
  if (required.startsWith('connect:')) {
    const [, area, action] = required.split(':');
    return ['connect:*', `connect:${area}:*`, `connect:*:${action}`, 'connect:*:*', required].includes(granted);
  }
  if (required === 'finance:receivables' && ['finance:read', 'finance:*'].includes(granted)) return true;
  const [module = ''] = required.split(':');
  const isPlain = STAFF_MODULES.some((known) => known === module) && !SPECIAL.includes(required);
  return (
    granted === required ||
    (granted === '*' && STAFF_SCOPES.includes(required)) ||
    (isPlain && granted === `${module}:*`)
  );
}

/** An expensive operation rejects calls beyond its limit after the scope check. */
function isBusy({ status, text }: Answer): boolean {
  return status === 503 && text.includes('"overloaded"');
}

/** After the scope check, account settings require a session. */
function needsSession({ status, text }: Answer): boolean {
  return status === 403 && text.includes('"session_required"');
}

/** After the scope check, what belongs to an operator requires a credential of one. */
function needsOperator({ status, text }: Answer): boolean {
  return status === 403 && text.includes('bound to an operator');
}

/** Whether the call was let in, although another rule may reject it. */
function isLetIn(answer: Answer): boolean {
  const isAnswered = [200, 400, 404, 412, 422].includes(answer.status);
  return isAnswered || isBusy(answer) || needsSession(answer) || needsOperator(answer);
}

/**
 * Calls each operation as each caller. `allowed` returns whether a caller, by its name, is permitted. If there is a
 * client with several scopes, the ones unrelated to the requirement of the operation are tested together: a client with
 * all of them is rejected, so each of them alone is.
 */
async function callAll(
  called: Placed[],
  callers: ReadonlyMap<string, TestClient>,
  { allowed, together }: { allowed: (caller: string, operation: Placed) => boolean; together?: Together },
): Promise<{ letIn: number; rejected: number }> {
  const counted = { letIn: 0, rejected: 0 };
  for (const operation of called) {
    const wrong: string[] = [];
    const required = operation['x-required-scope'] ?? '';
    const far = together ? farFrom(operation, [...callers.keys()]) : [];
    const each = async (name: string, client: TestClient) => {
      const answer = await callInVain(client, operation);
      if (!allowed(name, operation)) {
        expectForbidden(answer, surfaceOf(operation), required);
        counted.rejected += 1;
      } else if (isLetIn(answer)) {
        counted.letIn += 1;
      } else {
        wrong.push(`${nameOf(operation)} with ${name}: ${answer.status} ${answer.text}`);
      }
    };
    const alone = [...callers].filter(([name]) => !far.includes(name));
    await fewAtATime(
      alone.map(
        ([name, client]) =>
          () =>
            each(name, client),
      ),
    );
    if (together && far.length > 0) {
      expectForbidden(await callInVain(await together(far), operation), surfaceOf(operation), required);
      counted.rejected += far.length;
    }
    expect(wrong).toEqual([]);
  }
  return counted;
}

/** A client with all of these scopes. */
type Together = (scopes: string[]) => Promise<TestClient>;

/** The same client for the same scopes. */
function remembered(make: Together): Together {
  const made = new Map<string, Promise<TestClient>>();
  return (scopes) => {
    const key = scopes.join(' ');
    const client = made.get(key) ?? make(scopes);
    made.set(key, client);
    return client;
  };
}

/** Omits scopes that a wildcard in the list covers, because a token holds at most 64 scopes. */
function farFrom(operation: Placed, scopes: readonly string[]): string[] {
  const far = scopes.filter(
    (scope) => !byScope(scope, operation) && !isNear(scope, operation['x-required-scope'] ?? ''),
  );
  return far.filter((scope) => !far.some((wildcard) => wildcard !== scope && meets(wildcard, scope)));
}

/** Matches scopes of the same module or area, wildcard scopes, and scopes of the same action within connect. */
function isNear(granted: string, required: string): boolean {
  const [module, area, action] = granted.split(':');
  const [ofModule, ofArea, ofAction] = required.startsWith('*:')
    ? ['connect', '*', required.slice(2)]
    : required.split(':');
  if (module !== 'connect' || ofModule !== 'connect') return module === ofModule || granted.startsWith('*');
  return area === '*' || area === ofArea || action === ofAction;
}

async function callersBy(scopes: readonly string[], make: (scope: string) => Promise<TestClient>) {
  const callers = new Map<string, TestClient>();
  for (const scope of scopes) callers.set(scope, await make(scope));
  return callers;
}

/** Creates the clients with several scopes beforehand: no other data may change during the calls. */
async function makeAll(together: Together, called: Placed[], scopes: readonly string[]): Promise<void> {
  for (const operation of called) {
    const far = farFrom(operation, scopes);
    if (far.length > 0) await together(far);
  }
}

const byScope = (granted: string, { 'x-required-scope': required }: Placed) =>
  required === undefined || meets(granted, required);

/** Returns the scopes that are permitted by some operation and rejected by another. */
const on = (...surfaces: string[]) => operations.filter((operation) => surfaces.includes(surfaceOf(operation)));

describe('the scopes that operations require', () => {
  beforeAll(async () => {
    app = await startApp({ env: { JOBS: 'false' } });
    operations = (await guardedOperations(app)).filter((operation) => !needsSubscription(operation));
    // The first list that does not end signs a cursor, for which a key is created.
    await app.as('owner').get('/v1/admin/action-ledger/entries?limit=1');
  });

  it('every operation requires an existing scope, on every surface', () => {
    const required = new Set(operations.flatMap((operation) => operation['x-required-scope'] ?? []));
    const known = [...STAFF_SCOPES, ...PLATFORM_SCOPES, ...CONNECT_SCOPES, '*:read', '*:write', '*:delete'];
    expect([...required].filter((scope) => !known.includes(scope))).toEqual([]);
    expect(new Set(operations.map(surfaceOf))).toEqual(new Set(['staff', 'connect', 'vault', 'realtime', 'data']));
  });

  it('staff tokens with each scope of the staff surface can call exactly the operations that require it', async () => {
    const together = remembered(async (scopes) => app.with(await tokenWith(app, scopes)));
    const callers = await callersBy(STAFF_SCOPES, (scope) => together([scope]));
    await makeAll(together, on('staff'), STAFF_SCOPES);
    const before = await contents(app);
    const { letIn, rejected } = await callAll(on('staff'), callers, { allowed: byScope, together });
    expect(await contents(app)).toEqual(before);
    expect([letIn + rejected, letIn > 0, rejected > letIn]).toEqual([
      on('staff').length * STAFF_SCOPES.length,
      true,
      true,
    ]);
  });

  it('platform keys with each scope of the platform surfaces can call exactly the operations that require it', async () => {
    const scopes = [...PLATFORM_SCOPES, ...CONNECT_SCOPES];
    const together = remembered((granted) => withKey(app, granted));
    const callers = await callersBy(scopes, (scope) => together([scope]));
    const called = on('connect', 'vault', 'realtime', 'data');
    await makeAll(together, called, scopes);
    const before = await contents(app);
    const { letIn, rejected } = await callAll(called, callers, { allowed: byScope, together });
    expect(await contents(app)).toEqual(before);
    expect([letIn + rejected, letIn > 0, rejected > letIn]).toEqual([called.length * scopes.length, true, true]);
  });

  it('access tokens with each connect scope can call exactly the operations that require it', async () => {
    const operatorId = await newOperator(app);
    const make = async (scope: string) => actingAs(app, await newClient(app, operatorId, { scopes: [scope] }));
    const callers = await callersBy(CONNECT_SCOPES, make);
    const before = await contents(app);
    const { letIn, rejected } = await callAll(on('connect'), callers, { allowed: byScope });
    expect(await contents(app)).toEqual(before);
    expect([letIn > 0, rejected > 0]).toEqual([true, true]);
  });

  it('an unknown scope permits nothing, even if a row contains it', async () => {
    const callers = await callersBy(MEANINGLESS, async (scope) => {
      const marker = uniqueName('connect');
      const client = await withKey(app, [`connect:${marker.replace('_', '-')}:read`]);
      await app.sql('update api_tokens set scopes = $1 where scopes = $2', [
        [scope],
        [`connect:${marker.replace('_', '-')}:read`],
      ]);
      return client;
    });
    const called = on('connect', 'vault', 'realtime', 'data');
    const { letIn, rejected } = await callAll(called, callers, { allowed: () => false });
    expect([letIn, rejected]).toEqual([0, called.length * MEANINGLESS.length]);
  });
});

describe('docs/scopes.md', () => {
  const written = readFileSync('docs/scopes.md', 'utf8');

  it('docs/scopes.md is what npm run docs writes', () => {
    expect(written).toBe(scopeTable(buildDocument(app.nest, apiDocumentContent())));
  });

  it('docs/scopes.md lists for each role its permissions, and a session of the role has exactly these', async () => {
    const rows = new Map(
      [...written.matchAll(/^\| `([A-Z]+ \/v1\/admin\/\S+)` \| \S+ \| (.*) \|$/gm)].map(([, call = '', cells = '']) => [
        call,
        cells.split('|').map((cell) => cell.trim() === 'yes'),
      ]),
    );
    const callers = await callersBy(ROLES, async (role) => (await hire(app, [role])).client);
    const allowed = (role: string, operation: Placed) => rows.get(nameOf(operation))?.[ROLES.indexOf(role)] ?? false;
    const { letIn, rejected } = await callAll(on('staff'), callers, { allowed });
    expect(letIn + rejected).toBe(rows.size * ROLES.length);
    expect([letIn > 0, rejected > 0]).toEqual([true, true]);
  });
});
