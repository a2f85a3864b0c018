import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackupStore, verifyBackup } from '../../scripts/backup/backup-store.js';
import { backupCopy } from '../../scripts/backup/commands.js';
import { newFolder } from '../launcher/folders.js';

type Manifest = Awaited<ReturnType<BackupStore['create']>>['manifest'];

const { signal } = new AbortController();
const NOON = new Date('2026-11-23T12:00:00Z');
const CONTENT = 'content';

function manifestOf(more: Partial<Manifest> = {}): Manifest {
  const sha256 = createHash('sha256').update(CONTENT).digest('hex');
  return {
    format: 1,
    kind: 'dump',
    startedAt: NOON.toISOString(),
    finishedAt: NOON.toISOString(),
    serviceVersion: '1.0.0',
    postgresVersion: '18.4',
    folders: [],
    keyIds: [],
    objectStore: null,
    complete: true,
    lacking: [],
    lost: [],
    entries: [{ path: 'database.dump', bytes: CONTENT.length, sha256 }],
    ...more,
  };
}

async function create(store: BackupStore, more: Partial<Manifest> = {}, { at = NOON, content = CONTENT } = {}) {
  const fill = async (folder: string) => {
    writeFileSync(join(folder, 'database.dump'), content);
    return { manifest: manifestOf(more), linked: new Set<string>() };
  };
  return (await store.create(at, fill, signal)).name;
}

it('the newest backups are kept, and a clock that was set back does not change their order', async () => {
  const store = new BackupStore(newFolder());
  const names = [await create(store), await create(store), await create(store, {}, { at: new Date(0) })];
  expect(names).toEqual(['20261123T120000Z', '20261123T120001Z', '20261123T120002Z']);
  expect(store.prune('dump', 2)).toEqual(names.slice(0, 1));
  expect(store.list().map(({ name }) => name)).toEqual(names.slice(1));
});

it('backups that lack files do not replace complete ones', async () => {
  const store = new BackupStore(newFolder());
  const complete = [await create(store), await create(store)];
  const lacking = [await create(store, { complete: false }), await create(store, { complete: false })];
  const newest = await create(store, { complete: false });
  expect(store.prune('dump', 2)).toEqual([lacking[0]]);
  expect(store.list().map(({ name }) => name)).toEqual([...complete, lacking[1], newest]);
});

it('a backup whose files differ from its manifest, or that fails, is not kept and deletes nothing', async () => {
  const store = new BackupStore(newFolder());
  await create(store);
  await expect(create(store, {}, { content: 'CONTENT' })).rejects.toThrow('damaged');
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  await expect(store.create(NOON, () => Promise.reject(full), signal)).rejects.toThrow(full);
  expect(readdirSync(store.folder)).toEqual(['20261123T120000Z']);
});

it('a manifest whose paths leave the backup, or that is no manifest, makes no backup', async () => {
  const store = new BackupStore(newFolder());
  const usable = await create(store);
  const { entries } = manifestOf();
  const paths = ['../a', '/etc/passwd', 'a/../../b', 'a//b', '', './a', 'a\\b'];
  const invalid = [
    ...paths.map((path) => ({ entries: [...entries, { path, bytes: 0, sha256: entries[0]?.sha256 }] })),
    ...paths.map((path) => ({ folders: [path] })),
    { entries: [] },
    { kind: 'physical' },
    { format: 2 },
    { lacking: ['../a'] },
  ].map((more) => JSON.stringify({ ...manifestOf(), ...more }));
  invalid.push('{', 'null');
  for (const [n, text] of invalid.entries()) {
    const name = `20261123T1300${String(n).padStart(2, '0')}Z`;
    mkdirSync(join(store.folder, name));
    writeFileSync(join(store.folder, name, 'manifest.json'), text);
    expect(() => store.get(name)).toThrow(`There is no backup ${name}`);
  }
  expect(store.list().map(({ name }) => name)).toEqual([usable]);
  expect(store.unreadable()).toHaveLength(invalid.length);
});

it('a backup with a symbolic link is damaged, and only its owner can read it', async () => {
  const store = new BackupStore(newFolder());
  const backup = store.get(await create(store));
  await verifyBackup(backup);
  expect(statSync(backup.folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(backup.folder, 'manifest.json')).mode & 0o777).toBe(0o600);
  mkdirSync(join(backup.folder, 'database'));
  symlinkSync('/etc', join(backup.folder, 'database/base'));
  await expect(verifyBackup(backup)).rejects.toMatchObject({ detail: 'database/base: neither a file nor a folder' });
});

