import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endAll, ServiceProcess } from '../platform/service-process.js';
import { startApp, type TestApp } from '../setup/app.js';
import {
  type CatalogDocument,
  DOCUMENTS,
  type Fields,
  putAll,
  SEARCH,
  type SearchAnswer,
  searchable,
  STATUS,
} from './catalog.js';
import { EmbeddingService } from './embedding-service.js';

const TRIPS: Record<string, Fields> = {
  beach: { name: 'Beach week in Crete', shortDescription: 'Sun, sand and warm sea near Chania' },
  alps: { name: 'Hiking tour in the Alps', shortDescription: 'From hut to hut with a mountain guide' },
  wine: { name: 'Food and wine in Tuscany', shortDescription: 'Cellars, markets and long lunches' },
  husky: { name: 'Winter adventure in Lapland', shortDescription: 'Dog teams, snow and the northern lights' },
  rome: { name: 'Art and history in Rome', shortDescription: 'Museums and monuments with an art historian' },
  dive: { name: 'Diving week in Egypt', shortDescription: 'Reefs and a wreck under water' },
};
const documents = Object.entries(TRIPS).map(([id, fields]) => ({ id, fields }));

let app: TestApp;
beforeAll(async () => {
  const plain = await startApp({ env: { JOBS: 'false' } });
  // The demo catalog would be embedded first, which takes longer than these tests.
  await plain.sql(`update products set status = 'archived', archived_at = now() where status <> 'archived'`);
  await plain.sql(`update catalog_document set deleted_at = now()`);
  await plain.close();
  app = await startApp({ env: { EMBEDDER: 'builtin' } });
  await putAll(app, documents);
  await embedded(app);
}, 180_000);
afterAll(endAll);

interface Status {
  fresh: boolean;
  embedder: { pending: number };
  reindex: { status: string } | null;
}

const status = async (of: TestApp) => (await of.as('owner').get<{ data: Status }>(STATUS)).body.data;

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 3_000; attempt += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The condition was not met in time');
}

const embedded = (of: TestApp) => until(async () => (await status(of)).fresh);

const search = async (body: object, of: TestApp = app) => {
  // The first query loads the model, which takes longer than the time limit of a search.
  for (let attempt = 0; ; attempt += 1) {
    const { body: answer } = await of.post<SearchAnswer>(SEARCH, { vertical: 'products', ...body });
    if (answer.mode !== 'keyword' || attempt === 20) return answer;
  }
};

