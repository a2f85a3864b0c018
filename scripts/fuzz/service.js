import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../../bench/processes.js';
import { freshCopy } from '../../test/setup/databases.js';
import setUp from '../../test/setup/global-setup.js';
import tearDown from '../../test/setup/global-teardown.js';
import { serviceEnv } from '../../test/setup/service-env.js';
import { dataFolder, ROOT } from '../environment.js';

const LOG_LINES = 20;

/** Starts the built service in a separate process, on a fresh database with demo data like that of the tests. */
export async function ownService() {
  await setUp(undefined, { rootDir: ROOT });
  const run = JSON.parse(process.env.TEST_RUN);
  try {
    const urls = await freshCopy(run, `${run.run}_fuzz`);
    const env = { ...process.env, ...serviceEnv(run, urls) };
    Object.assign(env, { LOG_LEVEL: 'warn', METRICS: 'true', RATE_LIMIT_FACTOR: '1000000' });
    const { url, stop } = await startService({ env, folder: run.folder, databaseUrl: urls.DATABASE_URL });
    return {
      url,
      tokens: tokensIn(join(run.folder, 'data')),
      errors: () => lastLines(join(run.folder, 'service.log')),
      stop: () => stop().finally(tearDown),
    };
  } catch (error) {
    await tearDown();
    throw error;
  }
}

/** A service that is already running. */
export function runningService(url) {
  const errors = () => 'The log of the service has its errors, with the X-Request-Id fuzz-<seed>-<case>.';
  return { url: new URL(url).origin, tokens: tokensIn(dataFolder()), errors, stop: async () => undefined };
}

function tokensIn(folder) {
  const { staff, platformKey, limitedPlatformKey } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  return { staff: staff.token, platform: platformKey, limited: limitedPlatformKey };
}

function lastLines(file) {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-LOG_LINES).join('\n');
}
