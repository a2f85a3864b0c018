import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import {
  change,
  CHANNELS,
  type Channel,
  invalid,
  NAME_TAKEN,
  newChannel,
  NOT_FOUND,
  read,
  errorBody,
  unique,
} from './channels.js';

const STATUSES = ['pending', 'active', 'inactive', 'archived'] as const;
type Status = (typeof STATUSES)[number];

const MOVES: Record<Status, Status[]> = {
  pending: ['active', 'archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
};

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

async function channelIn(status: Status): Promise<Channel> {
  const channel = await newChannel(app, status === 'archived' ? {} : { status });
  if (status === 'archived') await change(staff, channel.id, { status });
  return read(app, channel.id);
}

describe('PATCH /v1/admin/distribution/channels/{id}', () => {
  const FIELDS = {
    description: 'As it was',
    kind: 'ota',
    status: 'pending',
    website: 'https://example.com',
    contactName: 'Petra Keller',
    contactEmail: 'petra@example.com',
    metadata: { region: 'DACH' },
  };

  it.each([
    ['description', 'Changed'],
    ['name', unique('Renamed')],
    ['kind', 'affiliate'],
    ['status', 'active'],
    ['website', 'example.org'],
    ['contactName', 'Olga'],
    ['contactEmail', 'olga@example.com'],
    ['metadata', { other: 1 }],
    ['description', null],
    ['website', null],
    ['website', ''],
    ['contactName', null],
    ['contactEmail', ''],
    ['metadata', null],
  ])('{%s: %j} changes only that field, updatedAt and version of a channel', async (field, value) => {
    const before = await newChannel(app, FIELDS);
    app.travel({ ms: 5 });

    const answer = await change(staff, before.id, { [field]: value });

    const { data } = answer.body;
    expect(answer.status).toBe(200);
    const changed = { [field]: value === '' ? null : value, version: 2, updatedAt: data.updatedAt };
    expect(data).toEqual({ ...before, ...changed });
    expect(data.updatedAt > before.updatedAt).toBe(true);
    expect(answer.headers['etag']).toBe('"2"');
    expect(await read(app, before.id)).toEqual(data);
  });

  it('a channel change with unknown members or an id is rejected with 400 and changes nothing', async () => {
    const { id } = await newChannel(app);
    const unknown = (path: string) => ({ path, message: `${path} is not recognized`, code: 'unknown_member' });

    const answer = await change(staff, id, { id, systemKey: 'direct' });

    expect([answer.status, answer.body]).toEqual([400, invalid(answer, [unknown('id'), unknown('systemKey')])]);
    expect((await read(app, id)).version).toBe(1);
  });

  it('the name of another channel is rejected with 409, its own name in another case is not', async () => {
    const [first, second] = [await newChannel(app), await newChannel(app)];

    const conflict = await change(staff, second.id, { name: first.name.toUpperCase() });
    const own = await change(staff, second.id, { name: second.name.toUpperCase() });

    expect([conflict.status, conflict.body]).toEqual([409, errorBody(conflict, NAME_TAKEN)]);
    expect([own.status, own.body.data.name]).toEqual([200, second.name.toUpperCase()]);
  });

  it('a channel and its contact are changed together, or neither', async () => {
    const before = await newChannel(app, FIELDS);
    const { name } = await newChannel(app);

    const answer = await change(staff, before.id, { name, contactName: 'Olga', contactEmail: 'olga@example.com' });

    expect(answer.status).toBe(409);
    expect(await read(app, before.id)).toEqual(before);
  });

  it('twenty concurrent changes of a channel are all stored', async () => {
    const { id } = await newChannel(app);
    const fields = ['description', 'contactName', 'website', 'kind'];

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => change(staff, id, { [fields[n % 4] ?? '']: `v${n}` })),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const versions = answers.map(({ body }) => body.data.version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, n) => n + 2));
    const after = await read(app, id);
    for (const [n, field] of fields.entries()) {
      const last = answers.filter((_, at) => at % 4 === n).sort((a, b) => b.body.data.version - a.body.data.version)[0];
      expect(after[field as keyof Channel]).toBe(last?.body.data[field as keyof Channel]);
    }
  });
});

describe('the status of a channel', () => {
  const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => ({ from, to })));
  const allowed = pairs.filter(({ from, to }) => from === to || MOVES[from].includes(to));
  const forbidden = pairs.filter((pair) => !allowed.includes(pair));

  it.each(allowed)('the status of a channel may go from $from to $to', async ({ from, to }) => {
    const { id } = await channelIn(from);

    const { status, body } = await change(staff, id, { status: to });

    expect([status, body.data.status]).toEqual([200, to]);
  });

  it.each(forbidden)('the status of a channel cannot go from $from to $to: 409', async ({ from, to }) => {
    const before = await channelIn(from);

    const answer = await change(staff, before.id, { status: to, description: 'Not this either' });

    const details = { from, to, allowed: MOVES[from] };
    const error = `A channel cannot go from ${from} to ${to}`;
    const rejected = errorBody(answer, { code: 'invalid_transition', error, details });
    expect([answer.status, answer.body]).toEqual([409, rejected]);
    expect(await read(app, before.id)).toEqual(before);
  });

  it('a channel stays archived while another channel has its name: 409', async () => {
    const old = await channelIn('archived');
    const { id } = await newChannel(app, { name: old.name });

    const rejected = await change(staff, old.id, { status: 'inactive' });
    await change(staff, id, { name: unique('Moved away') });
    const back = await change(staff, old.id, { status: 'inactive' });

    expect([rejected.status, rejected.body]).toEqual([409, errorBody(rejected, NAME_TAKEN)]);
    expect([back.status, back.body.data.status]).toEqual([200, 'inactive']);
  });
});

describe('an unknown channel', () => {
  it.each(['chan_01k0dem000e000000000099999', 'chan_x', 'ctr_01k0dem000e000000000000001', '%00', 'a%2Fb'])(
    'the unknown channel %s is 404, whether it is read or changed',
    async (id) => {
      const answers = [await staff.get(`${CHANNELS}/${id}`), await change(staff, id, { description: 'x' })];
      for (const answer of answers) {
        expect([answer.status, answer.body]).toEqual([404, errorBody(answer, NOT_FOUND)]);
      }
    },
  );
});