describe('platform backup copy', () => {
  const copy = (from: string, to: string, backup?: string) => backupCopy({ from, to, backup }, { stopping: signal });
  const nameOf = (folder: string) => readdirSync(folder).filter((name) => name !== 'backup.lock');

  it('a copy has all files and the manifest, and a second command finds it and copies nothing', async () => {
    const [from, to] = [new BackupStore(newFolder()), new BackupStore(newFolder())];
    const name = await create(from);
    expect(await copy(from.folder, to.folder)).toMatchObject({
      result: { name, wasPresent: false, bytes: 7, deleted: [] },
    });
    expect(to.list()).toEqual([{ ...from.get(name), folder: join(to.folder, name) }]);
    await verifyBackup(to.get(name));
    const { ino } = statSync(join(to.folder, name, 'database.dump'));
    expect(await copy(from.folder, to.folder)).toMatchObject({ result: { name, wasPresent: true } });
    expect(statSync(join(to.folder, name, 'database.dump')).ino).toBe(ino);
    await expect(copy(from.folder, from.folder)).rejects.toThrow('is the folder of the backups');
  });

  it('a damaged copy is replaced, and files of earlier undamaged copies are linked', async () => {
    const [from, to] = [new BackupStore(newFolder()), new BackupStore(newFolder())];
    const [first, second] = [await create(from), await create(from)];
    await copy(from.folder, to.folder, first);
    await copy(from.folder, to.folder, second);
    const fileOf = (name: string) => join(to.folder, name, 'database.dump');
    expect(statSync(fileOf(second)).ino).toBe(statSync(fileOf(first)).ino);

    writeFileSync(fileOf(first), 'CONTENT');
    expect(await copy(from.folder, to.folder, second)).toMatchObject({ result: { wasPresent: false } });
    await verifyBackup(to.get(second));
    await expect(verifyBackup(to.get(first))).rejects.toThrow('damaged');
    expect(nameOf(to.folder).sort()).toEqual([first, second]);
  });

  it('a damaged backup is not copied, and leaves nothing behind', async () => {
    const [from, to] = [new BackupStore(newFolder()), new BackupStore(newFolder())];
    const name = await create(from);
    writeFileSync(join(from.folder, name, 'database.dump'), 'CONTENT');
    await expect(copy(from.folder, to.folder)).rejects.toMatchObject({ exitCode: 65 });
    expect(nameOf(to.folder)).toEqual([]);
  });

  it('a backup of another database with the same name is rejected, and stays', async () => {
    const [from, to] = [new BackupStore(newFolder()), new BackupStore(newFolder())];
    const name = await create(from);
    await create(to, { serviceVersion: '2.0.0' });
    await expect(copy(from.folder, to.folder)).rejects.toThrow('contains another backup with the name');
    expect(to.get(name).manifest.serviceVersion).toBe('2.0.0');
  });

  it('after the folder of the backups was lost, a copy of the first new backup is the newest copy', async () => {
    const to = new BackupStore(newFolder());
    for (const day of [1, 2, 3]) await create(to, {}, { at: new Date(NOON.getTime() - day * 86_400_000) });
    const from = new BackupStore(newFolder());
    const name = await create(from);
    await copy(from.folder, to.folder);
    expect(to.list().at(-1)?.name).toBe(name);
  });

  it('a backup that is older than the newest copy is copied only if it is named, because a restore would choose the other', async () => {
    const [from, to] = [new BackupStore(newFolder()), new BackupStore(newFolder())];
    const later = await create(to, {}, { at: new Date('2099-01-01T00:00:00Z') });
    const name = await create(from);
    await expect(copy(from.folder, to.folder)).rejects.toMatchObject({ exitCode: 65 });
    expect(nameOf(to.folder)).toEqual([later]);
    await copy(from.folder, to.folder, name);
    expect(nameOf(to.folder).sort()).toEqual([name, later]);
  });

  it('old copies beyond BACKUP_KEEP are deleted after the newest was copied', async () => {
    const [from, to] = [new BackupStore(newFolder()), new BackupStore(newFolder())];
    for (let n = 0; n < 8; n += 1) {
      await create(from);
      await copy(from.folder, to.folder);
    }
    expect(to.list().map(({ name }) => name)).toEqual(
      from
        .list()
        .map(({ name }) => name)
        .slice(1),
    );
  });
});
