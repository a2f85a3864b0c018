import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLinks } from '../../../src/platform/files/file-links.js';
import { FileStore, pathOf } from '../../../src/platform/files/file-store.js';
import { fetchFile } from '../../finance/renditions/rendering.js';
import { startApp, type TestApp } from '../../setup/app.js';
import { ownerTokenId } from '../../setup/staff-token.js';
import { closeAfterTests } from '../../setup/running.js';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'travel-damaged-'));
  closeAfterTests(() => rm(folder, { recursive: true, force: true }));
  app = await startApp({ env: { FILES_DIR: folder, LOG_LEVEL: 'error', METRICS: 'true' } });
});

/** A stored file and a link to it. */
async function linked(size: number): Promise<{ key: string; bytes: Buffer; url: string }> {
  const bytes = randomBytes(size);
  const { key } = await app.nest.get(FileStore).put(bytes);
  const { path } = await app.nest
    .get(FileLinks)
    .linkTo({ key, name: 'file.pdf', type: 'application/pdf' }, await ownerTokenId(app));
  return { key, bytes, url: app.url + path };
}

/** Changes the last bit of a file on the disk. */
async function damage(key: string): Promise<void> {
  const path = join(folder, pathOf(key));
  const bytes = await readFile(path);
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

const damagedReads = async () =>
  Number(/^file_store_damaged_reads_total (\d+)$/m.exec((await app.get('/metrics')).text)?.[1]);
const logged = (key: string) =>
  app.logs.filter((line) => line.includes(`The content of the file ${key} does not have this SHA-256`));

describe('the download of a file that was damaged in its store', () => {
  it('a damaged file is an error response, counted and logged once, and whole again when its bytes are stored again', async () => {
    const { key, bytes, url } = await linked(50_000);
    expect((await fetchFile(url)).bytes.equals(bytes)).toBe(true);
    const before = await damagedReads();
    await damage(key);
    const { status, headers, bytes: body } = await fetchFile(url);
    expect([status, headers['content-disposition'], JSON.parse(body.toString())]).toEqual([
      500,
      undefined,
      { error: 'An unexpected error occurred', requestId: expect.any(String) },
    ]);
    expect([(await damagedReads()) - before, logged(key).length]).toEqual([1, 1]);

    await app.nest.get(FileStore).put(bytes);
    expect((await fetchFile(url)).bytes.equals(bytes)).toBe(true);
  });

  it('the connection ends before the last bytes of a large damaged file, so that no client takes it for complete', async () => {
    const { key, bytes, url } = await linked(3_000_000);
    const whole = await fetchFile(url);
    expect([whole.status, whole.headers['content-length'], whole.bytes.equals(bytes)]).toEqual([200, '3000000', true]);
    const before = await damagedReads();
    await damage(key);
    const response = await fetch(url);
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    expect([(await damagedReads()) - before, logged(key).length]).toEqual([1, 1]);
  });
});
