import 'reflect-metadata';
import cluster from 'node:cluster';
import { readProcessEnv, runProcess } from './boot.js';
import { leadFleet } from './fleet.js';
import { serveAlone, serveInFleet } from './serving.js';

await runProcess(async () => {
  const env = readProcessEnv();
  if (cluster.isWorker) await serveInFleet(env);
  else if (env.webConcurrency > 1) await leadFleet(env);
  else await serveAlone(env);
});
