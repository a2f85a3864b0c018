import 'reflect-metadata';
import cluster from 'node:cluster';
import { readProcessEnv, runProcess } from './boot.js';
import { startCluster } from './cluster.js';
import { serveSingleProcess, serveInCluster } from './serving.js';

await runProcess(async () => {
  const env = readProcessEnv();
  if (cluster.isWorker) await serveInCluster(env);
  else if (env.webConcurrency > 1) await startCluster(env);
  else await serveSingleProcess(env);
});
