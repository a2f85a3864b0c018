import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, NOT_FOUND, type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { type CatalogDocument, DOCUMENTS, newDocumentId, put } from './catalog.js';

type Stored = { data: CatalogDocument };
type Page = { data: CatalogDocument[]; total: number; limit: number; offset: number };

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

const generationOf = async (market: string) => {
  const text = `select coalesce(max(generation), 0)::int as generation from catalog_slice where market = $1 and vertical = 'products'`;
  const [row] = await app.sql<{ generation: number }>(text, [market]);
  return row?.generation ?? 0;
};

describe('PUT of a catalog document', () => {
  it('a PUT of a catalog document creates it with 201, or replaces all of its fields with 200', async () => {
    const path = `${DOCUMENTS}/cruises/${newDocumentId()}`;
    const fields = { name: 'Danube cruise', nights: 7, supplierCostCents: 5, countries: ['Austria'] };

    const added = await staff.put<Stored>(path, { fields });
    const replaced = await staff.put<Stored>(path, { fields: { name: 'Rhine cruise' } });

    const { data } = added.body;
    expect([added.status, replaced.status]).toEqual([201, 200]);
    expect(data).toEqual({
      vertical: 'cruises',
      id: path.split('/').pop(),
      locale: 'en-GB',
      market: 'default',
      fields,
      productFields: [],
      version: 1,
      embedded: false,
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
    });
    expect([added.headers['etag'], added.headers['location']]).toEqual(['"1"', `${path}?locale=en-GB&market=default`]);
    expect(replaced.body.data).toEqual({
      ...data,
      fields: { name: 'Rhine cruise' },
      version: 2,
      updatedAt: expect.any(String),
    });
    expect((await staff.get<Stored>(path)).body).toEqual(replaced.body);
  });

  it('catalog documents are stored separately by language and market', async () => {
    const id = newDocumentId();
    const path = `${DOCUMENTS}/products/${id}`;
    await staff.put(path, { fields: { name: 'One' } });
    await staff.put(path, { locale: 'DE-de', market: 'DEFAULT', fields: { name: 'Eins' } });

    const german = await staff.get<Stored>(`${path}?locale=de-DE`);
    const { body } = await staff.get<Page>(`${DOCUMENTS}?search=${id}`);

    expect([german.body.data.fields, german.body.data.locale, german.body.data.market]).toEqual([
      { name: 'Eins' },
      'de-DE',
      'default',
    ]);
    expect(body.data.map(({ locale }) => locale)).toEqual(['de-DE', 'en-GB']);
  });

  it('a PUT of a catalog document stores departures, and ignores fields that are derived from them', async () => {
    const departures = [{ startsAt: '2030-05-01T08:00:00Z', availableUnits: 3 }];
    const { fields } = await put(app, { departures, upcomingDepartureCount: 99 });
    expect(fields).toEqual({ name: 'Nameless', departures });
  });

  it.each([
    [{}, 'fields.name', 'required'],
    [
      { name: 'x', departures: [{ startsAt: '2030-01-01T00:00:00Z', seats: 2 }] },
      'fields.departures.0.seats',
      'unknown_member',
    ],
  ])(
    'a PUT of a catalog document rejects the fields %j with 400 at %s with the code %s, and stores nothing',
    async (fields, path, code) => {
      const id = newDocumentId();
      const answer = await staff.put<ErrorBody>(`${DOCUMENTS}/products/${id}`, { fields });

      const issues = answer.body.details?.issues ?? [];
      expect([answer.status, answer.body]).toEqual([400, invalid(answer, issues)]);
      expect(issues.map((issue) => [issue.path, issue.code])).toEqual([[path, code]]);
      expect((await staff.get(`${DOCUMENTS}/products/${id}`)).status).toBe(404);
    },
  );

  it.each([
    ['extras/x', {}, 'vertical'],
    ['flights/x', {}, 'vertical'],
    ['products/a%20b', {}, 'id'],
    ['products/x', { market: 'moon' }, 'market'],
    ['products/x', { locale: 'not a tag' }, 'locale'],
  ])('a PUT of a catalog document rejects %s with %j with 400', async (path, body, fault) => {
    const answer = await staff.put<ErrorBody>(`${DOCUMENTS}/${path}`, { ...body, fields: { name: 'x' } });
    expect([answer.status, answer.body.details?.issues?.map((issue) => issue.path)]).toEqual([400, [fault]]);
  });

  it('concurrent changes of a catalog document each get a version, and a stale If-Match is rejected with 412', async () => {
    const { id } = await put(app, { name: 'Contended' });
    const path = `${DOCUMENTS}/products/${id}`;
    const change = (n: number) => staff.put<Stored>(path, { fields: { name: `Change ${n}` } });

    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(change));
    const last = answers.toSorted((a, b) => a.body.data.version - b.body.data.version).at(-1);
    const stale = await staff.put<ErrorBody>(path, { fields: { name: 'x' } }, { headers: { 'If-Match': '"3"' } });
    const none = { headers: { 'If-Match': '"1"' } };
    const unknown = await staff.put<ErrorBody>(
      `${DOCUMENTS}/products/${newDocumentId()}`,
      { fields: { name: 'x' } },
      none,
    );

    expect(answers.map(({ body }) => body.data.version).sort()).toEqual([2, 3, 4, 5, 6, 7]);
    expect((await staff.get<Stored>(path)).body).toEqual(last?.body);
    expect([stale.status, stale.body.code, unknown.status]).toEqual([412, 'precondition_failed', 412]);
  });
});

