import { Worker } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import { CircuitBreaker } from './circuit-breaker.js';
import { Embedder } from './embedder.js';
import { type Call, ModelQueue, type Urgency } from './model-queue.js';

/** What the thread says: first that the model is loaded, then one answer to each text. */
export type ThreadMessage = { ready: true } | { vector: Float32Array } | { error: string };

/** Reading the model takes a second on an idle machine. */
const LOAD_WITHIN_MS = 30_000;
/** A text of 256 characters takes up to 0.2 s on an idle machine. */
const ANSWER_WITHIN_MS = 3_000;

/**
 * The model that comes with the package, in a thread of its own. English only, and no network. The thread gets one text at
 * a time, so that waiting texts can still be abandoned; one that does not answer is terminated.
 */
export class BuiltinEmbedder extends Embedder implements OnApplicationShutdown {
  readonly name = 'builtin';
  readonly model = 'universal-sentence-encoder-lite';
  readonly dimensions = 512;
  readonly languages = ['en'];
  private thread: ModelThread | null = null;
  private isStopped = false;
  private readonly queue = new ModelQueue<string, Float32Array>({
    run: (text, call) => this.ask(text, call),
    atOnce: 1,
    breaker: new CircuitBreaker({ failures: 3, restMs: 2_000 }),
  });

  embed(texts: readonly string[], urgency: Urgency, signal?: AbortSignal): Promise<Float32Array[]> {
    return Promise.all(texts.map((text) => this.queue.add(text, { urgency, signal })));
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.thread?.terminate();
  }

  private async ask(text: string, { signal }: Call): Promise<Float32Array> {
    if (this.isStopped) throw new Error('The thread of the model has ended');
    if (!this.thread || this.thread.hasEnded) this.thread = new ModelThread();
    await this.thread.ready;
    // The caller may have left while the model was loaded.
    return signal?.aborted ? new Float32Array(0) : this.thread.embed(text);
  }
}

/** One worker thread with the model; after an error a new one is needed. */
class ModelThread {
  hasEnded = false;
  readonly ready: Promise<void>;
  private readonly worker = new Worker(new URL('./embed-thread.js', import.meta.url));

  constructor() {
    this.ready = this.message(LOAD_WITHIN_MS).then(() => undefined);
    // An error is followed by the exit, which ends what waits.
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
    throw new Error('error' in message ? message.error : 'The model gave no vector');
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }

  /** The next one. Throws when the thread ends before; a thread that is too late is terminated. */
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
