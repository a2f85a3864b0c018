import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { type Fields, putAll, SEARCH, type SearchAnswer, searchable, STATUS } from './catalog.js';

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
  // The demo catalog would be embedded first, which takes longer than what is tried here.
  await plain.sql(`update catalog_document set deleted_at = now()`);
  await plain.close();
  app = await startApp({ env: { EMBEDDER: 'builtin' } });
  await putAll(app, documents);
  await embedded(app);
}, 180_000);

const pending = async (of: TestApp) => {
  const { body } = await of.as('owner').get<{ data: { fresh: boolean; embedder: { pending: number } } }>(STATUS);
  return body.data;
};

async function embedded(of: TestApp): Promise<void> {
  for (let attempt = 0; attempt < 1_500; attempt += 1) {
    if ((await pending(of)).fresh) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The documents did not get their vectors');
}

const ask = async (body: object, of: TestApp = app) => {
  // The thread's first words load the model, which takes longer than a search waits.
  for (let attempt = 0; ; attempt += 1) {
    const { body: answer } = await of.post<SearchAnswer>(SEARCH, { vertical: 'products', ...body });
    if (answer.mode !== 'keyword' || attempt === 20) return answer;
  }
};

describe('with the built-in model, without any network', () => {
  it.each([
    ['seaside vacation', 'beach'],
    ['trekking with a guide', 'alps'],
    ['vineyards and gourmet restaurants', 'wine'],
    ['ancient ruins and galleries', 'rome'],
    ['snorkelling among fish', 'dive'],
  ])('"%s" finds what is meant, by meaning and by both', async (query, id) => {
    for (const mode of ['semantic', 'hybrid']) {
      const answer = await ask({ query, mode });
      expect([answer.mode, answer.hits[0]?.id]).toEqual([mode, id]);
    }
  });

  it('hybrid is what is searched by unless asked otherwise', async () => {
    expect((await ask({ query: 'sunny coast' })).mode).toBe('hybrid');
    expect((await ask({})).mode).toBe('hybrid');
  });

  it('pages of both modes give each result once', async () => {
    for (const mode of ['semantic', 'hybrid']) {
      const all = await ask({ query: 'week in the sun', mode });
      const first = await ask({ query: 'week in the sun', mode, pagination: { limit: 2 } });
      const pagination = { limit: 250, cursor: first.next_cursor };
      const rest = first.next_cursor ? await ask({ query: 'week in the sun', mode, pagination }) : { hits: [] };
      const walked = [...first.hits, ...rest.hits].map(({ id }) => id);
      expect(walked).toEqual(all.hits.map(({ id }) => id));
    }
  });

  it('a language that the model does not speak is searched by words', async () => {
    await putAll(app, [{ id: 'fr', fields: { name: 'Semaine à la plage' } }], { locale: 'fr-FR' });
    await searchable(app);
    const { body } = await app.post<SearchAnswer>(SEARCH, { vertical: 'products', locale: 'fr-FR', query: 'plage' });
    expect([body.mode, body.hits.map(({ id }) => id)]).toEqual(['keyword', ['fr']]);
  });
});

describe('with an embedding service', () => {
  let service: Server;
  let broken = false;
  let hold: Promise<void> | null = null;
  let atOnce = 0;
  let most = 0;
  beforeAll(async () => {
    service = createServer((request, response) => {
      most = Math.max(most, (atOnce += 1));
      response.on('close', () => (atOnce -= 1));
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
        response.statusCode = broken ? 500 : 200;
        const vector = (text: string) => [/ice|snow/i.test(text) ? 1 : 0, /sea|beach/i.test(text) ? 1 : 0, 0.1];
        const answer = JSON.stringify({ data: input.map((text) => ({ embedding: vector(text) })) });
        void Promise.resolve(hold).then(() => response.end(answer));
      });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => service.close(resolve)));

  it('searches by its vectors, leaves workers to other jobs while it waits, and searches by words as soon as it fails', async () => {
    const { port } = service.address() as AddressInfo;
    const other = await startApp({
      env: { EMBEDDER: 'http', EMBEDDING_URL: `http://127.0.0.1:${port}/v1/embeddings`, EMBEDDING_MODEL: 'toy' },
    });
    await embedded(other);
    await searchable(other);
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const { body } = await other.post<SearchAnswer>(SEARCH, { vertical: 'products', query: 'ice' });
      if (body.mode === 'hybrid') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const meant = await ask({ query: 'ice', mode: 'semantic' }, other);
    expect([meant.mode, meant.hits[0]?.id]).toEqual(['semantic', 'husky']);

    let letGo = () => {};
    hold = new Promise((resolve) => (letGo = resolve));
    most = 0;
    await putAll(other, [{ id: 'snow', fields: { name: 'Snow shoes' } }]);
    const runs = 'select graphile_worker.add_job($1) from generate_series(1, 6)';
    await other.sql(runs, ['catalog.embed-missing']);
    await other.sql('select graphile_worker.add_job($1)', ['trips.sweep']);
    const left = `select from graphile_worker.jobs where task_identifier = 'trips.sweep'`;
    for (let attempt = 0; attempt < 400 && (await other.sql(left)).length > 0; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect([await other.sql(left), most]).toEqual([[], 1]);
    letGo();
    await embedded(other);

    broken = true;
    const { body } = await other.post<SearchAnswer>(SEARCH, {
      vertical: 'products',
      query: 'lapland',
      mode: 'semantic',
    });
    expect([body.mode, body.hits.map(({ id }) => id)]).toEqual(['keyword', ['husky']]);
  }, 120_000);
});
