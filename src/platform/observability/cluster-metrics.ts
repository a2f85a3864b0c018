import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';

/**
 * Messages between the processes that share a port: prom-client aggregates in the primary process, but a scrape arrives
 * at any worker, which asks the primary for the aggregated metrics.
 */
const WANTED = 'metrics-wanted';
const GATHERED = 'metrics-gathered';
const WITHIN_MS = 2_000;

interface Message {
  type: string;
  id: string;
  /** Null if they could not be aggregated. */
  text: string | null;
}

/** The metrics as text, of all processes of the cluster; if they do not respond in time, of this process. */
export async function clusterMetrics(own: Registry): Promise<string> {
  const gathered = cluster.isWorker ? await askLeader() : null;
  return gathered ?? own.metrics();
}

/** In a worker process: lets prom-client collect this registry. */
export function reportToPrimary(own: Registry): void {
  if (!cluster.isWorker) return;
  AggregatorRegistry.setRegistries([own]);
  // The constructor installs the message listener.
  new AggregatorRegistry();
}

/** In the primary process: aggregates the metrics whenever a worker requests them. */
export function aggregateMetrics(): void {
  const aggregator = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isMessage(message) || message.type !== WANTED) return;
    const reply = (text: string | null) => {
      if (worker.isConnected()) worker.send({ type: GATHERED, id: message.id, text } satisfies Message);
    };
    aggregator.clusterMetrics().then(reply, () => reply(null));
  });
}

function askLeader(): Promise<string | null> {
  return new Promise((resolve) => {
    const id = randomUUID();
    const settle = (text: string | null) => {
      clearTimeout(timer);
      process.off('message', listen);
      resolve(text);
    };
    const timer = setTimeout(() => settle(null), WITHIN_MS);
    const listen = (message: unknown) => {
      if (isMessage(message) && message.type === GATHERED && message.id === id) settle(message.text);
    };
    process.on('message', listen);
    process.send?.({ type: WANTED, id, text: null } satisfies Message);
  });
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'type' in message && 'id' in message;
}