describe('search with the built-in model', () => {
  it.each([
    ['seaside vacation', 'beach'],
    ['trekking with a guide', 'alps'],
    ['vineyards and gourmet restaurants', 'wine'],
    ['ancient ruins and galleries', 'rome'],
    ['snorkelling among fish', 'dive'],
  ])(
    'search by meaning finds for "%s" the document with this meaning in semantic and hybrid mode: %s',
    async (query, id) => {
      for (const mode of ['semantic', 'hybrid']) {
        const answer = await search({ query, mode });
        expect([answer.mode, answer.hits[0]?.id]).toEqual([mode, id]);
      }
    },
  );

  it('hybrid search corrects spelling', async () => {
    const first = async (query: string) => {
      const { mode, hits } = await search({ query, mode: 'hybrid' });
      return [mode, hits[0]?.id];
    };
    expect([await first('laplnad'), await first('tuscny'), await first('egyppt')]).toEqual([
      ['hybrid', 'husky'],
      ['hybrid', 'wine'],
      ['hybrid', 'dive'],
    ]);
  });

  it('search with the built-in model uses hybrid mode by default', async () => {
    expect((await search({ query: 'sunny coast' })).mode).toBe('hybrid');
    expect((await search({})).mode).toBe('hybrid');
  });

  it('search by meaning matches only documents about as similar as the best one if results are sorted by a field', async () => {
    const ids = async (body: object) => (await search({ sort: 'price-asc', ...body })).hits.map(({ id }) => id);
    expect(await ids({ query: 'beach week' })).toEqual(['beach']);
    expect(await ids({ query: 'seaside vacation' })).toEqual(['beach']);
    expect(await ids({ query: 'beach week', mode: 'semantic' })).toEqual(['beach']);
    expect((await ids({ query: 'beach week', sort: 'relevance' })).length).toBeGreaterThan(1);
  });

  it('search with the built-in model works without a network and does not try to connect to one', async () => {
    const guard = join(process.cwd(), 'test/catalog/no-network.cjs');
    const service = await ServiceProcess.start({ EMBEDDER: 'builtin', NODE_OPTIONS: `--require=${guard}` });
    const find = async (mode: string): Promise<SearchAnswer> => {
      const body = JSON.stringify({ vertical: 'products', query: 'seaside vacation', mode });
      const headers = { 'content-type': 'application/json' };
      return (await (await fetch(`${service.url}${SEARCH}`, { method: 'POST', headers, body })).json()) as SearchAnswer;
    };
    for (const mode of ['semantic', 'hybrid']) {
      await until(async () => (await find(mode)).mode === mode);
      expect((await find(mode)).hits[0]?.id).toBe('beach');
    }
    await service.end();
    const lines = service.output.split('\n');
    // The main thread, the thread of the index and the thread of the model.
    for (const thread of [0, 1, 2]) expect(lines).toContain(`thread ${thread}: There is no network: 192.0.2.1`);
    expect(lines.filter((line) => line.startsWith('refused ') && line !== 'refused 192.0.2.1')).toEqual([]);
  }, 60_000);

  it('search with the built-in model uses keyword mode for a language that the model does not support', async () => {
    await putAll(app, [{ id: 'fr', fields: { name: 'Semaine à la plage' } }], { locale: 'fr-FR' });
    await searchable(app);
    const { body } = await app.post<SearchAnswer>(SEARCH, { vertical: 'products', locale: 'fr-FR', query: 'plage' });
    expect([body.mode, body.hits.map(({ id }) => id)]).toEqual(['keyword', ['fr']]);
  });
});

