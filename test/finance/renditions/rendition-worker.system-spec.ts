import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RenditionClaims } from '../../../src/modules/finance/renditions/rendition-claims.service.js';
import { RenditionWorker } from '../../../src/modules/finance/renditions/rendition-worker.service.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { FileStore } from '../../../src/platform/files/file-store.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { ask, bill, download, fetchFile } from './rendering.js';

let app: TestApp;
let owner: TestClient;
let folder: string;
let worker: RenditionWorker;
let claims: RenditionClaims;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'travel-files-'));
  // Nobody works off the jobs but the tests.
  app = await startApp({ env: { JOBS: 'false', FILES_DIR: join(folder, 'files') } });
  owner = app.as('owner');
  worker = app.nest.get(RenditionWorker);
  claims = app.nest.get(RenditionClaims);
});

const render = (id: string) => asSystem(() => worker.render(id));
const rowOf = async (id: string) =>
  (
    await app.sql<{ status: string; attempts: number; failure: string | null; lease_until: Date | null }>(
      'select status, attempts, failure, lease_until from invoice_renditions where id = $1',
      [id],
    )
  )[0];
const asked = async () => (await ask(owner, (await bill(app)).id)).id;
const actionsOf = async (id: string) =>
  (
    await app.sql<{ action: string }>(
      'select action from action_ledger_entries where subject_id = $1 order by sequence',
      [id],
    )
  ).map(({ action }) => action.replace('finance.invoice_rendition.', ''));

/** The store is away: the folder is another one for a while. */
async function withoutFiles(work: () => Promise<void>): Promise<void> {
  await rename(join(folder, 'files'), join(folder, 'away'));
  try {
    await work();
  } finally {
    await rm(join(folder, 'files'), { recursive: true, force: true });
    await rename(join(folder, 'away'), join(folder, 'files'));
  }
}

