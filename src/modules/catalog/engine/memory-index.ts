import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { unavailable } from '../../../platform/errors/app-error.js';
import type { IndexAnswer, IndexQuestion } from './index-calls.js';
import {
  type IndexedDocument,
  SearchIndex,
  type SearchRequest,
  type SearchResult,
  type SliceFigures,
  type SliceTraits,
  type Synonym,
} from './search-index.js';

interface Asked {
  resolve: (answer: IndexAnswer) => void;
  reject: (error: Error) => void;
}

/** The index in the memory of this process, in a thread of its own. What it loses with the thread is read again. */
@Injectable()
export class MemoryIndex extends SearchIndex implements OnApplicationShutdown {
  private thread: Worker | null = null;
  private readonly asked = new Map<number, Asked>();
  private calls = 0;
  private stopping = false;
  private lost: () => void = () => undefined;

  constructor(private readonly clock: Clock) {
    super();
  }

  /** Whoever fills the index is told when it is empty again. */
  onLost(tell: () => void): void {
    this.lost = tell;
  }

  async search(sliceId: string, request: SearchRequest): Promise<SearchResult> {
    const { found } = await this.ask({ kind: 'search', sliceId, request });
    if (!found) throw new Error('A search finds something, and be it nothing');
    return found;
  }

  apply(sliceId: string, generation: number, documents: readonly IndexedDocument[]): Promise<SliceFigures> {
    return this.change({ sliceId, generation, documents, draft: false });
  }

  async rebuild(
    slice: SliceTraits,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<SliceFigures> {
    await this.ask({ kind: 'draft', slice });
    for await (const documents of pages) {
      await this.change({ sliceId: slice.id, generation, documents, draft: true });
    }
    await this.change({ sliceId: slice.id, generation, documents: [], draft: true });
    return figuresOf(await this.ask({ kind: 'swap', sliceId: slice.id }));
  }

  async learn(synonyms: readonly Synonym[]): Promise<void> {
    await this.ask({ kind: 'learn', synonyms });
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.thread?.terminate();
  }

  private async change(change: {
    sliceId: string;
    generation: number;
    documents: readonly IndexedDocument[];
    draft: boolean;
  }): Promise<SliceFigures> {
    return figuresOf(await this.ask({ kind: 'apply', ...change, now: this.clock.now().getTime() }));
  }

  private ask(question: IndexQuestion): Promise<IndexAnswer> {
    if (this.stopping) return Promise.reject(unavailable('The service is stopping'));
    const thread = (this.thread ??= this.start());
    const number = (this.calls += 1);
    return new Promise((resolve, reject) => {
      this.asked.set(number, { resolve, reject });
      thread.postMessage({ number, ...question });
    });
  }

  private start(): Worker {
    const thread = new Worker(new URL('./index-thread.js', import.meta.url));
    thread.on('message', (answer: IndexAnswer) => {
      const asked = this.asked.get(answer.number);
      this.asked.delete(answer.number);
      if (answer.error === undefined) asked?.resolve(answer);
      else asked?.reject(new Error(answer.error));
    });
    // An error is followed by the exit.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      for (const { reject } of this.asked.values()) reject(unavailable('The search index is reloading'));
      this.asked.clear();
      if (!this.stopping) this.lost();
    });
    return thread;
  }
}

function figuresOf({ figures }: IndexAnswer): SliceFigures {
  if (!figures) throw new Error('A change is answered with figures');
  return figures;
}
