import { expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyFiles, restoreFiles } from '../../scripts/backup/files.js';
import { newFolder } from '../launcher/folders.js';

type Options = Parameters<typeof copyFiles>[1];
type Backup = Options['earlier'][number];

const { signal } = new AbortController();
const SHA256 = createHash('sha256').update('bytes').digest('hex');
const STORED = join('files', SHA256.slice(0, 2), SHA256.slice(2, 4), SHA256);

/** Makes a folder with a stored file and the checkpoints of the ledger. */
function source(content = 'bytes') {
  const root = newFolder();
  mkdirSync(dirname(join(root, STORED)), { recursive: true });
  writeFileSync(join(root, STORED), content);
  const checkpointFile = join(root, 'checkpoints.jsonl');
  writeFileSync(checkpointFile, '{}');
  return { filesDir: join(root, 'files'), checkpointFile };
}

/** Makes a backup of the files, after earlier ones. */
async function backup(places: Parameters<typeof copyFiles>[0], { earlier = [], keys = [] }: Partial<Options> = {}) {
  const folder = newFolder();
  const copied = await copyFiles(places, { target: folder, earlier, keys, signal });
  const { entries, lacking } = copied;
  const manifest = { entries, lacking, lost: [] as string[] } as Backup['manifest'];
  return { ...copied, folder, manifest, name: basename(folder) };
}

it('a backup of a service with a bucket contains the checkpoints of the ledger and no files', async () => {
  const { folder } = await backup({ ...source(), filesDir: null });
  expect(readdirSync(folder)).toEqual(['ledger-checkpoints.jsonl']);
});

it('a restore to a service with a bucket restores the checkpoints and counts the files that it omits', async () => {
  const taken = await backup(source());
  const checkpointFile = join(newFolder(), 'checkpoints.jsonl');
  const omitted = await restoreFiles(taken, { filesDir: null, checkpointFile, others: [], signal });
  expect([omitted, existsSync(checkpointFile)]).toEqual([
    { restored: 0, present: 0, omitted: 1, missing: [], checkpoints: true },
    true,
  ]);

  const root = newFolder();
  const places = { filesDir: join(root, 'files'), checkpointFile };
  const restored = await restoreFiles(taken, { ...places, others: [], signal });
  expect([restored, existsSync(join(root, STORED))]).toEqual([
    { restored: 1, present: 0, omitted: 0, missing: [], checkpoints: false },
    true,
  ]);
});

it('a file that the restored backup lacks is taken from any backup that has it undamaged', async () => {
  const { checkpointFile } = source();
  const absent = { filesDir: newFolder(), checkpointFile };
  const other = 'f'.repeat(64);
  const taken = await backup(absent, { keys: [SHA256, other] });
  const options = { filesDir: newFolder(), checkpointFile, signal, others: [await backup(source())] };
  expect(await restoreFiles(taken, options)).toMatchObject({ restored: 1, present: 0, missing: [other] });
  expect(readFileSync(join(options.filesDir, STORED.slice('files/'.length)), 'utf8')).toBe('bytes');
  expect(await restoreFiles(taken, options)).toMatchObject({ restored: 0, present: 1, missing: [other] });
});

it('a damaged stored file is restored, and a damaged copy of it in a backup is not used', async () => {
  const taken = await backup(source());
  const places = source('BYTES');
  const other = await backup(source());
  writeFileSync(join(taken.folder, STORED), 'BYTES');
  expect(await restoreFiles(taken, { ...places, others: [], signal })).toMatchObject({ missing: [SHA256] });
  expect(await restoreFiles(taken, { ...places, others: [other], signal })).toMatchObject({ restored: 1, missing: [] });
  expect(readFileSync(join(dirname(places.filesDir), STORED), 'utf8')).toBe('bytes');
});

it('a stored file that was damaged later is taken from the newest backup that has it undamaged', async () => {
  const first = await backup(source());
  const second = await backup(source(), { earlier: [first] });
  rmSync(join(second.folder, STORED));
  writeFileSync(join(second.folder, STORED), 'BYTES');
  for (const content of ['BYTES', 'byte', '']) {
    const third = await backup(source(content), { earlier: [second, first] });
    expect([third.damaged, third.lacking, [...third.linked]]).toEqual([[SHA256], [], [STORED]]);
    expect(readFileSync(join(third.folder, STORED), 'utf8')).toBe('bytes');
  }
});

it('a damaged stored file without an undamaged copy is reported and not part of the backup', async () => {
  const earlier = [await backup(source('BYTES'))];
  const { damaged, missing, lacking, folder } = await backup(source('BYTES'), { earlier, keys: [SHA256] });
  expect([damaged, missing, lacking]).toEqual([[SHA256], [], [SHA256]]);
  expect(existsSync(join(folder, STORED))).toBe(false);
});

it('a file that the database names and that is not stored is missing, also if no file can be read', async () => {
  const earlier = [await backup(source())];
  const { checkpointFile } = source();
  for (const filesDir of [join(newFolder(), 'absent'), newFolder(), checkpointFile]) {
    const places = { filesDir, checkpointFile };
    const alone = await backup(places, { keys: [SHA256] });
    expect([alone.missing, alone.lacking]).toEqual([[SHA256], [SHA256]]);
    const later = await backup(places, { earlier, keys: [SHA256] });
    expect([later.missing, later.lacking, existsSync(join(later.folder, STORED))]).toEqual([[SHA256], [], true]);
  }
});
