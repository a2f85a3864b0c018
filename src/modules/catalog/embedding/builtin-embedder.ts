import { Worker } from 'node:worker_threads';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Embedder } from './embedder.js';

export interface EmbedCall {
  readonly number: number;
  readonly text: string;
  readonly urgent: boolean;
}

export interface EmbedAnswer {
  readonly number: number;
  readonly vector?: Float32Array;
  readonly error?: string;
}

interface Asked {
  resolve: (vector: Float32Array) => void;
  reject: (error: Error) => void;
}

/** The model that comes with the package, in a thread of its own: 120 words take it 80 ms. English only, and no network. */
export class BuiltinEmbedder extends Embedder implements OnApplicationShutdown {
  readonly name = 'builtin';
  readonly model = 'universal-sentence-encoder-lite';
  readonly dimensions = 512;
  readonly languages = ['en'];
  private thread: Worker | null = null;
  private readonly asked = new Map<number, Asked>();
  private calls = 0;

  embed(texts: readonly string[], urgency: 'query' | 'document'): Promise<Float32Array[]> {
    return Promise.all(texts.map((text) => this.ask(text, urgency === 'query')));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread?.terminate();
  }

  private ask(text: string, urgent: boolean): Promise<Float32Array> {
    const thread = (this.thread ??= this.start());
    const number = (this.calls += 1);
    return new Promise((resolve, reject) => {
      this.asked.set(number, { resolve, reject });
      thread.postMessage({ number, text, urgent } satisfies EmbedCall);
    });
  }

  private start(): Worker {
    const thread = new Worker(new URL('./embed-thread.js', import.meta.url));
    thread.on('message', ({ number, vector, error }: EmbedAnswer) => {
      const asked = this.asked.get(number);
      this.asked.delete(number);
      if (vector) asked?.resolve(vector);
      else asked?.reject(new Error(error ?? 'The model gave no vector'));
    });
    // An error is followed by the exit; the next text starts a new thread.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      for (const { reject } of this.asked.values()) reject(new Error('The thread of the model has ended'));
      this.asked.clear();
    });
    return thread;
  }
}
