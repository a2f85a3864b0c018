import { CircuitBreaker } from './circuit-breaker.js';

export type Urgency = 'query' | 'document';

interface QueueOptions<Input, Output> {
  /** Calls the model. It must settle within a time limit, and may end early when the call is aborted. */
  readonly run: (input: Input, call: Call) => Promise<Output>;
  /** The maximum number of concurrent calls. */
  readonly concurrency: number;
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

/** More queries would exceed the time limit of a search before it is their turn. */
export const MAX_WAITING_QUERIES = 16;
/** Then one document gets its turn, so that searches cannot prevent the catalog from being embedded. */
const QUERIES_IN_A_ROW = 8;

/**
 * A queue of calls to an embedding model. Queries take precedence, and at most `MAX_WAITING_QUERIES` of them wait. A query is
 * rejected at once if the queue is full or the circuit breaker is open. It is removed when its signal is aborted, so that the
 * model spends no time on it. The number of documents is not limited here, because one job embeds one group at a time.
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
      const waiting = this.shift();
      if (!waiting) return;
      void this.run(waiting);
    }
  }

  private shift(): Waiting<Input, Output> | undefined {
    const isDocumentsTurn = this.queriesInARow >= QUERIES_IN_A_ROW && this.documents.length > 0;
    const query = isDocumentsTurn ? undefined : this.queries.shift();
    this.queriesInARow = query ? this.queriesInARow + 1 : 0;
    return query ?? this.documents.shift();
  }

  private async run({ input, urgency, signal, resolve, reject }: Waiting<Input, Output>): Promise<void> {
    const { run, breaker } = this.options;
    this.running += 1;
    breaker.begin();
    try {
      resolve(await run(input, { urgency, signal }));
      breaker.succeed();
    } catch (error) {
      // A client that disconnects is no failure of the model; a time limit (`TimeoutError`) that passes is one.
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
      if (signal?.aborted && error === signal.reason && !isTimeout) breaker.abandon();
      else breaker.fail();
      reject(error);
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