describe('a rendition', () => {
  it('is pending until it is rendered: 409 rendition_not_ready says when to ask again', async () => {
    const id = await asked();
    const { status, headers, body } = await download(owner, id);
    expect([status, headers['retry-after'], body]).toEqual([
      409,
      '1',
      problem('rendition_not_ready', { retryAfterMs: 1_000 }),
    ]);
    await render(id);
    expect((await download(owner, id)).status).toBe(302);
    expect(await actionsOf(id)).toEqual(['request', 'render']);
  });

  it('is rendered once, however many workers reach for it, and never twice', async () => {
    const id = await asked();
    await Promise.all(Array.from({ length: 5 }, () => render(id)));
    await render(id);
    expect(await rowOf(id)).toMatchObject({ status: 'ready', attempts: 1, lease_until: null });
    expect(await actionsOf(id)).toEqual(['request', 'render']);
  });

  it('is not passed over while the completion of another version holds it', async () => {
    const id = await asked();
    const held = app.sql(
      'select pg_sleep(1) from (select id from invoice_renditions where id = $1 for update) held_by_a_sibling',
      [id],
    );
    const sleeps = `select from pg_stat_activity where wait_event = 'PgSleep' and query like '%held_by_a_sibling'`;
    while ((await app.sql(sleeps)).length === 0);
    await render(id);
    expect((await rowOf(id))?.status).toBe('ready');
    await held;
  });

  it('of which the file is gone is 410 rendition_file_missing; while the store is away 503', async () => {
    const id = await asked();
    await render(id);
    await withoutFiles(async () => {
      const { status, headers, body } = await download(owner, id);
      expect([status, headers['retry-after'], body]).toEqual([
        503,
        '1',
        problem('service_unavailable', { retryAfterMs: 1_000 }),
      ]);
    });
    const { headers } = await download(owner, id);
    const location = headers['location'] ?? '';
    expect((await fetchFile(app.url + location)).status).toBe(200);
    const [{ key } = { key: '' }] = await app.sql<{ key: string }>(
      'select storage_key as key from invoice_renditions where id = $1',
      [id],
    );
    await rm(join(folder, 'files', key.slice(0, 2), key.slice(2, 4), key));
    const gone = await download(owner, id);
    expect([gone.status, gone.body]).toEqual([410, problem('rendition_file_missing')]);
    expect((await app.get(location)).body).toEqual(problem('not_found'));
  });

  it('that fails five times is given up: 409 rendition_failed', async () => {
    const id = await asked();
    const files = app.nest.get(FileStore);
    const put = files.put.bind(files);
    files.put = () => Promise.reject(new Error('the disk is full'));
    try {
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        await expect(render(id)).rejects.toThrow('the disk is full');
        expect(await rowOf(id)).toMatchObject({ status: 'pending', attempts: attempt, failure: 'the disk is full' });
      }
      await render(id);
    } finally {
      files.put = put;
    }
    expect(await rowOf(id)).toMatchObject({ status: 'failed', attempts: 5, lease_until: null });
    const { status, body } = await download(owner, id);
    expect([status, body]).toEqual([409, problem('rendition_failed')]);
    expect(await actionsOf(id)).toEqual(['request', 'fail']);
    await render(id);
    expect((await rowOf(id))?.status).toBe('failed');
  });

  it('whose worker dies is free after five minutes, and what the dead one still says does not count', async () => {
    const id = await asked();
    const first = await claims.claim(id);
    expect(first).toMatchObject({ id, attempts: 1 });
    expect(await claims.claim(id)).toBeNull();
    app.travel({ ms: 301_000 });
    await render(id);
    expect(await rowOf(id)).toMatchObject({ status: 'ready', attempts: 2 });
    const before = await rowOf(id);
    if (first) {
      await asSystem(() => claims.complete(first, { key: 'f'.repeat(64), sizeBytes: 1 }));
      await asSystem(() => claims.giveUp(first, 'late'));
    }
    expect(await rowOf(id)).toEqual(before);
    expect(await actionsOf(id)).toEqual(['request', 'render']);
  });

  it('that nobody is at is taken up again by the sweep, and given up after five attempts', async () => {
    const [lost, hopeless] = [await asked(), await asked()];
    await claims.claim(lost);
    await app.sql('update invoice_renditions set attempts = 5, lease_until = now() where id = $1', [hopeless]);
    await app.sql('delete from graphile_worker._private_jobs where key = any($1)', [[lost, hopeless]]);
    const jobs = async () =>
      (await app.sql<{ key: string }>('select key from graphile_worker._private_jobs where key = $1', [lost])).length;
    await asSystem(() => worker.sweep());
    expect(await jobs()).toBe(0);
    app.travel({ ms: 301_000 });
    await asSystem(() => worker.sweep());
    expect([await jobs(), (await rowOf(lost))?.status, (await rowOf(hopeless))?.status]).toEqual([
      1,
      'pending',
      'failed',
    ]);
  });

  it('that becomes ready after a newer one is stale at once', async () => {
    const { id: invoiceId } = await bill(app);
    const [older, newer] = [await ask(owner, invoiceId), await ask(owner, invoiceId)];
    await render(newer.id);
    await render(older.id);
    expect([(await rowOf(older.id))?.status, (await rowOf(newer.id))?.status]).toEqual(['stale', 'ready']);
  });
});

describe('the store of files', () => {
  it('keeps the same bytes once under their digest, and leaves no drafts behind', async () => {
    const files = app.nest.get(FileStore);
    const bytes = Buffer.from('the same bytes');
    const stored = await Promise.all(Array.from({ length: 8 }, () => files.put(bytes)));
    const key = stored[0]?.key ?? '';
    expect(new Set(stored.map((file) => file.key)).size).toBe(1);
    expect(await readdir(join(folder, 'files', key.slice(0, 2), key.slice(2, 4)))).toEqual([key]);
    expect([await files.has(key), await files.has('0'.repeat(64)), await files.has('../../etc/passwd')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the table of renditions refuses', () => {
  it.each([
    [`status = 'ready'`, 'invoice_renditions_file'],
    [`storage_key = '${'a'.repeat(64)}'`, 'invoice_renditions_file'],
    [`status = 'failed'`, 'invoice_renditions_failure'],
    [`attempts = 6`, 'invoice_renditions_attempts_check'],
    [`language = 'xx'`, 'invoice_renditions_language_check'],
  ])('%s', async (change, constraint) => {
    const id = await asked();
    const attempt = app.sql(`update invoice_renditions set ${change} where id = $1`, [id]);
    await expect(attempt).rejects.toMatchObject({ constraint });
  });
});
