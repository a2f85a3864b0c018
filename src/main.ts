import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { connect, readProcessEnv, runProcess } from './boot.js';
import { createApp } from './configure-app.js';
import { firstStart } from './first-start.js';
import { migrate } from './platform/database/migrator.js';
import { createLog } from './platform/observability/log.js';
import { printStep, printWelcome } from './welcome.js';

await runProcess(async () => {
  const env = readProcessEnv();
  const log = createLog(env.logLevel);
  const dataSource = await connect(env);

  const started = performance.now();
  const ran = await migrate(dataSource);
  printStep(ran.length > 0 ? `${ran.length} migrations` : 'schema is up to date', performance.now() - started);

  const app = await createApp({ env, log, dataSource });
  stopOnSignals(app, log);
  await app.init();
  const credentials = await firstStart(app, { env, dataSource });
  await app.listen(env.port, env.host);
  printWelcome(env, credentials);
});

/** Running requests are finished, new ones refused, jobs handed back; a second signal ends it at once. */
function stopOnSignals(app: INestApplication, log: Logger): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      void app.close().finally(() => process.exit(0));
    });
  }
}
