import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf, readDocument } from '../contract/served-document.js';
import { Document } from '../fuzz/schema.js';
import { RENDITIONS } from '../finance/renditions/rendering.js';
import { hire, ME } from '../identity/staff.js';
import { startApp, type TestApp } from '../setup/app.js';
import { tokenWith } from '../setup/staff-token.js';
import { fewAtATime, pathWith, surfaceOf } from './calls.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

interface Rejection {
  code: string;
  details?: { fields?: Record<string, string[]> };
}

describe('a filter with several values', () => {
  it('a filter with several values rejects every value that is no list of allowed ones with 400, on each list', async () => {
    const served = await readDocument(app);
    const document = new Document(served);
    const filters = operationsOf(served).flatMap((operation) =>
      (operation.parameters ?? [])
        .filter(({ explode }) => explode === false)
        .map(({ name, schema }) => ({ operation, name, allowed: document.resolve(schema.items ?? {}).enum ?? [] })),
    );
    expect(filters.length).toBeGreaterThan(30);

    const calls = filters.flatMap(({ operation, name, allowed }) => {
      const first = String(allowed[0]);
      const tooMany = [...allowed, first].join(',');
      const queries = [
        ...[`${name}=`, `${name}=,`, `${name}=${first},`, `${name}=,${first}`, `${name}=${first},%00`],
        ...[
          `${name}=none of them`.replaceAll(' ', '%20'),
          `${name}=${tooMany}`,
          `${name}=${first}${','.repeat(7_000)}`,
        ],
        ...[`${name}=${first}&${name}=${first}`, `${name}[]=${first}`, `${name}[0]=${first}`, `${name}[a]=${first}`],
        ...[`${name}=${`${first},`.repeat(500)}${first}`, `${name}=__proto__`, `${name}=%5B%22${first}%22%5D`],
      ];
      const client = app.with(surfaceOf(operation) === 'staff' ? staffToken() : platformKey());
      return queries.map((query) => async () => {
        const { status, body } = await client.get<Rejection>(`${pathWith(operation)}?${query}`);
        return { at: `${operation.operationId} ${query.slice(0, 60)}`, status, code: body.code };
      });
    });
    const answers = await fewAtATime(calls);

    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
  });
});

describe('PATCH /v1/admin/identity/me', () => {
  it('a body of wrong types, of foreign members or of the largest size changes nothing of any account', async () => {
    const [one, other] = [await hire(app, ['sales']), await hire(app, ['viewer'])];
    const users = () => app.sql('select * from users where id = any ($1) order by id', [[one.user.id, other.user.id]]);
    const before = await users();
    const names: unknown[] = [
      null,
      1,
      true,
      [],
      {},
      ['x'],
      { toString: 'x' },
      '',
      ' ',
      '\u0000',
      '\ud800',
      'x'.repeat(40_000),
    ];
    const bodies: string[] = [
      ...names.map((name) => JSON.stringify({ name })),
      ...[null, 1, 'x', [], [{ name: 'x' }], { id: other.user.id, name: 'x' }].map((body) => JSON.stringify(body)),
      JSON.stringify({ name: 'x', roles: ['owner'] }),
      JSON.stringify({ language: ['de'] }),
      JSON.stringify({ language: 'x'.repeat(100) }),
      '{"name":"x","__proto__":{"roles":["owner"]}}',
      '{"name":"x","constructor":{"prototype":{"roles":["owner"]}}}',
      `{"name":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      `{${Array.from({ length: 3_000 }, (_, n) => `"m${n}":1`).join()}}`,
      '{"name":',
    ];
    for (const raw of bodies) {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(raw)) };
      const { status } = await one.client.request('PATCH', ME, { raw, headers });
      expect([raw.slice(0, 60), status >= 400 && status < 500]).toEqual([raw.slice(0, 60), true]);
    }
    expect(await users()).toEqual(before);
  });
});

describe('POST /v1/admin/finance/invoice-renditions/{id}/links', () => {
  it('hostile ids and bodies make no link, and a caller without the scope learns nothing about a rendition', async () => {
    const [rendition] = await app.sql<{ id: string }>('select id from invoice_renditions order by id limit 1');
    const id = rendition?.id ?? 'rend_7zzzzzzzzzzzzzzzzzzzzzzzzz';
    const owner = app.as('owner');
    const faulty = [
      ...[null, 1, 'inline', [], [{ disposition: 'inline' }], { disposition: null }, { disposition: ['inline'] }],
      ...[{ disposition: 'INLINE' }, { disposition: { inline: true } }, { allowStale: 'true' }, { allowStale: 1 }],
      ...[{ disposition: 'x'.repeat(40_000) }, { id: 'other' }, { url: 'https://example.com' }],
      Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`m${n}`, 1])),
    ];
    for (const body of faulty) {
      const { status, headers } = await owner.post(`${RENDITIONS}/${id}/links`, body);
      expect([JSON.stringify(body).slice(0, 60), status]).toEqual([JSON.stringify(body).slice(0, 60), 400]);
      expect(headers['location']).toBeUndefined();
    }
    const foreign = id.replace('rend_', 'inv_');
    for (const wrong of [foreign, `${id}x`, id.toUpperCase(), 'rend_', '%00', '..%2f', `${id}%00`, 'x'.repeat(2_000)]) {
      const { status } = await owner.post(`${RENDITIONS}/${wrong}/links`, { disposition: 'inline' });
      expect([wrong.slice(0, 40), status]).toEqual([wrong.slice(0, 40), 404]);
    }
    const stranger = app.with(await tokenWith(app, ['bookings:read', 'legal:read']));
    const answers = [id, 'rend_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'rend_x'].map((each) =>
      stranger.post<Rejection>(`${RENDITIONS}/${each}/links`, {}),
    );
    expect((await Promise.all(answers)).map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [403, 'forbidden']),
    );
  });
});

const staffToken = () => app.credentials.staff.token;
const platformKey = () => app.credentials.platformKey;
