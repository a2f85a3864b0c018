import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Credentials for developers in `<dataDir>/credentials.json`; never in production. */
export interface Credentials {
  baseUrl: string;
  staff: { email: string; password: string; token: string };
  platformKey: string;
  limitedPlatformKey: string;
  operatorId: string;
  providerKey: string;
  vaultSlug: string;
  /** IDs of demo data, for trying operations without a list. */
  demo: {
    /** Opens the contract that was sent. Random; null without demo data. */
    contractId: string | null;
    channelId: string;
  };
}

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** Reads the file; null if there is no file. Throws if the file is not JSON. */
export async function readCredentials(dataDir: string): Promise<Credentials | null> {
  try {
    return JSON.parse(await readFile(credentialsPath(dataDir), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new Error(`${credentialsPath(dataDir)} cannot be read`, { cause: error });
  }
}

/** Renames the file of another database: its credentials could not be restored. */
export async function setAsideCredentials(dataDir: string): Promise<void> {
  const path = credentialsPath(dataDir);
  await rename(path, `${path}.earlier`).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  });
}

/** Replaces the file as a whole; only its owner may read it. Records that the file describes this process. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await replace(servingPath(dataDir), { pid: process.pid, startedAt: startOf(process.pid) });
  await replace(credentialsPath(dataDir), credentials);
}

/**
 * Returns whether the file describes another process that is still running. The file has one address, and several processes can
 * start from one data folder; the first one keeps it until it ends.
 */
export async function describesAnotherProcess(dataDir: string): Promise<boolean> {
  const { pid, startedAt } = await readServing(dataDir);
  return pid !== null && pid !== process.pid && startedAt !== null && startOf(pid) === startedAt;
}

async function readServing(dataDir: string): Promise<{ pid: number | null; startedAt: string | null }> {
  try {
    const { pid, startedAt } = JSON.parse(await readFile(servingPath(dataDir), 'utf8')) as Record<string, unknown>;
    if (Number.isInteger(pid) && typeof startedAt === 'string') return { pid: Number(pid), startedAt };
  } catch {
    // The file is absent before the first start. A file that cannot be read describes no process.
  }
  return { pid: null, startedAt: null };
}

function servingPath(dataDir: string): string {
  return join(dataDir, 'serving.json');
}

async function replace(path: string, content: object): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/**
 * Returns the start time of a process as the system prints it; null if it has ended. Distinguishes a process from a later one
 * with the same id. A process that ended but was not waited for (state Z) still has its id.
 */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : `${fields[18]}`;
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return stdout?.trim() || null;
  }
}
