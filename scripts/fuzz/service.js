import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../../bench/processes.js';
import { freshCopy } from '../../test/setup/databases.js';
import setUp from '../../test/setup/global-setup.js';
import tearDown from '../../test/setup/global-teardown.js';
import { serviceEnv } from '../../test/setup/service-env.js';
import { dataFolder, ROOT } from '../environment.js';

const TOLD_LINES = 20;

/** The built service in a process of its own, on a fresh database with demo data, as the tests have it. */
export async function ownService() {
  await setUp(undefined, { rootDir: ROOT });
  const run = JSON.parse(process.env.TEST_RUN);
  try {
    const databaseUrl = await freshCopy(run, `${run.run}_fuzz`);
    const env = { ...process.env, ...serviceEnv(run, databaseUrl) };
    Object.assign(env, { LOG_LEVEL: 'warn', METRICS: 'true', RATE_LIMIT_FACTOR: '1000000' });
    const { url, stop } = await startService({ env, folder: run.folder, databaseUrl });
    return {
      url,
      tokens: tokensIn(join(run.folder, 'data')),
      complaints: () => lastLines(join(run.folder, 'service.log')),
      stop: () => stop().finally(tearDown),
    };
  } catch (error) {
    await tearDown();
    throw error;
  }
}

/** A service that somebody else has started. */
export function runningService(url) {
  const complaints = () =>
    'What the service thinks of it stands in its log, under the X-Request-Id fuzz-<seed>-<case>.';
  return { url: new URL(url).origin, tokens: tokensIn(dataFolder()), complaints, stop: async () => undefined };
}

function tokensIn(folder) {
  const { staff, platformKey, limitedPlatformKey } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  return { staff: staff.token, platform: platformKey, limited: limitedPlatformKey };
}

function lastLines(file) {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-TOLD_LINES).join('\n');
}
