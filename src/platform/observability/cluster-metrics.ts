import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** Between the processes that share a port: whoever is asked for the metrics asks the leader for those of all. */
const WANTED = 'metrics-wanted';
const GATHERED = 'metrics-gathered';
const WITHIN_MS = 2_000;

interface Message {
  type: string;
  id: string;
  /** Null where they could not be gathered. */
  text: string | null;
}

/** The metrics as text: of all processes where there are several, of this one where the others do not answer. */
export async function clusterMetrics(own: Registry): Promise<string> {
  const gathered = cluster.isWorker ? await askLeader() : null;
  return gathered ?? own.metrics();
}

/** In a process of several: has it tell its figures whenever the leader gathers them. */
export function reportToPrimary(own: Registry): void {
  if (!cluster.isWorker) return;
  AggregatorRegistry.setRegistries([own]);
  // Its making has this process listen.
  new AggregatorRegistry();
}

/** In the leader: gathers the processes' metrics whenever one of them asks. */
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
