import { CircuitBreaker } from './circuit-breaker.js';

export type Urgency = 'query' | 'document';

interface QueueOptions<Input, Output> {
  /**
   * Calls the model, and returns one output for each input. It must settle within a time limit. A call with one input gets its
   * signal, and may end early when it is aborted.
   */
  readonly run: (inputs: readonly Input[], call: Call) => Promise<readonly Output[]>;
  /** The maximum number of concurrent calls. */
  readonly concurrency: number;
  /** Whether waiting inputs may share a call. */
  readonly isBatch: (inputs: readonly Input[]) => boolean;
  readonly breaker: CircuitBreaker;
}

export interface Call {
  readonly urgency: Urgency;
  /** Aborted when the caller no longer needs the vectors. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting<Input, Output> extends Call {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** With more queries, some would exceed the time limit of a search before their turn. */
export const MAX_WAITING_QUERIES = 16;
/** After this many queries a document gets its turn, so that searches cannot block the embedding of the catalog. */
const QUERIES_IN_A_ROW = 8;

/**
 * A queue of calls to an embedding model. Queries take precedence, and at most `MAX_WAITING_QUERIES` of them wait. A query is
 * rejected at once if the queue is full or the circuit breaker is open. It is removed when its signal is aborted, so that the
 * model spends no time on it. Inputs that wait are passed to the model together. The number of documents is not limited here,
 * because one job embeds one group at a time.
 */
export class ModelQueue<Input, Output> {
  private queries: Waiting<Input, Output>[] = [];
  private documents: Waiting<Input, Output>[] = [];
  private running = 0;
  private queriesInARow = 0;

  constructor(private readonly options: QueueOptions<Input, Output>) {}

  get waitingQueries(): number {
    return this.queries.length;
  }

  /** Throws if the model is not available, and as soon as the signal is aborted. */
  add(input: Input, call: Call): Promise<Output> {
    if (this.options.breaker.isOpen) return Promise.reject(unavailable('has failed repeatedly'));
    if (call.signal?.aborted) return Promise.reject(unavailable('is not needed any more'));
    const isFull = this.running >= this.options.concurrency && this.queries.length >= MAX_WAITING_QUERIES;
    if (call.urgency === 'query' && isFull) return Promise.reject(unavailable('has too many queries waiting'));
    return new Promise((resolve, reject) => {
      const waiting = { ...call, input, resolve, reject };
      this.waitingLike(call).push(waiting);
      call.signal?.addEventListener('abort', () => this.abandon(waiting), { once: true });
      this.next();
    });
  }

  private abandon(waiting: Waiting<Input, Output>): void {
    const queue = this.waitingLike(waiting);
    const index = queue.indexOf(waiting);
    if (index >= 0) queue.splice(index, 1);
    waiting.reject(unavailable('did not answer in time'));
  }

  private next(): void {
    const { concurrency, breaker } = this.options;
    while (this.running < concurrency) {
      if (breaker.isOpen) return this.rejectAll();
      const batch = this.shift();
      if (batch.length === 0) return;
      void this.run(batch);
    }
  }

  private shift(): Waiting<Input, Output>[] {
    const isDocumentsTurn = this.queriesInARow >= QUERIES_IN_A_ROW && this.documents.length > 0;
    const queries = isDocumentsTurn ? [] : this.batchOf(this.queries);
    this.queriesInARow = queries.length > 0 ? this.queriesInARow + 1 : 0;
    return queries.length > 0 ? queries : this.batchOf(this.documents);
  }

  private batchOf(queue: Waiting<Input, Output>[]): Waiting<Input, Output>[] {
    let count = Math.min(1, queue.length);
    while (count < queue.length && this.options.isBatch(queue.slice(0, count + 1).map(({ input }) => input)))
      count += 1;
    return queue.splice(0, count);
  }

  private async run(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    const { run, breaker } = this.options;
    const urgency = batch[0]?.urgency ?? 'document';
    const signal = batch.length === 1 ? batch[0]?.signal : undefined;
    this.running += 1;
    breaker.begin();
    try {
      const outputs = await run(
        batch.map(({ input }) => input),
        { urgency, signal },
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const output = outputs[index];
        if (output === undefined) reject(unavailable('returned too few vectors'));
        else resolve(output);
      }
      breaker.succeed();
    } catch (error) {
      // A client that disconnects is not a failure of the model; an exceeded time limit (`TimeoutError`) is.
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
      if (signal?.aborted && error === signal.reason && !isTimeout) breaker.abandon();
      else breaker.fail();
      for (const { reject } of batch) reject(error);
    } finally {
      this.running -= 1;
      this.next();
    }
  }

  private rejectAll(): void {
    const rejected = [...this.queries, ...this.documents];
    this.queries = [];
    this.documents = [];
    for (const { reject } of rejected) reject(unavailable('has failed repeatedly'));
  }

  private waitingLike({ urgency }: Call): Waiting<Input, Output>[] {
    return urgency === 'query' ? this.queries : this.documents;
  }
}

function unavailable(reason: string): Error {
  return new Error(`The embedding model ${reason}`);
}
