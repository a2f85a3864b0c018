import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a developer needs to try the service; `<dataDir>/credentials.json`, never in production. */
export interface Credentials {
  baseUrl: string;
  staff: { email: string; password: string; token: string };
  platformKey: string;
  limitedPlatformKey: string;
  operatorId: string;
  providerKey: string;
  vaultSlug: string;
}

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json');
}

/** The file's content, or null where there is none. Throws on a file that is no JSON. */
export async function readCredentials(dataDir: string): Promise<Credentials | null> {
  try {
    return JSON.parse(await readFile(credentialsPath(dataDir), 'utf8')) as Credentials;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw new Error(`${credentialsPath(dataDir)} cannot be read`, { cause: error });
  }
}

/** Puts a file of another database aside: what it opens could not be had again. */
export async function setAsideCredentials(dataDir: string): Promise<void> {
  const path = credentialsPath(dataDir);
  await rename(path, `${path}.earlier`).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
  });
}

/** Replaces the file as a whole; only its owner may read it. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const path = credentialsPath(dataDir);
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
