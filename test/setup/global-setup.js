import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemplate, createTemplateWithoutCatalog, newRun } from './databases.js';
import { clear } from './global-teardown.js';
import { startServer } from './server.js';
import { serviceEnv } from './service-env.js';

/**
 * Starts a server once per run, and creates a migrated template with demo data by commands of the built service. The workers
 * receive what they need through the environment variable `TEST_RUN`; if that is set already, its server and template are used
 * (`npm run test:watch` keeps them between runs).
 */
export default async function setUp(_globalConfig, { rootDir }) {
  if (process.env.TEST_RUN) return;
  const folder = await mkdtemp(join(tmpdir(), 'travel-test-'));
  // The embedded server may run as another user, who must have access to its data.
  await chmod(folder, 0o711);
  const run = { run: newRun(), folder };
  try {
    const server = await startServer(folder);
    globalThis.testServer = server;
    Object.assign(run, { adminUrl: server.adminUrl });
    Object.assign(run, await createTemplate(server.adminUrl, run.run));
    await fillTemplate(rootDir, serviceEnv(run, run.urls));
    Object.assign(run, await createTemplateWithoutCatalog(run));
    process.env.TEST_RUN = JSON.stringify(run);
  } catch (error) {
    // Jest runs no teardown after a setup that failed.
    await clear(run);
    throw error;
  }
}

async function fillTemplate(rootDir, env) {
  const build = join(rootDir, 'dist/src/commands/commands.js');
  if (!existsSync(build)) throw new Error(`${build} is missing: run 'npm run build' first ('npm test' does)`);
  for (const name of ['migrate', 'demo']) await command(join(rootDir, 'scripts/built-platform.js'), name, env);
}

/** Runs one command of the built service; prints its output only if it fails. */
async function command(platform, name, env) {
  const child = spawn(process.execPath, [platform, name], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`'platform ${name}' ended with ${code} while the template was made:\n${output}`);
}
