import { Worker } from 'node:worker_threads';
import { CircuitBreaker } from './circuit-breaker.js';
import { Embedder } from './embedder.js';
import { type Call, ModelQueue, type Urgency } from './model-queue.js';

/** A message from the thread: first that the model is loaded, then one per text. */
export type ThreadMessage = { ready: true } | { vector: Float32Array } | { error: string };

/** Loading the model takes a second on an idle machine. */
const LOAD_WITHIN_MS = 30_000;
/** A text of 256 characters takes up to 0.2 s on an idle machine. */
const ANSWER_WITHIN_MS = 3_000;

/**
 * The model of an npm package, in a worker thread. It supports English only and needs no network. The thread gets one text
 * at a time, so that waiting texts can be abandoned. A thread that does not respond is terminated.
 */
export class BuiltinEmbedder extends Embedder {
  readonly name = 'builtin';
  readonly model = 'universal-sentence-encoder-lite';
  readonly dimensions = 512;
  readonly languages = ['en'];
  private thread: ModelThread | null = null;
  private isStopped = false;
  private readonly queue = new ModelQueue<string, Float32Array>({
    run: (text, call) => this.ask(text, call),
    concurrency: 1,
    breaker: new CircuitBreaker({ failures: 3, restMs: 2_000 }),
  });

  embed(texts: readonly string[], urgency: Urgency, signal?: AbortSignal): Promise<Float32Array[]> {
    return Promise.all(texts.map((text) => this.queue.add(text, { urgency, signal })));
  }

  override async stop(): Promise<void> {
    this.isStopped = true;
    await this.thread?.terminate();
  }

  private async ask(text: string, { signal }: Call): Promise<Float32Array> {
    if (this.isStopped) throw new Error('The thread of the model has ended');
    if (!this.thread || this.thread.hasEnded) this.thread = new ModelThread();
    await this.thread.ready;
    // The client may have disconnected while the model was loaded.
    return signal?.aborted ? new Float32Array(0) : this.thread.embed(text);
  }
}

/** A worker thread with the model. After an error it must be replaced. */
class ModelThread {
  hasEnded = false;
  readonly ready: Promise<void>;
  private readonly worker = new Worker(new URL('./builtin-embedder-thread.js', import.meta.url));

  constructor() {
    this.ready = this.message(LOAD_WITHIN_MS).then(() => undefined);
    // The `exit` event follows and rejects waiting texts.
    this.worker.on('error', () => undefined);
    this.worker.once('exit', () => {
      this.hasEnded = true;
    });
  }

  async embed(text: string): Promise<Float32Array> {
    const answer = this.message(ANSWER_WITHIN_MS);
    this.worker.postMessage(text);
    const message = await answer;
    if ('vector' in message) return message.vector;
    throw new Error('error' in message ? message.error : 'The model returned no vector');
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  /** The next message. Throws if the thread ends first; a thread that exceeds the time limit is terminated. */
  private message(withinMs: number): Promise<ThreadMessage> {
    const { worker } = this;
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
        this.hasEnded = true;
        reject(new Error('The thread of the model has ended'));
      };
      worker.on('message', onMessage).on('exit', onExit);
    });
  }
}
