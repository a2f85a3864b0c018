import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { change, CHANNELS, type Channel, invalid, type Issue, newChannel, unique } from './channels.js';

interface ChannelPage {
  data: Channel[];
  total: number;
  limit: number;
  offset: number;
}

let app: TestApp;
let mark: string;
/** Five channels whose names contain a marker, oldest first. */
let channels: Channel[];

beforeAll(async () => {
  app = await startApp();
  mark = unique('Öztürk 100%_');
  const terms = [
    { name: `${mark} Delta`, kind: 'ota' },
    { name: `${mark} alpha`, kind: 'ota', status: 'pending' },
    { name: `${mark} Charlie`, kind: 'affiliate' },
    { name: `${mark} bravo`, kind: 'ota' },
    { name: `${mark} Echo` },
  ];
  channels = [];
  for (const term of terms) {
    channels.push(await newChannel(app, term));
    app.travel({ ms: 2 });
  }
});

async function list(query: Record<string, string>): Promise<ChannelPage> {
  const answer = await app.as('owner').get<ChannelPage>(`${CHANNELS}?${new URLSearchParams(query).toString()}`);
  if (answer.status !== 200) throw new Error(`The list was rejected: ${answer.text}`);
  return answer.body;
}

const at = (...indexes: number[]) => indexes.map((index) => channels[index]);

describe('the list of channels', () => {
  it('the list of channels has data, total, limit and offset, newest first, with 50 channels by default', async () => {
    expect(await list({ search: mark })).toEqual({ data: at(4, 3, 2, 1, 0), total: 5, limit: 50, offset: 0 });
  });

  it('the list of channels has the requested page, with the total of all channels', async () => {
    const page = await list({ search: mark, limit: '2', offset: '1' });
    expect(page).toEqual({ data: at(3, 2), total: 5, limit: 2, offset: 1 });
    const end = await list({ search: mark, limit: '2', offset: '4' });
    expect(end).toEqual({ data: at(0), total: 5, limit: 2, offset: 4 });
    const beyond = await list({ search: mark, limit: '200', offset: '100000' });
    expect(beyond).toEqual({ data: [], total: 5, limit: 200, offset: 100_000 });
  });

  it('the list of channels is searched by a part of the name, ignoring case and treating wildcards as ordinary characters', async () => {
    expect((await list({ search: `${mark.toUpperCase()} BR` })).data).toEqual(at(3));
    expect((await list({ search: `  ${mark} ch ` })).data).toEqual(at(2));
    expect((await list({ search: mark.replace('%', '_') })).total).toBe(0);
    expect((await list({ search: mark.replace('100', '%') })).total).toBe(0);
    expect((await list({ search: `${mark}\\` })).total).toBe(0);
    expect((await list({ search: '100%_' })).total).toBeGreaterThanOrEqual(5);
  });

  it('the list of channels is filtered by kind, by status and by both', async () => {
    expect((await list({ search: mark, kind: 'ota' })).data).toEqual(at(3, 1, 0));
    expect((await list({ search: mark, status: 'pending' })).data).toEqual(at(1));
    expect(await list({ search: mark, kind: 'ota', status: 'active' })).toMatchObject({ data: at(3, 0), total: 2 });
    expect((await list({ search: mark, kind: 'marketplace' })).total).toBe(0);
  });

  it('the list of channels contains archived channels', async () => {
    const { id, name } = await newChannel(app);
    await change(app.as('owner'), id, { status: 'archived' });

    expect((await list({ search: name, status: 'archived' })).data.map((channel) => channel.id)).toEqual([id]);
    expect((await list({ search: name })).total).toBe(1);
  });

  it.each([
    ['createdAt', [0, 1, 2, 3, 4]],
    ['-createdAt', [4, 3, 2, 1, 0]],
  ])('the list of channels is sorted by %s', async (sort, order) => {
    expect((await list({ search: mark, sort })).data).toEqual(at(...order));
  });

  it('the list of channels is sorted by name, ascending and descending', async () => {
    const ascending = (await list({ search: mark, sort: 'name' })).data;
    const descending = (await list({ search: mark, sort: '-name' })).data;

    const names = await app.sql<{ name: string }>('select name from channels where name = any ($1) order by name', [
      channels.map(({ name }) => name),
    ]);
    expect(ascending.map(({ name }) => name)).toEqual(names.map(({ name }) => name));
    expect(descending).toEqual([...ascending].reverse());
  });

  it('the list of channels skips no channel of those created in the same millisecond', async () => {
    const same = unique('Same moment');
    await Promise.all(Array.from({ length: 7 }, (_, n) => newChannel(app, { name: `${same} ${n}` })));
    await app.sql(`update channels set created_at = '2026-01-01T00:00:00Z' where name like $1`, [`${same}%`]);

    const found: string[] = [];
    for (let offset = 0; offset < 7; offset += 2) {
      const { data } = await list({ search: same, limit: '2', offset: String(offset) });
      found.push(...data.map(({ id }) => id));
    }

    expect(new Set(found).size).toBe(7);
    expect(found).toEqual([...found].sort().reverse());
  });

  it('the list of channels rejects an invalid query with 400 and each issue', async () => {
    const answer = await app.as('owner').get(`${CHANNELS}?limit=201&sort=website`);

    const issues: Issue[] = [
      { path: 'sort', message: 'sort must be one of createdAt, -createdAt, name, -name', code: 'unknown_value' },
      { path: 'limit', message: 'limit must not be greater than 200', code: 'too_large' },
    ];
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, issues)]);
  });
});
