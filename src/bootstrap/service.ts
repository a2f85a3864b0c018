import 'reflect-metadata';
import cluster from 'node:cluster';
import { readProcessEnv, runProcess } from './boot.js';
import { startCluster } from './cluster.js';
import { readCheckedEnv } from './production.js';
import { serveInCluster, serveSingleProcess } from './serving.js';

/** Starts the service in this process. A failed start ends the process with a specific exit code. */
export function startService(): Promise<void> {
  return runProcess(async () => {
    // The primary process has examined the database.
    if (cluster.isWorker) return serveInCluster(readProcessEnv());
    const env = await readCheckedEnv();
    if (env.webConcurrency > 1) await startCluster(env);
    else await serveSingleProcess(env);
  });
}
