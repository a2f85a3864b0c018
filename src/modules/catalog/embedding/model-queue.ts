import { CircuitBreaker } from './circuit-breaker.js';

export type Urgency = 'query' | 'document';

interface QueueOptions<Input, Output> {
  /** Asks the model. It must settle by itself within a time limit, and may end early when the call is aborted. */
  readonly run: (input: Input, call: Call) => Promise<Output>;
  /** Calls that the model gets at the same time. */
  readonly atOnce: number;
  readonly breaker: CircuitBreaker;
}

export interface Call {
  readonly urgency: Urgency;
  /** Aborted when the answer is of no use any more. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting<Input, Output> extends Call {
  readonly input: Input;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

/** More would wait longer than a search does: the built-in model answers about this many in that time. */
export const MAX_WAITING_QUERIES = 16;
/** Then one text of a document gets its turn, so that searches cannot stop the catalog from being embedded. */
const QUERIES_IN_A_ROW = 8;

/**
 * Calls that wait for an embedding model. Queries come first, and at most `MAX_WAITING_QUERIES` of them wait. A query is
 * rejected at once when the queue is full or the circuit breaker is open, and removed when its signal is aborted: the
 * model spends no time on it. Documents need no bound of their own, as one job embeds one group at a time.
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

  /** Throws where the model is not available, and as soon as the signal is aborted. */
  add(input: Input, call: Call): Promise<Output> {
    if (this.options.breaker.isOpen) return Promise.reject(unavailable('has failed repeatedly'));
    if (call.signal?.aborted) return Promise.reject(unavailable('is not needed any more'));
    const isFull = this.running >= this.options.atOnce && this.queries.length >= MAX_WAITING_QUERIES;
    if (call.urgency === 'query' && isFull) return Promise.reject(unavailable('has too many queries waiting'));
    return new Promise((resolve, reject) => {
      const waiting = { ...call, input, resolve, reject };
      this.lineOf(call).push(waiting);
      call.signal?.addEventListener('abort', () => this.abandon(waiting), { once: true });
      this.next();
    });
  }

  private abandon(waiting: Waiting<Input, Output>): void {
    const line = this.lineOf(waiting);
    const index = line.indexOf(waiting);
    if (index >= 0) line.splice(index, 1);
    waiting.reject(unavailable('did not answer in time'));
  }

  private next(): void {
    const { atOnce, breaker } = this.options;
    while (this.running < atOnce) {
      if (breaker.isOpen) return this.rejectAll();
      const waiting = this.shift();
      if (!waiting) return;
      void this.run(waiting);
    }
  }

  private shift(): Waiting<Input, Output> | undefined {
    const isTurnOfDocuments = this.queriesInARow >= QUERIES_IN_A_ROW && this.documents.length > 0;
    const query = isTurnOfDocuments ? undefined : this.queries.shift();
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
      // A client that disconnects says nothing about the model; a time limit (`TimeoutError`) that passes does.
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

  private lineOf({ urgency }: Call): Waiting<Input, Output>[] {
    return urgency === 'query' ? this.queries : this.documents;
  }
}

function unavailable(reason: string): Error {
  return new Error(`The embedding model ${reason}`);
}
