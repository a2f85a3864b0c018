import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import {
  CHANNELS,
  channelWithEntries,
  ENTRIES,
  type Entry,
  type EntryPage,
  type Issue,
  invalid,
  newChannel,
  page,
  search,
  walk,
} from './ledger.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const ids = (entries: Entry[]) => entries.map(({ id }) => id);
const actions = (entries: Entry[]) => entries.map(({ action }) => action);

describe('the list of entries', () => {
  it('the list shows who did what to which subject, newest first, as {data, nextCursor}', async () => {
    const before = app.now().toISOString();
    const answer = await app
      .as('owner')
      .post<{ data: { id: string } }>(
        CHANNELS,
        { name: 'Listed in the ledger' },
        { headers: { 'X-Request-Id': 'ledger-list-1' } },
      );
    const { id: subjectId } = answer.body.data;
    await app.as('owner').patch(`${CHANNELS}/${subjectId}`, { status: 'inactive' });

    const body = await page(app, { subjectType: 'channel', subjectId });

    expect(body).toEqual({
      data: [
        expect.objectContaining({ action: 'distribution.channel.update', subjectId }),
        {
          id: expect.stringMatching(/^aled_[0-7][0-9a-z]{25}$/),
          sequence: expect.any(Number),
          action: 'distribution.channel.create',
          subjectType: 'channel',
          subjectId,
          actorType: 'api_key',
          actorId: body.data[0]?.actorId,
          reason: null,
          reversesEntryId: null,
          reversedByEntryId: null,
          recordedByEntryId: null,
          reversible: true,
          state: null,
          outcome: null,
          correlationId: 'ledger-list-1',
          serverRequestId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ],
      nextCursor: null,
    });
    expect(body.data[0]?.sequence).toBeGreaterThan(body.data[1]?.sequence ?? 0);
    expect((body.data[1]?.createdAt ?? '') >= before).toBe(true);
  });

  it('a page of the list has 50 entries by default, and at most 200', async () => {
    await channelWithEntries(app, 51);

    expect((await page(app, {})).data).toHaveLength(50);
    expect((await page(app, { limit: 1 })).data).toHaveLength(1);
    expect((await page(app, { limit: 200 })).data.length).toBeGreaterThan(50);
  });

  it('the cursor continues without duplicate or missing entries, and the last page has no cursor', async () => {
    const subjectId = await channelWithEntries(app, 7);
    const whole = await page(app, { subjectId });

    const walked = await walk(app, { subjectId, limit: 3 });

    expect(walked).toEqual(whole.data);
    expect(walked).toHaveLength(7);
    expect(new Set(ids(walked)).size).toBe(7);
  });

  it('the list ends with the last page also if it is full', async () => {
    const subjectId = await channelWithEntries(app, 4);

    const first = await page(app, { subjectId, limit: 2 });
    const second = await page(app, { subjectId, limit: 2, cursor: first.nextCursor ?? '' });

    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([2, 2, null]);
  });

  it('reading page by page is not disturbed by entries that are written meanwhile', async () => {
    const subjectId = await channelWithEntries(app, 4);
    const first = await page(app, { subjectId, limit: 2 });
    await app.as('owner').patch(`${CHANNELS}/${subjectId}`, { description: 'Meanwhile' });

    const second = await page(app, { subjectId, limit: 2, cursor: first.nextCursor ?? '' });

    const all = await page(app, { subjectId });
    expect([...first.data, ...second.data]).toEqual(all.data.slice(1));
  });

  it('a page links to the next page if there is one', async () => {
    const subjectId = await channelWithEntries(app, 3);

    const first = await app.as('owner').get<EntryPage>(`${ENTRIES}?${search({ subjectId, limit: 2 })}`);
    const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.link ?? '')?.[1] ?? '';
    const second = await app.as('owner').get<EntryPage>(link);

    expect(link).toBe(`${ENTRIES}?${search({ subjectId, limit: 2, cursor: first.body.nextCursor ?? '' })}`);
    expect(actions(second.body.data)).toEqual(['distribution.channel.create']);
    expect(second.headers.link).toBeUndefined();
  });
});