describe('search with an embedding service', () => {
  const service = new EmbeddingService();
  let other: TestApp;
  beforeAll(async () => {
    // Each application would run the jobs of both and compute vectors with its own model.
    await app.close();
    const url = await service.start();
    other = await startApp({ env: { EMBEDDER: 'http', EMBEDDING_URL: url, EMBEDDING_MODEL: 'toy' } });
    // Otherwise the schedule finds the missing vectors only once a minute.
    await putAll(other, documents);
    await embedded(other);
    // The index is rebuilt with the vectors of the new model.
    await until(async () => (await search({ query: 'ice' }, other)).mode === 'hybrid');
  }, 60_000);
  afterAll(() => service.stop());

  it('search with an embedding service uses the vectors of the service', async () => {
    const meant = await search({ query: 'ice', mode: 'semantic' }, other);
    expect([meant.mode, meant.hits[0]?.id]).toEqual(['semantic', 'husky']);
  });

  it('search with an embedding service returns each result exactly once over the pages while documents are added', async () => {
    const walks = Array.from({ length: 23 }, (_, n) => ({
      id: `w${n}`,
      fields: { name: `Ice walk ${'x'.repeat(n)}` },
    }));
    await putAll(other, walks);
    await embedded(other);
    const query = 'ice walk';
    const walked: Record<string, string[]> = { semantic: [], hybrid: [] };
    const cursors: Record<string, string | null> = { semantic: '', hybrid: '' };
    const atFirst: Record<string, string[]> = {};
    for (const mode of Object.keys(walked)) {
      atFirst[mode] = (await search({ query, mode, pagination: { limit: 250 } }, other)).hits.map(({ id }) => id);
    }
    for (let page = 0; Object.values(cursors).some((cursor) => cursor !== null); page += 1) {
      for (const [mode, cursor] of Object.entries(cursors)) {
        if (cursor === null) continue;
        const pagination = { limit: 6, ...(cursor ? { cursor } : {}) };
        const answer = await search({ query, mode, pagination }, other);
        expect([answer.mode, answer.hits.length > 0]).toEqual([mode, true]);
        walked[mode]?.push(...answer.hits.map(({ id }) => id));
        cursors[mode] = answer.next_cursor;
      }
      await putAll(other, [{ id: `new${page}`, fields: { name: `Ice walk added ${'y'.repeat(page)}` } }]);
      await embedded(other);
    }
    for (const [mode, ids] of Object.entries(walked)) {
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => atFirst[mode]?.includes(id)).toSorted()).toEqual(atFirst[mode]?.toSorted());
      expect(atFirst[mode]?.length).toBeGreaterThan(22);
    }
  }, 60_000);

  it('search with an embedding service uses the current vectors until renewed ones are computed', async () => {
    const received = service.documents;
    service.pause();
    const { status: code } = await other.as('owner').post('/v1/admin/catalog/reindex', { embeddings: 'renew' });
    expect(code).toBe(200);
    await until(async () => (await status(other)).reindex?.status === 'done');
    await until(async () => service.paused > 0);
    await searchable(other);
    const { fresh, embedder } = await status(other);
    const meant = await search({ query: 'ice', mode: 'semantic' }, other);
    expect([fresh, embedder.pending > 22, meant.mode, meant.total > 22]).toEqual([false, true, 'semantic', true]);
    service.resume();
    await embedded(other);
    expect(service.documents - received).toBeGreaterThan(22);
  }, 60_000);

  it('a slow embedding service does not occupy the workers of other jobs', async () => {
    service.pause();
    // The service treats a single text as a query.
    await putAll(
      other,
      ['snow', 'sledge'].map((id) => ({ id, fields: { name: `A ${id}` } })),
    );
    await other.sql('select graphile_worker.add_job($1) from generate_series(1, 6)', ['catalog.embed-missing']);
    await other.sql('select graphile_worker.add_job($1)', ['trips.sweep']);
    const left = `select from graphile_worker.jobs where task_identifier = 'trips.sweep'`;
    await until(async () => (await other.sql(left)).length === 0);
    await until(async () => service.paused > 0);
    expect(service.paused).toBe(1);
    service.resume();
    await embedded(other);
  }, 60_000);

  it('a document that the embedding service rejects does not stop others, and is retried when its text changes', async () => {
    const others = Array.from({ length: 20 }, (_, n) => ({ id: `v${n}`, fields: { name: `Vial number ${n}` } }));
    await putAll(other, [...others, ...['poison', 'empty'].map((id) => ({ id, fields: { name: `Poison ${id}` } }))]);
    // Such a name could be stored before names without text were rejected.
    await other.sql(
      `update catalog_document set fields = '{"name": "<p></p>"}', content_hash = sha256('') where id = 'empty'`,
    );
    const isEmbedded = async (id: string) => {
      const { body } = await other.as('owner').get<{ data: CatalogDocument }>(`${DOCUMENTS}/products/${id}`);
      return body.data.embedded;
    };

    await embedded(other);
    expect(await Promise.all(['v0', 'v19', 'poison', 'empty'].map(isEmbedded))).toEqual([true, true, false, false]);
    expect((await search({ query: 'poison' }, other)).hits.map(({ id }) => id)).toContain('poison');

    await putAll(other, [{ id: 'poison', fields: { name: 'Antidote' } }]);
    await embedded(other);
    expect(await isEmbedded('poison')).toBe(true);
  }, 60_000);

  it('search falls back to keyword mode and stops calling the embedding service after repeated failures', async () => {
    service.isBroken = true;
    const received = service.queries;
    for (const query of ['lapland', 'lapland trip', 'lapland week', 'lapland tour', 'lapland snow', 'lapland dogs']) {
      const { body } = await other.post<SearchAnswer>(SEARCH, { vertical: 'products', query, mode: 'semantic' });
      expect([body.mode, body.hits.map(({ id }) => id)]).toEqual(['keyword', expect.arrayContaining(['husky'])]);
    }
    expect(service.queries - received).toBe(3);
  });
});
