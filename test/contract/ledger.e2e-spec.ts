import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { financeVariants } from './finance-recipes.js';
import { recipes } from './ledger-recipes.js';
import { type Prepared, type Row, unwrapped } from './recipe.js';
import { operationsOf, type Placed, readDocument } from './served-document.js';

const READING = ['GET', 'HEAD'];
const WITH_LEDGER = /^\/(v1\/admin|connect\/v1)\//;
const calls = Object.entries({ ...recipes, ...financeVariants });

let app: TestApp;
let mutating: Placed[];
beforeAll(async () => {
  app = await startApp();
  const operations = operationsOf(await readDocument(app));
  mutating = operations.filter(({ method, path }) => !READING.includes(method) && WITH_LEDGER.test(path));
});

it('every mutating route of the staff and connect surfaces has a recipe, and every recipe a route', () => {
  expect(mutating.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(recipes).sort());
});

describe('a successful call writes one entry with its action, actor, request id and subject, and those of what follows', () => {
  it.each(calls)('%s', async (route, prepare) => {
    const [method = '', template = ''] = route.split(' ');
    const operation = mutating.find((found) => found.method === method && found.path === template);
    const call = await prepare(app);
    const requestId = `ledger-contract-${calls.findIndex(([name]) => name === route)}`;

    const answer = await app.request<Row | { data: Row }>(method, pathOf(template, call), {
      ...(call.body ? { body: call.body } : {}),
      ...(call.token ? { token: call.token } : {}),
      headers: { 'X-Request-Id': requestId },
    });

    expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
    const written = await app.sql<{ action: string; actor_id: string }>(
      `select action, actor_type, actor_id, subject_type, subject_id from action_ledger_entries
       where correlation_id = $1`,
      [requestId],
    );
    const { follows = [] } = call;
    const following = written.filter(({ action }) => follows.includes(action));
    const own = written.filter((entry) => !following.includes(entry));
    expect(own).toEqual(operation?.['x-ledger-action'] ? [await expected(operation, call, answer.body)] : []);
    expect(following.map(({ action }) => action).sort()).toEqual([...follows].sort());
    expect(following.filter(({ actor_id }) => actor_id !== own[0]?.actor_id)).toEqual([]);
    expect(call.subject === null).toBe(operation?.['x-ledger-action'] === undefined);
  });
});

function pathOf(template: string, { parameters = {} }: Prepared): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? name));
}

async function expected(operation: Placed, call: Prepared, body: Row | { data: Row }): Promise<object> {
  const answered = unwrapped(body);
  const subject = await call.subject?.(answered);
  const actor = await actorOf(call.token ?? String(answered['token']));
  return {
    action: call.action ?? operation['x-ledger-action'],
    actor_type: actor?.type,
    actor_id: actor?.id,
    subject_type: subject?.type,
    subject_id: subject?.id,
  };
}

/** Whose a credential `<kind>_<public id>_<secret>` is, as the tables say. */
async function actorOf(token: string): Promise<{ type: string; id: string } | undefined> {
  const actors = await app.sql<{ type: string; id: string }>(
    `select 'user' as type, user_id as id from staff_sessions where public_id = $1
     union all select 'api_key', id from api_tokens where public_id = $1`,
    [token.split('_')[1]],
  );
  return actors[0];
}
