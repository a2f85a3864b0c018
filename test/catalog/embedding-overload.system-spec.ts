import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { MeasuredProcess } from '../system/request-cost/measured-process.js';
import { putAll, SEARCH, type SearchAnswer, searchable, STATUS } from './catalog.js';

/** Normalization by the model makes 18 characters of it. */
const GROWS = '\ufdfa';
const LOADED_WITHIN_MS = 60_000;
/** The limit on an idle machine whose CPU time for the control's fixed work is at most `FAST_WORK_MS`. */
const AVAILABLE_WITHIN_MS = 5_000;
const FAST_WORK_MS = 5;

let app: TestApp;
let control: MeasuredProcess;
let searches = 0;

async function semantic(query: string): Promise<SearchAnswer> {
  return (await app.post<SearchAnswer>(SEARCH, { vertical: 'products', mode: 'semantic', query })).body;
}

/** Each query is a new one, because the vectors of earlier queries are cached. */
async function isAvailable(): Promise<boolean> {
  return (await semantic(`seaside vacation ${(searches += 1)}`)).mode === 'semantic';
}

async function availableAfterMs(withinMs: number): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await isAvailable()) return performance.now() - began;
    if (performance.now() - began > withinMs) throw new Error(`Not available within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The limit grows with the time that the control needs for its work at that moment. */
async function expectSoonAvailable(): Promise<void> {
  const limit = AVAILABLE_WITHIN_MS * Math.max(1, (await control.work()) / FAST_WORK_MS);
  expect(await availableAfterMs(limit)).toBeLessThan(limit);
}

async function pendingDocuments(): Promise<number> {
  const { body } = await app.as('owner').get<{ data: { embedder: { pending: number } } }>(STATUS);
  return body.data.embedder.pending;
}

beforeAll(async () => {
  const plain = await startApp({ env: { JOBS: 'false' } });
  // The demo catalog would be embedded first, which takes minutes.
  await plain.sql('update catalog_document set deleted_at = now()');
  await plain.close();
  app = await startApp({ env: { EMBEDDER: 'builtin' } });
  await putAll(app, [{ id: 'beach', fields: { name: 'Beach week in Crete', shortDescription: 'Sun and sand' } }]);
  await searchable(app);
  await availableAfterMs(LOADED_WITHIN_MS);
  control = await MeasuredProcess.start('control-process.js');
}, 180_000);

describe('semantic search', () => {
  it('semantic search is soon available after twenty parallel queries that normalization makes longer', async () => {
    const attack = Array.from({ length: 20 }, (_, n) => semantic(`${n} ${GROWS.repeat(2_000)}`));
    for (const { mode } of await Promise.all(attack)) expect(['semantic', 'keyword']).toContain(mode);
    await expectSoonAvailable();
  });

  it('semantic search spends no time on queries whose clients have disconnected', async () => {
    const url = new URL(SEARCH, await app.nest.getUrl());
    const abandon = async (n: number) => {
      const body = JSON.stringify({
        vertical: 'products',
        query: `gone ${n} ${GROWS.repeat(2_000)}`,
        mode: 'semantic',
      });
      const headers = { 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(20);
      await fetch(url, { method: 'POST', headers, body, signal }).catch(() => undefined);
    };
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => abandon(round * 20 + n)));
    }
    await expectSoonAvailable();
  });

  it('semantic search is available while documents are embedded', async () => {
    const text = 'A long walk through vineyards and villages, with a guide. '.repeat(8);
    const fields = (n: number) => ({ name: `Walk ${n}`, description: `${n}: ${text}` });
    await putAll(
      app,
      Array.from({ length: 300 }, (_, n) => ({ id: `walk-${n}`, fields: fields(n) })),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    await availableAfterMs(LOADED_WITHIN_MS);
    expect(await pendingDocuments()).toBeGreaterThan(0);
  });
});
