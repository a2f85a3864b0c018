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
const CLUSTER = '7711434088274222259';

function manifestOf(number: number, more: Partial<Manifest> = {}): Manifest {
  const sha256 = createHash('sha256').update(CONTENT).digest('hex');
  return {
    format: 1,
    number,
    kind: 'dump',
    startedAt: NOON.toISOString(),
    finishedAt: NOON.toISOString(),
    serviceVersion: '1.0.0',
    postgresVersion: '18.4',
    physical: null,
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
  const fill = async (folder: string, number: number) => {
    writeFileSync(join(folder, 'database.dump'), content);
    return { manifest: manifestOf(number, more), linked: new Set<string>() };
  };
  return (await store.create(at, fill, signal)).name;
}

/** A physical backup whose log begins with this segment. */
function since(firstSegment: string): Partial<Manifest> {
  const physical = { systemIdentifier: CLUSTER, firstSegment, lastSegment: firstSegment, endLsn: '0/0' };
  return { kind: 'physical', physical: { ...physical, completeAt: NOON.toISOString(), folders: [] } };
}

it('the newest backups are kept, in the order of their creation and not of their clocks', async () => {
  const store = new BackupStore(newFolder());
  const names = [await create(store), await create(store), await create(store, {}, { at: new Date(0) })];
  expect(names).toEqual(['20261123T120000Z', '20261123T120001Z', '19700101T000000Z']);
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

it('segments that a kept backup of any timeline needs are kept, and histories always', async () => {
  const store = new BackupStore(newFolder());
  const archive = join(store.folder, `wal-${CLUSTER}`);
  mkdirSync(archive);
  const segment = (timeline: number, number: number) => `0000000${timeline}000000000000000${number}`;
  const names = ['00000002.history', ...[1, 2, 3].flatMap((number) => [segment(1, number), segment(2, number)])];
  for (const name of names) writeFileSync(join(archive, `${name}.gz`), '');
  const left = () => readdirSync(archive).map((name) => name.slice(0, -3));

  await create(store, since(segment(1, 1)));
  await create(store, since(segment(2, 3)));
  await create(store, since(segment(1, 2)));
  expect(store.prune('physical', 2)).toHaveLength(1);
  expect(left().sort()).toEqual(names.filter((name) => !name.endsWith('1') || name.includes('history')).sort());

  const other = { ...since(segment(1, 1)) };
  if (other.physical) other.physical = { ...other.physical, systemIdentifier: '1' };
  await create(store, other);
  await create(store, other);
  expect(store.prune('physical', 2)).toHaveLength(2);
  expect(left()).toEqual(['00000002.history']);
});

it('a manifest whose paths leave the backup, or that is no manifest, makes no backup', async () => {
  const store = new BackupStore(newFolder());
  const usable = await create(store);
  const [entry] = manifestOf(1).entries;
  const paths = ['../a', '/etc/passwd', 'a/../../b', 'a//b', '', './a', 'a\\b'];
  const physical = { ...since('000000010000000000000001').physical, folders: ['../a'] };
  const invalid = [
    ...paths.map((path) => JSON.stringify(manifestOf(2, { entries: [{ ...entry, path }] as Manifest['entries'] }))),
    JSON.stringify({ ...manifestOf(2), kind: 'physical', physical }),
    JSON.stringify({ ...manifestOf(2), format: 2 }),
    '{',
  ];
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
