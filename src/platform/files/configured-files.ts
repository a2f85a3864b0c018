import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Env } from '../config/env.js';
import type { FileStoreLocation, FileStores, S3Access } from '../config/file-stores.js';
import type { DiskSpace } from '../observability/disk-space.js';
import type { Metrics } from '../observability/metrics.js';
import type { FileStore, MovableFiles } from './file-store.js';
import { LocalFiles } from './local-files.js';
import { S3Files } from './s3-files.js';
import { VerifiedFiles } from './verified-files.js';

/** Receives the failures of a store. */
interface Reporting {
  diskSpace: Pick<DiskSpace, 'reportFull' | 'isFull'>;
  log: Pick<Logger, 'error' | 'info'>;
}

/** The configured store of files, with the one from which they are being moved, if there is one. */
export async function createFileStore(
  env: Env,
  { damagedReads, ...reporting }: Reporting & Pick<Metrics, 'damagedReads'>,
): Promise<FileStore> {
  const { files, fallback } = await openFileStores(env, reporting);
  return new VerifiedFiles(files, fallback, damagedReads);
}

/** The two stores; `fallback` is null except during a move. */
export async function openFileStores(
  { files, filesFallback, s3 }: FileStores,
  reporting: Reporting,
): Promise<{ files: MovableFiles; fallback: MovableFiles | null }> {
  // Before the first file is moved to it the folder does not exist; later a missing folder is a volume that is not mounted.
  if (filesFallback !== null && 'folder' in files) await mkdir(files.folder, { recursive: true });
  return {
    files: await openFileStore(files, s3, reporting),
    fallback: filesFallback && (await openFileStore(filesFallback, s3, reporting)),
  };
}

async function openFileStore(
  location: FileStoreLocation,
  s3: S3Access | null,
  { diskSpace, log }: Reporting,
): Promise<MovableFiles> {
  if ('folder' in location) return new LocalFiles(location.folder, diskSpace);
  if (s3 === null) throw new Error('A bucket has no settings of its store');
  return S3Files.connect(location, s3, log);
}
