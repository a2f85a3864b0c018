import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';

/**
 * Messages between the processes that share a port. A scrape arrives at any worker, which asks the primary process; the primary
 * process reads the metrics of all workers and adds them up. prom-client can also do this, but waits for workers that are
 * starting, and its counters fall when a worker ends.
 */
const OFFERED = 'metrics-offered';
const WANTED = 'metrics-wanted';
const GATHERED = 'metrics-gathered';
const READ = 'metrics-read';
const FAMILIES = 'metrics-families';
/** The primary waits for a worker; a worker waits longer for the primary. */
const READ_WITHIN_MS = 4_000;
const GATHER_WITHIN_MS = 5_000;
/** Types of metrics that only rise. */
const CUMULATIVE: readonly unknown[] = ['counter', 'histogram'];

/** The metrics of a process, as prom-client describes them. */
type Families = readonly object[];

interface Message {
  type: string;
  id: string;
  /** Null if the metrics could not be read. */
  text?: string | null;
  families?: Families | null;
}

/** The metrics as text, of all processes of the cluster; null if one of them did not respond in time. */
export function clusterMetrics(own: Registry): Promise<string | null> {
  return cluster.isWorker ? askPrimary() : own.metrics();
}

/** Lets the primary process read the registry of this worker from now on. */
export function reportToPrimary(own: Registry): void {
  if (!cluster.isWorker) return;
  process.on('message', (message: unknown) => {
    if (!isMessage(message) || message.type !== READ) return;
    const reply = (families: Families | null) => sendToPrimary({ type: FAMILIES, id: message.id, families });
    own.getMetricsAsJSON().then(reply, () => reply(null));
  });
  sendToPrimary({ type: OFFERED, id: randomUUID() });
}

/** Adds up the metrics in the primary process whenever a worker requests them. */
export function aggregateMetrics(): void {
  const workers = new WorkerMetrics();
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (isMessage(message)) workers.receive(worker, message);
  });
  for (const event of ['disconnect', 'exit'] as const) cluster.on(event, (worker: Worker) => workers.remove(worker));
}

/** The metrics of the workers, read on request. Sums include ended workers: a counter that falls means a restart. */
class WorkerMetrics {
  /** The last metrics read from each serving worker. */
  private readonly latest = new Map<Worker, Families>();
  private ended: Families = [];
  private readonly waiting = new Map<string, { worker: Worker; settle: (isRead: boolean) => void }>();
  private gathering: Promise<string | null> | null = null;

  receive(worker: Worker, { type, id, families }: Message): void {
    if (type === OFFERED) this.latest.set(worker, []);
    if (type === FAMILIES) {
      const reading = this.waiting.get(id);
      if (reading && families) this.latest.set(worker, families);
      reading?.settle(Boolean(families));
    }
    if (type === WANTED) {
      const reply = (text: string | null) => send(worker, { type: GATHERED, id, text });
      void this.gather().then(reply, () => reply(null));
    }
  }

  remove(worker: Worker): void {
    const rising = this.latest.get(worker)?.filter((family) => CUMULATIVE.includes(Reflect.get(family, 'type')));
    this.latest.delete(worker);
    if (rising) this.ended = AggregatorRegistry.aggregate([this.ended, rising]).getMetricsAsArray();
    for (const reading of this.waiting.values()) if (reading.worker === worker) reading.settle(true);
  }

  /** Runs one reading at a time, so that an older one never replaces a newer one. */
  private gather(): Promise<string | null> {
    return (this.gathering ??= this.readAll().finally(() => (this.gathering = null)));
  }

  private async readAll(): Promise<string | null> {
    const areRead = await Promise.all([...this.latest.keys()].map((worker) => this.read(worker)));
    if (areRead.includes(false)) return null;
    // Read from the map: a worker that has ended meanwhile is among the ended ones only.
    return AggregatorRegistry.aggregate([...this.latest.values(), this.ended]).metrics();
  }

  private read(worker: Worker): Promise<boolean> {
    return new Promise((resolve) => {
      const id = randomUUID();
      const settle = (isRead: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(isRead);
      };
      const timer = setTimeout(() => settle(false), READ_WITHIN_MS);
      this.waiting.set(id, { worker, settle });
      send(worker, { type: READ, id });
    });
  }
}

function askPrimary(): Promise<string | null> {
  return new Promise((resolve) => {
    const id = randomUUID();
    const settle = (text: string | null) => {
      clearTimeout(timer);
      process.off('message', listen);
      resolve(text);
    };
    const timer = setTimeout(() => settle(null), GATHER_WITHIN_MS);
    const listen = (message: unknown) => {
      if (isMessage(message) && message.type === GATHERED && message.id === id) settle(message.text ?? null);
    };
    process.on('message', listen);
    sendToPrimary({ type: WANTED, id });
  });
}

function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message);
}

function sendToPrimary(message: Message): void {
  if (process.connected) process.send?.(message);
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'type' in message && 'id' in message;
}
