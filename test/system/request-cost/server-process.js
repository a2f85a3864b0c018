import 'reflect-metadata';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answerReadings } from './loop-probe.js';

/** Runs the built service in a separate process, which reports to its parent how long its event loop was blocked. */
const load = (path) => import(pathToFileURL(join(process.cwd(), 'dist/src', path)).href);
const [{ connect }, { createApp }, { readEnv }, { createLog }] = await Promise.all(
  [
    'bootstrap/boot.js',
    'bootstrap/configure-app.js',
    'platform/config/read-env.js',
    'platform/observability/log.js',
  ].map(load),
);

const env = readEnv(process.env);
const app = await createApp({ env, log: createLog(env.logLevel), dataSource: await connect(env) });
await app.listen(0, '127.0.0.1');
answerReadings();
process.send({ ready: true, url: await app.getUrl() });