describe('the filters of the list', () => {
  it('the list can be filtered by action', async () => {
    const subjectId = await channelWithEntries(app, 3);

    const found = await walk(app, { subjectId, action: 'distribution.channel.update', limit: 1 });

    expect(actions(found)).toEqual(['distribution.channel.update', 'distribution.channel.update']);
  });

  it('the list can be filtered by subjectType, also if another type has no such subject', async () => {
    const subjectId = await newChannel(app);

    expect(await walk(app, { subjectType: 'channel', subjectId })).toHaveLength(1);
    expect(await walk(app, { subjectType: 'contract', subjectId })).toEqual([]);
  });

  it('the list can be filtered by actorId, also for actions of the service, page by page', async () => {
    const found = await walk(app, { actorId: 'system', limit: 5 });

    expect(found.length).toBeGreaterThan(5);
    expect(new Set(found.map(({ actorId, actorType }) => `${actorType} ${actorId}`))).toEqual(
      new Set(['system system']),
    );
    expect(found).toEqual([...found].sort((a, b) => b.sequence - a.sequence));
  });

  it('the list can be filtered by from, which is included, and to, which is excluded', async () => {
    const subjectId = await newChannel(app);
    app.travel({ hours: 1 });
    await app.as('owner').patch(`${CHANNELS}/${subjectId}`, { description: 'An hour later' });
    const [late, early] = await page(app, { subjectId }).then(({ data }) => data.map(({ createdAt }) => createdAt));
    const [from, to] = [early ?? '', late ?? ''];

    const between = await walk(app, { subjectId, from, to, limit: 1 });
    const later = await walk(app, { subjectId, from: to, limit: 1 });
    const elsewhere = await walk(app, { subjectId, from: from.replace('Z', '+00:00'), to });

    expect(actions(between)).toEqual(['distribution.channel.create']);
    expect(actions(later)).toEqual(['distribution.channel.update']);
    expect(elsewhere).toEqual(between);
  });

  it('to includes entries that were appended after younger ones, by a server whose clock is behind', async () => {
    const subjectId = await newChannel(app);
    const start = app.now().getTime();
    const describedAfter = async (minutes: number) => {
      app.travel({ ms: minutes * 60_000 });
      await app.as('owner').patch(`${CHANNELS}/${subjectId}`, { description: `${app.now().getTime() - start}` });
    };
    await describedAfter(40);
    await describedAfter(-30);
    await describedAfter(300);
    const to = new Date(start + 20 * 60_000).toISOString();

    const [behind, created, ...others] = (await page(app, { subjectId, to })).data;

    expect(others).toEqual([]);
    expect(created?.action).toBe('distribution.channel.create');
    expect(behind?.sequence).toBe((created?.sequence ?? 0) + 2);
    expect((await page(app, { to })).data.slice(0, 2)).toEqual([behind, created]);
  });

  it('the list is empty for an actor without entries', async () => {
    expect(await page(app, { action: 'distribution.channel.explode' })).toEqual({ data: [], nextCursor: null });
  });
});

describe('the cursor of the list', () => {
  let subjectId: string;
  let cursor: string;
  beforeAll(async () => {
    subjectId = await channelWithEntries(app, 3);
    cursor = (await page(app, { subjectId, limit: 1 })).nextCursor ?? '';
  });

  const rejected = async (query: Record<string, string | number>) => {
    const answer = await app.as('owner').get(`${ENTRIES}?${search(query)}`);
    expect(answer.status).toBe(400);
    const message = 'cursor must be the nextCursor of a page with the same filters';
    expect(answer.body).toEqual(invalid(answer, [{ path: 'cursor', message, code: 'wrong_cursor' }]));
  };

  it('a cursor with a changed payload and the old signature is 400', async () => {
    const [payload = '', mac] = cursor.split('.');
    const [filters] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, string];
    const forged = Buffer.from(JSON.stringify([filters, '999999999'])).toString('base64url');
    await rejected({ subjectId, cursor: `${forged}.${mac}` });
  });

  it('a cursor with a changed signature is 400', async () => {
    const other = cursor.endsWith('A') ? 'B' : 'A';
    await rejected({ subjectId, cursor: cursor.slice(0, -1) + other });
  });

  it.each(['x', 'a.b', 'a.b.c', '.', '%00', 'e30.e30'])('the text %s is 400 as a cursor', (text) =>
    rejected({ subjectId, cursor: text }),
  );

  it('a cursor of a page with other filters is 400', async () => {
    await rejected({ subjectId, action: 'distribution.channel.update', cursor });
    await rejected({ cursor });
    await rejected({ subjectId: 'chan_other', cursor });
  });

  it('a cursor of another list is 400', async () => {
    const path = '/data/geo/v1/reference/languages?limit=1';
    const { body } = await app.as('platform').get<{ nextCursor: string }>(path);
    await rejected({ subjectId, cursor: body.nextCursor });
  });

  it('a cursor can be used with another limit', async () => {
    expect((await page(app, { subjectId, limit: 2, cursor })).data).toHaveLength(2);
  });
});

describe('an invalid query', () => {
  it('an invalid query of the entry list is rejected with 400 and its issues', async () => {
    const answer = await app.as('owner').get(`${ENTRIES}?limit=201&sort=action`);

    const issues: Issue[] = [
      { path: 'sort', message: 'sort is not recognized', code: 'unknown_member' },
      { path: 'limit', message: 'limit must not be greater than 200', code: 'too_large' },
    ];
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(invalid(answer, issues));
  });
});