describe('a batch of documents', () => {
  const batch = (documents: object[]) => staff.post<ErrorBody & { data: object }>(`${DOCUMENTS}/batch`, { documents });

  it('a batch of documents writes 500 documents in one generation with one ledger entry', async () => {
    const known = await put(app, { name: 'Known' });
    const before = await generationOf('default');
    const documents = Array.from({ length: 499 }, (_, n) => ({
      vertical: 'products',
      id: newDocumentId(),
      fields: { name: `Of many ${n}` },
    }));

    const answer = await batch([{ vertical: 'products', id: known.id, fields: { name: 'Replaced' } }, ...documents]);

    const requestId = answer.headers['x-request-id'];
    const lines = await app.sql('select action from action_ledger_entries where correlation_id = $1', [requestId]);
    expect([answer.status, answer.body]).toEqual([200, { data: { created: 499, replaced: 1 } }]);
    expect(await generationOf('default')).toBe(before + 1);
    expect(lines).toEqual([{ action: 'catalog.documents.put' }]);
  });

  it('a batch of documents stores nothing and starts no generation if its last document is invalid', async () => {
    const before = await generationOf('default');
    const id = newDocumentId();
    const good = Array.from({ length: 17 }, (_, n) => ({
      vertical: 'products',
      id: `${id}.${n}`,
      fields: { name: 'x' },
    }));

    const answer = await batch([...good, { vertical: 'products', id, fields: { name: 7 } }]);

    const issues = answer.body.details?.issues ?? [];
    expect([answer.status, issues.map(({ path }) => path)]).toEqual([400, ['documents.17.fields.name']]);
    expect(await generationOf('default')).toBe(before);
    expect((await staff.get<Page>(`${DOCUMENTS}?search=${id}`)).body.total).toBe(0);
  });

  it('a batch of documents is rejected with 400 if it is empty, or has a duplicate or an unknown vertical', async () => {
    const one = { vertical: 'products', id: newDocumentId(), fields: { name: 'x' } };
    const answers = await Promise.all([batch([one, one]), batch([{ ...one, vertical: 'flights' }]), batch([])]);
    const paths = answers.map(({ body }) => body.details?.issues?.map(({ path }) => path));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(paths).toEqual([['documents.1.id'], ['documents.0.vertical'], ['documents']]);
  });
});

describe('DELETE of a catalog document', () => {
  it('DELETE of a catalog document deletes the named variant, or all variants if none is named', async () => {
    const { id } = await put(app, { name: 'To go' });
    const path = `${DOCUMENTS}/products/${id}`;
    for (const locale of ['fr-FR', 'it-IT']) await staff.put(path, { locale, fields: { name: locale } });

    const one = await staff.delete(`${path}?locale=fr-FR`);
    const [deleted, left] = [await staff.get<ErrorBody>(`${path}?locale=fr-FR`), await staff.get(path)];
    const all = await staff.delete(path);
    const again = await staff.delete<ErrorBody>(path);

    expect([one.status, one.body, all.status, all.body]).toEqual([200, { success: true }, 200, { success: true }]);
    expect([left.status, deleted.status, deleted.body]).toEqual([200, 404, errorBody(deleted, NOT_FOUND)]);
    expect([again.status, again.body]).toEqual([404, errorBody(again, NOT_FOUND)]);
    expect((await staff.get<Page>(`${DOCUMENTS}?search=${id}`)).body.total).toBe(0);
  });

  it('DELETE of a catalog document rejects a stale If-Match with 412, and a later PUT creates a new document', async () => {
    const { id, createdAt } = await put(app, { name: 'Phoenix' });
    const path = `${DOCUMENTS}/products/${id}`;
    const stale = await staff.delete<ErrorBody>(path, { headers: { 'If-Match': '"9"' } });
    await staff.delete(path, { headers: { 'If-Match': '"1"' } });
    app.travel({ ms: 5 });

    const recreated = await staff.put<Stored>(path, { fields: { name: 'Phoenix' } });

    expect([stale.status, stale.body.code, recreated.status]).toEqual([412, 'precondition_failed', 201]);
    expect(recreated.body.data.createdAt > createdAt).toBe(true);
  });
});

describe('the list of documents', () => {
  it('the document list is filtered by vertical, status and a part of the id or name, and ordered by id', async () => {
    const mark = newDocumentId();
    await put(app, { name: `Kayak ${mark}`, status: 'draft' }, `${mark}.b`);
    await put(app, { name: 'Named otherwise' }, `${mark}.a`);
    const list = async (query: string) => (await staff.get<Page>(`${DOCUMENTS}?search=${mark}&${query}`)).body;

    const ids = (page: Page) => page.data.map(({ id }) => id.split('.')[1]);
    expect(ids(await list(''))).toEqual(['a', 'b']);
    expect(ids(await list('status=draft'))).toEqual(['b']);
    expect(ids(await list('status=active'))).toEqual(['a']);
    expect(await list('vertical=charters')).toEqual({ data: [], total: 0, limit: 50, offset: 0 });
    expect([ids(await list('limit=1&offset=1')), (await list('limit=1')).total]).toEqual([['b'], 2]);
    expect((await staff.get(`${DOCUMENTS}?status=gone`)).status).toBe(400);
  });
});

it('GET of a document with an unknown or malformed vertical or id is 404', async () => {
  for (const path of ['products/nobody', 'flights/x', 'extras/x', 'products/a%20b']) {
    const answer = await staff.get<ErrorBody>(`${DOCUMENTS}/${path}`);
    expect([path, answer.status, answer.body]).toEqual([path, 404, errorBody(answer, NOT_FOUND)]);
  }
});
