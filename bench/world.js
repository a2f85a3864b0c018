import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../scripts/embedded-postgres/index.js';

export const root = join(import.meta.dirname, '..');

/** Starts a durable PostgreSQL with schema and demo data, and reads the credentials of the demo data. */
export async function startWorld() {
  if (!existsSync(join(root, 'dist/src/main.js'))) throw new Error('Build first: npm run build');
  const folder = await mkdtemp(join(tmpdir(), 'travel-bench-'));
  await chmod(folder, 0o711);
  const server = await startPostgres({ dataDir: join(folder, 'postgres') });
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    DATABASE_URL: server.url,
    MIGRATION_DATABASE_URL: server.ownerUrl,
    DATA_DIR: join(folder, 'data'),
    RATE_LIMIT_FACTOR: '1000000',
    // All clients of a measurement have one address.
    MAX_CONNECTIONS_PER_ADDRESS: '10000',
    // The first start embeds hundreds of texts, which uses a core as long as a measurement takes.
    EMBEDDER: 'none',
    LOG_LEVEL: 'info',
  };
  for (const command of ['migrate', 'demo']) {
    const child = spawn(process.execPath, [join(root, 'scripts/built-platform.js'), command], { env, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`platform ${command} ended with ${code}`);
  }
  const pool = new pg.Pool({ connectionString: server.ownerUrl, max: 2 });
  const credentials = JSON.parse(readFileSync(join(folder, 'data/credentials.json'), 'utf8'));
  const stop = async () => {
    if (!pool.ending) await pool.end();
    await server.stop();
  };
  return { folder, env, databaseUrl: server.url, superuserUrl: server.superuserUrl, pool, credentials, stop };
}
