import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RenditionJobs } from '../../../src/modules/finance/documents/renditions.jobs.js';
import { asSystem } from '../../../src/platform/context/request-context.js';
import { FileStore } from '../../../src/platform/files/file-store.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { problem } from '../invoices.js';
import { requestRendition, bill, download, fetchFile } from './rendering.js';

let app: TestApp;
let owner: TestClient;
let folder: string;
let jobs: RenditionJobs;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'travel-files-'));
  // An empty store; the tests run the jobs themselves.
  await mkdir(join(folder, 'files'));
  app = await startApp({ env: { JOBS: 'false', FILES_DIR: join(folder, 'files') } });
  owner = app.as('owner');
  jobs = app.nest.get(RenditionJobs);
});

const render = (id: string) => asSystem(() => jobs.render({ renditionId: id }));
const rowOf = async (id: string) =>
  (
    await app.sql<{ status: string; attempts: number; failure: string | null }>(
      'select status, attempts, failure from invoice_renditions where id = $1',
      [id],
    )
  )[0];
const requested = async () => (await requestRendition(owner, (await bill(app)).id)).id;
const actionsOf = async (id: string) =>
  (
    await app.sql<{ action: string }>(
      'select action from action_ledger_entries where subject_id = $1 order by sequence',
      [id],
    )
  ).map(({ action }) => action.replace('finance.invoice_rendition.', ''));

/** Makes the file store unavailable by renaming its folder. */
async function withoutFiles(work: () => Promise<void>): Promise<void> {
  await rename(join(folder, 'files'), join(folder, 'away'));
  try {
    await work();
  } finally {
    await rm(join(folder, 'files'), { recursive: true, force: true });
    await rename(join(folder, 'away'), join(folder, 'files'));
  }
}

describe('rendering', () => {
  it('a rendition is pending until it is rendered, and 409 rendition_not_ready contains the time to retry', async () => {
    const id = await requested();
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

  it('a rendition is rendered once if the job runs again', async () => {
    const id = await requested();
    await Promise.all(Array.from({ length: 3 }, () => render(id)));
    const rendered = await rowOf(id);
    await render(id);
    expect(rendered?.status).toBe('ready');
    expect(await rowOf(id)).toEqual(rendered);
    expect(await actionsOf(id)).toEqual(['request', 'render']);
  });

  it('a job waits while the completion of another version locks its rendition', async () => {
    const id = await requested();
    const locked = app.sql(
      'select pg_sleep(1) from (select id from invoice_renditions where id = $1 for update) locked_by_another_version',
      [id],
    );
    const sleeps = `select from pg_stat_activity where wait_event = 'PgSleep' and query like '%locked_by_another_version'`;
    while ((await app.sql(sleeps)).length === 0);
    await render(id);
    expect((await rowOf(id))?.status).toBe('ready');
    await locked;
  });

  it('a download is 410 rendition_file_missing if the file was deleted, and 503 while the store is unavailable', async () => {
    const id = await requested();
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
    const response = await download(owner, id);
    expect([response.status, response.body]).toEqual([410, problem('rendition_file_missing')]);
    expect((await app.get(location)).body).toEqual(problem('not_found'));
  });

  it('a rendition fails after five attempts: 409 rendition_failed', async () => {
    const id = await requested();
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
    expect(await rowOf(id)).toMatchObject({ status: 'failed', attempts: 5 });
    const { status, body } = await download(owner, id);
    expect([status, body]).toEqual([409, problem('rendition_failed')]);
    expect(await actionsOf(id)).toEqual(['request', 'fail']);
    await render(id);
    expect((await rowOf(id))?.status).toBe('failed');
  });

  it('a rendition whose process died is rendered by the next run of the job', async () => {
    const id = await requested();
    await app.sql('update invoice_renditions set attempts = 1 where id = $1', [id]);
    await render(id);
    expect(await rowOf(id)).toMatchObject({ status: 'ready', attempts: 2 });
  });

  it('a rendition whose process died in the last attempt fails in the next run of the job', async () => {
    const id = await requested();
    await app.sql('update invoice_renditions set attempts = 5 where id = $1', [id]);
    await render(id);
    expect(await rowOf(id)).toEqual({ status: 'failed', attempts: 5, failure: 'The last attempt did not end' });
    expect(await actionsOf(id)).toEqual(['request', 'fail']);
  });

  it('a rendition waits while the file store is unavailable, however often the job runs, and is rendered afterwards', async () => {
    const id = await requested();
    await withoutFiles(async () => {
      await writeFile(join(folder, 'files'), 'no folder');
      for (let run = 1; run <= 6; run += 1) {
        await expect(render(id)).rejects.toMatchObject({ status: 503 });
      }
    });
    expect(await rowOf(id)).toEqual({
      status: 'pending',
      attempts: 0,
      failure: 'The file storage is unavailable',
    });
    await render(id);
    expect(await rowOf(id)).toMatchObject({ status: 'ready', attempts: 1, failure: null });
    expect(await actionsOf(id)).toEqual(['request', 'render']);
  });

  it('a rendition is one job of the queue, which runs it for days while it cannot be stored', async () => {
    const id = await requested();
    const queued = await app.sql('select attempts, max_attempts from graphile_worker._private_jobs where key = $1', [
      id,
    ]);
    expect(queued).toEqual([{ attempts: 0, max_attempts: 25 }]);
  });

  it('a rendition that is ready after a newer one is stale at once', async () => {
    const { id: invoiceId } = await bill(app);
    const [older, newer] = [await requestRendition(owner, invoiceId), await requestRendition(owner, invoiceId)];
    await render(newer.id);
    await render(older.id);
    expect([(await rowOf(older.id))?.status, (await rowOf(newer.id))?.status]).toEqual(['stale', 'ready']);
  });
});

describe('the file store', () => {
  it('the file store keeps the same bytes once under their digest, without temporary files', async () => {
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

describe('the renditions table', () => {
  it.each([
    [`status = 'ready'`, 'invoice_renditions_file'],
    [`storage_key = '${'a'.repeat(64)}'`, 'invoice_renditions_file'],
    [`status = 'failed'`, 'invoice_renditions_failure'],
    [`attempts = 6`, 'invoice_renditions_attempts_check'],
    [`language = 'xx'`, 'invoice_renditions_language_check'],
  ])('the renditions table rejects %s', async (change, constraint) => {
    const id = await requested();
    const attempt = app.sql(`update invoice_renditions set ${change} where id = $1`, [id]);
    await expect(attempt).rejects.toMatchObject({ constraint });
  });
});
