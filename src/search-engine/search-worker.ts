import { Worker } from 'node:worker_threads';
import type { IndexedDocument } from './document-view.js';
import type { IndexSettings, IndexStats, SearchEngine, SearchRequest, SearchResult } from './search-api.js';
import type { Synonym } from './synonyms.js';

/** A thread that does not respond within this time is terminated. */
const STOP_WITHIN_MS = 5_000;

/** The messages to the worker thread. A draft is an index that is being built beside the current one. */
export type WorkerCommand =
  | { kind: 'search'; indexId: string; request: SearchRequest }
  | {
      kind: 'apply';
      indexId: string;
      toDraft: boolean;
      generation: number;
      documents: readonly IndexedDocument[];
      now: number;
    }
  | { kind: 'createDraft'; settings: IndexSettings }
  | { kind: 'publishDraft'; indexId: string }
  | { kind: 'setSynonyms'; synonyms: readonly Synonym[] }
  | { kind: 'stop' };

export type WorkerRequest = WorkerCommand & { callId: number };

export interface WorkerResponse {
  readonly callId: number;
  readonly result?: SearchResult;
  readonly stats?: IndexStats;
  readonly error?: string;
}

/** True once the worker thread has ended or is being ended. */
export class SearchEngineUnavailableError extends Error {}

interface PendingCall {
  resolve: (response: WorkerResponse) => void;
  reject: (error: Error) => void;
}

interface SearchWorkerOptions {
  readonly now: () => number;
  /** Called when the thread has ended unexpectedly and all indexes must be rebuilt. */
  readonly onLost: () => void;
}

/** A search engine in a worker thread, so that searches do not block the event loop. The next call restarts a lost thread. */
export class SearchWorker implements SearchEngine {
  private thread: Worker | null = null;
  private readonly pending = new Map<number, PendingCall>();
  private calls = 0;
  private stopping = false;

  constructor(private readonly options: SearchWorkerOptions) {}

  async search(indexId: string, request: SearchRequest): Promise<SearchResult> {
    const { result } = await this.call({ kind: 'search', indexId, request });
    if (!result) throw new Error('The search worker returned no result');
    return result;
  }

  apply(indexId: string, generation: number, documents: readonly IndexedDocument[]): Promise<IndexStats> {
    return this.change({ indexId, generation, documents, toDraft: false });
  }

  async rebuild(
    settings: IndexSettings,
    generation: number,
    pages: AsyncIterable<readonly IndexedDocument[]>,
  ): Promise<IndexStats> {
    const indexId = settings.id;
    await this.call({ kind: 'createDraft', settings });
    for await (const documents of pages) {
      await this.change({ indexId, generation, documents, toDraft: true });
    }
    await this.change({ indexId, generation, documents: [], toDraft: true });
    return statsIn(await this.call({ kind: 'publishDraft', indexId }));
  }

  async setSynonyms(synonyms: readonly Synonym[]): Promise<void> {
    await this.call({ kind: 'setSynonyms', synonyms });
  }

  /** The thread ends itself: terminating it while usearch compares vectors would abort the process. */
  async stop(): Promise<void> {
    this.stopping = true;
    const { thread } = this;
    if (!thread) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    const timer = setTimeout(() => void thread.terminate(), STOP_WITHIN_MS);
    thread.postMessage({ callId: 0, kind: 'stop' } satisfies WorkerRequest);
    await ended;
    clearTimeout(timer);
  }

  private async change(change: Omit<Extract<WorkerCommand, { kind: 'apply' }>, 'kind' | 'now'>): Promise<IndexStats> {
    return statsIn(await this.call({ kind: 'apply', ...change, now: this.options.now() }));
  }

  private call(command: WorkerCommand): Promise<WorkerResponse> {
    if (this.stopping) return Promise.reject(new SearchEngineUnavailableError('The service is stopping'));
    const thread = (this.thread ??= this.start());
    const callId = (this.calls += 1);
    return new Promise((resolve, reject) => {
      this.pending.set(callId, { resolve, reject });
      thread.postMessage({ callId, ...command });
    });
  }

  private start(): Worker {
    const thread = new Worker(new URL('./search-worker-thread.js', import.meta.url));
    thread.on('message', (response: WorkerResponse) => {
      const call = this.pending.get(response.callId);
      this.pending.delete(response.callId);
      if (response.error === undefined) call?.resolve(response);
      else call?.reject(new Error(response.error));
    });
    // The `exit` event follows and rejects all pending calls.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      for (const { reject } of this.pending.values()) {
        reject(new SearchEngineUnavailableError('The search index is reloading'));
      }
      this.pending.clear();
      if (!this.stopping) this.options.onLost();
    });
    return thread;
  }
}

function statsIn({ stats }: WorkerResponse): IndexStats {
  if (!stats) throw new Error('The search worker returned no statistics');
  return stats;
}
