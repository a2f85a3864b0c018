import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyFiles, restoreFiles } from '../../scripts/backup/files.js';
import { newFolder } from '../launcher/folders.js';

const { signal } = new AbortController();
const SHA256 = createHash('sha256').update('bytes').digest('hex');
const STORED = join('files', SHA256.slice(0, 2), SHA256.slice(2, 4), SHA256);

/** A folder with a stored file and the checkpoints of the ledger. */
function source() {
  const root = newFolder();
  mkdirSync(dirname(join(root, STORED)), { recursive: true });
  writeFileSync(join(root, STORED), 'bytes');
  const checkpointFile = join(root, 'checkpoints.jsonl');
  writeFileSync(checkpointFile, '{}');
  return { filesDir: join(root, 'files'), checkpointFile };
}

it('a backup of a service with a bucket contains the checkpoints of the ledger and no files', async () => {
  const target = newFolder();
  await copyFiles({ ...source(), filesDir: null }, { target, previous: undefined, signal });
  expect(readdirSync(target)).toEqual(['ledger-checkpoints.jsonl']);
});

it('a restore to a service with a bucket restores the checkpoints and counts the files that it omits', async () => {
  const folder = newFolder();
  const { entries } = await copyFiles(source(), { target: folder, previous: undefined, signal });
  const backup = { folder, manifest: { entries } } as Parameters<typeof restoreFiles>[0];
  const checkpointFile = join(newFolder(), 'checkpoints.jsonl');
  const omitted = await restoreFiles(backup, { filesDir: null, checkpointFile, signal });
  expect([omitted, existsSync(checkpointFile)]).toEqual([
    { restored: 0, present: 0, omitted: 1, checkpoints: true },
    true,
  ]);

  const root = newFolder();
  const restored = await restoreFiles(backup, { filesDir: join(root, 'files'), checkpointFile, signal });
  expect([restored, existsSync(join(root, STORED))]).toEqual([
    { restored: 1, present: 0, omitted: 0, checkpoints: false },
    true,
  ]);
});
