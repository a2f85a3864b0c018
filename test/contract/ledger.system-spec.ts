import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { domainEvents, eventTable } from '../../src/bootstrap/domain-events.js';
import { eventually } from '../launcher/wait.js';
import { read } from '../realtime/channel.js';
import { startApp, type TestApp } from '../setup/app.js';
import { eventMakers } from './event-makers.js';
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

describe('the ledger entries of a successful call', () => {
  it.each(calls)(
    '%s writes one entry with its action, actor, request id and subject, and those of further effects',
    async (route, prepare) => {
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
    },
  );
});

describe('the published events', () => {
  const declared = domainEvents.flatMap(({ events, ...group }) => events.map((event) => ({ event, ...group })));

  it.each(Object.entries(eventMakers))('%s is published', async (events, make) => {
    await make(app);
    for (const event of events.split(', ')) await eventually(async () => (await newest(event)) ?? null);
  });

  it.each(declared)(
    '$event is published on each of its channels, with its members and no others',
    async ({ event, ...group }) => {
      const { data } = await eventually(async () => (await newest(event)) ?? null);
      const channels = channelsOf(group.channels, data);
      expect(channels).not.toEqual([]);

      for (const channel of channels) {
        const { messages } = await read(app.as('platform'), channel, 'limit=1000');
        const published = messages.filter((message) => message.event === event).map((message) => message.data);
        expect([channel, published]).toEqual([
          channel,
          expect.arrayContaining([{ ...data, id: expect.stringMatching(/^evt_/) }]),
        ]);
      }
      expect(Object.keys(data).sort()).toEqual([...group.members, 'id'].sort());
    },
  );

  it('no event is published on a channel that is not declared', async () => {
    const published = await app.sql<{ event: string; channel: string; data: Row }>(
      `select distinct on (event, regexp_replace(name, '_[a-z0-9]{26}$', '')) event, name as channel, data
       from realtime_messages join realtime_channels as c on c.id = channel_id
       where data->>'id' like 'evt\\_%' and name not like 'test.%'`,
    );
    const undeclared = published.filter(({ event, channel, data }) => {
      return !declared.some((one) => one.event === event && channelsOf(one.channels, data).includes(channel));
    });
    expect(undeclared).toEqual([]);
    expect(published.length).toBeGreaterThanOrEqual(declared.length);
  });

  it('docs/events.md is what npm run docs writes', () => {
    expect(readFileSync('docs/events.md', 'utf8')).toBe(eventTable());
  });
});

async function newest(event: string): Promise<{ data: Row } | undefined> {
  const [row] = await app.sql<{ data: Row }>(
    `select data from realtime_messages where event = $1 order by id desc limit 1`,
    [event],
  );
  return row;
}

/** The channels on which an event with these members is published. */
function channelsOf(templates: readonly string[], facts: Row): string[] {
  return templates.flatMap((template) => {
    const [placeholder, member = ''] = /\{(\w+)\}/.exec(template) ?? [];
    if (placeholder === undefined) return [template];
    const id = facts[member];
    return typeof id === 'string' ? [template.replace(placeholder, id)] : [];
  });
}

function pathOf(template: string, { parameters = {} }: Prepared): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? name));
}

async function expected(operation: Placed, call: Prepared, body: Row | { data: Row }): Promise<object> {
  const answered = unwrapped(body);
  const subject = await call.subject?.(answered);
  const actor = call.actorId
    ? { type: 'user', id: call.actorId(answered) }
    : await actorOf(call.token ?? String(answered['token']));
  return {
    action: call.action ?? operation['x-ledger-action'],
    actor_type: actor?.type,
    actor_id: actor?.id,
    subject_type: subject?.type,
    subject_id: subject?.id,
  };
}

/** The owner of a credential `<kind>_<public id>_<secret>`, according to the tables. */
async function actorOf(token: string): Promise<{ type: string; id: string } | undefined> {
  const actors = await app.sql<{ type: string; id: string }>(
    `select 'user' as type, user_id as id from staff_sessions where public_id = $1
     union all select 'api_key', id from api_tokens where public_id = $1`,
    [token.split('_')[1]],
  );
  return actors[0];
}
