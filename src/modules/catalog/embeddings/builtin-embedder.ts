import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { CircuitBreaker } from './circuit-breaker.js';
import { Embedder } from './embedder.js';
import { type Call, ModelQueue, type Urgency } from './model-queue.js';

/** A message from a thread: first that the model is loaded, then one per batch. */
export type ThreadMessage = { ready: true } | { vectors: Float32Array[] } | { error: string };

/** Loading the model takes a second on an idle machine. */
const LOAD_WITHIN_MS = 30_000;
/**
 * The model pads the texts of a batch to the longest one, so a batch is limited by the characters after that. A text of 256
 * characters takes 45 ms on an idle core, alone and in a batch; a text of 30 characters takes 12 ms alone and 5 ms in a batch.
 * A batch of queries has at most the cost of one long query. Threads of documents have a low priority and may wait for a core.
 */
const LIMITS = {
  query: { batchCharacters: 256, answerWithinMs: 3_000 },
  document: { batchCharacters: 1_024, answerWithinMs: 60_000 },
};
/** A thread uses about 150 MB, so threads of documents are ended when there is nothing left to do. */
const IDLE_MS = 10_000;

/**
 * The model of an npm package, in worker threads. It supports English only and needs no network. Queries have a separate
 * thread, so that they do not wait for documents. Documents have as many threads as there are cores, which on Linux get little
 * time while anything else runs.
 */
export class BuiltinEmbedder extends Embedder {
  readonly name = 'builtin';
  readonly model = 'universal-sentence-encoder-lite';
  readonly dimensions = 512;
  readonly languages = ['en'];
  override readonly groupSize = 64;
  private readonly pools: Record<Urgency, ModelThreads>;

  constructor(maxThreads: number) {
    super();
    const documentThreads = Math.min(maxThreads, availableParallelism());
    this.pools = { query: new ModelThreads('query', 1), document: new ModelThreads('document', documentThreads) };
  }

  async embed(texts: readonly string[], urgency: Urgency, signal?: AbortSignal): Promise<Float32Array[]> {
    // Texts of similar length then share a batch.
    const longestFirst = [...new Set(texts)].sort((a, b) => b.length - a.length);
    const vectors = await Promise.all(longestFirst.map((text) => this.pools[urgency].embed(text, { urgency, signal })));
    const byText = new Map(longestFirst.map((text, index) => [text, vectors[index] ?? new Float32Array(0)]));
    return texts.map((text) => byText.get(text) ?? new Float32Array(0));
  }

  override async stop(): Promise<void> {
    await Promise.all(Object.values(this.pools).map((threads) => threads.stop()));
  }
}

/** Threads that embed texts of one urgency. They are started when texts wait, and replaced after an error. */
class ModelThreads {
  private readonly threads = new Set<ModelThread>();
  private readonly idle: ModelThread[] = [];
  private idleTimer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private readonly queue: ModelQueue<string, Float32Array>;

  constructor(
    private readonly urgency: Urgency,
    concurrency: number,
  ) {
    const { batchCharacters } = LIMITS[urgency];
    this.queue = new ModelQueue({
      run: (texts, call) => this.ask(texts, call),
      concurrency,
      isBatch: (texts) => texts.length * Math.max(...texts.map(({ length }) => length)) <= batchCharacters,
      breaker: new CircuitBreaker({ failures: 3, restMs: 2_000 }),
    });
  }

  embed(text: string, call: Call): Promise<Float32Array> {
    return this.queue.add(text, call);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.idleTimer);
    await this.endAll();
  }

  private async ask(texts: readonly string[], { signal }: Call): Promise<readonly Float32Array[]> {
    if (this.isStopped) throw new Error('The thread of the model has ended');
    clearTimeout(this.idleTimer);
    const thread = this.idle.pop() ?? this.start();
    try {
      await thread.ready;
      // The client may have disconnected while the model was loaded.
      return signal?.aborted ? [new Float32Array(0)] : await thread.embed(texts);
    } finally {
      if (this.threads.has(thread)) this.idle.push(thread);
      clearTimeout(this.idleTimer);
      const isIdle = this.idle.length === this.threads.size;
      if (this.urgency === 'document' && isIdle) this.idleTimer = setTimeout(() => void this.endAll(), IDLE_MS).unref();
    }
  }

  private start(): ModelThread {
    const thread = new ModelThread(this.urgency, () => this.remove(thread));
    this.threads.add(thread);
    return thread;
  }

  /** A thread may also end between two texts. */
  private remove(thread: ModelThread): void {
    this.threads.delete(thread);
    const index = this.idle.indexOf(thread);
    if (index >= 0) this.idle.splice(index, 1);
  }

  private async endAll(): Promise<void> {
    const ended = [...this.threads];
    this.threads.clear();
    this.idle.length = 0;
    await Promise.all(ended.map((thread) => thread.terminate()));
  }
}

/** A worker thread with the model. After an error it must be replaced. */
class ModelThread {
  readonly ready: Promise<void>;
  private readonly worker: Worker;
  private hasEnded = false;

  constructor(
    private readonly urgency: Urgency,
    onEnd: () => void,
  ) {
    this.worker = new Worker(new URL('./builtin-embedder-thread.js', import.meta.url), { workerData: urgency });
    // Runs before all other listeners of the event, so that a rejected call does not return the thread.
    this.worker.once('exit', () => {
      this.hasEnded = true;
      onEnd();
    });
    this.ready = this.message(LOAD_WITHIN_MS).then(() => undefined);
    // The `exit` event follows and rejects waiting texts.
    this.worker.on('error', () => undefined);
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const answer = this.message(LIMITS[this.urgency].answerWithinMs);
    this.worker.postMessage(texts);
    const message = await answer;
    if ('vectors' in message) return message.vectors;
    throw new Error('error' in message ? message.error : 'The model returned no vector');
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  /** The next message. Throws if the thread ends first; a thread that exceeds the time limit is terminated. */
  private message(withinMs: number): Promise<ThreadMessage> {
    const { worker } = this;
    const ended = () => new Error('The thread of the model has ended');
    if (this.hasEnded) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void worker.terminate(), withinMs);
      const settle = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('exit', onExit);
      };
      const onMessage = (message: ThreadMessage) => {
        settle();
        resolve(message);
      };
      const onExit = () => {
        settle();
        reject(ended());
      };
      worker.on('message', onMessage).on('exit', onExit);
    });
  }
}
