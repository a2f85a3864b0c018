import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemplate } from './databases.js';
import tearDown from './global-teardown.js';
import { startServer } from './server.js';
import { serviceEnv } from './service-env.js';

/**
 * Once per run: a server, and in it a migrated template with demo data, made by the built service's own commands. What
 * the workers need to know reaches them through the environment as `TEST_RUN`.
 */
export default async function setUp(_globalConfig, { rootDir }) {
  const folder = await mkdtemp(join(tmpdir(), 'travel-test-'));
  // The embedded server may run as another user, who must be able to pass through to its data.
  await chmod(folder, 0o711);
  const server = await startServer(folder);
  globalThis.testServer = server;
  const template = await createTemplate(server.adminUrl);
  const run = { ...template, adminUrl: server.adminUrl, folder };
  process.env.TEST_RUN = JSON.stringify(run);
  try {
    await fillTemplate(join(rootDir, 'dist/src'), serviceEnv(run, template.url));
  } catch (error) {
    // Jest runs no teardown after a setup that failed.
    await tearDown();
    throw error;
  }
}

async function fillTemplate(dist, env) {
  if (!existsSync(join(dist, 'main.js')))
    throw new Error(`${dist} is empty: run 'npm run build' first ('npm test' does)`);
  if (existsSync(join(dist, 'commands.js'))) {
    for (const name of ['migrate', 'demo']) await command(join(dist, 'commands.js'), name, env);
  } else {
    process.stderr.write('WARNING: no src/commands.ts yet; the template is made by a first start of the service\n');
    await firstStart(join(dist, 'main.js'), env);
  }
}

/** Starts the service, lets it migrate and load its demo data, and stops it as soon as it is ready. */
async function firstStart(main, env) {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
    if (/Ready at|openapi\.json/.test(output)) child.kill('SIGTERM');
  });
  const [code, signal] = await ended;
  if (code !== 0 && signal !== 'SIGTERM') throw new Error(`the service's first start ended with ${code}:\n${output}`);
}

/** Runs one command of the built service; says what it printed only when it fails. */
async function command(commands, name, env) {
  const child = spawn(process.execPath, [commands, name], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`'commands.js ${name}' ended with ${code} while the template was made:\n${output}`);
}
