import { beforeEach, describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from './circuit-breaker.js';
import { MAX_WAITING_QUERIES, ModelQueue } from './model-queue.js';

let now: number;
/** The calls of the model in order, with functions that end them. */
let asked: { input: string; answer: (vector: string) => void; fail: () => void }[];
let queue: ModelQueue<string, string>;

beforeEach(() => {
  [now, asked] = [0, []];
  queue = new ModelQueue({
    run: ([input = '']) =>
      new Promise((resolve, reject) =>
        asked.push({
          input,
          answer: (vector) => resolve([vector]),
          fail: () => reject(new Error('model failure')),
        }),
      ),
    concurrency: 1,
    isBatch: () => false,
    breaker: new CircuitBreaker({ failures: 3, restMs: 2_000 }, () => now),
  });
});

const query = (input: string, signal?: AbortSignal) => queue.add(input, { urgency: 'query', signal });
const inputs = () => asked.map(({ input }) => input);
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function fail(times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const rejected = expect(query('fails')).rejects.toThrow('model failure');
    asked.at(-1)?.fail();
    await rejected;
  }
}

describe('the queue of the embedding model', () => {
  it('the queue of the embedding model rejects a query at once when it is full, and keeps those that wait', async () => {
    const accepted = Array.from({ length: MAX_WAITING_QUERIES + 1 }, (_, n) => query(`q${n}`));
    await expect(query('one too many')).rejects.toThrow('too many queries waiting');
    for (const [n, vector] of accepted.entries()) {
      asked[n]?.answer(`vector ${n}`);
      expect(await vector).toBe(`vector ${n}`);
      await settled();
    }
    expect(inputs()).not.toContain('one too many');
  });

  it('the queue of the embedding model removes an abandoned query: the model is never asked, and its place is free', async () => {
    const clients = Array.from({ length: MAX_WAITING_QUERIES }, () => new AbortController());
    const first = query('first');
    const abandoned = clients.map(({ signal }) => query('abandoned', signal));
    for (const client of clients) client.abort();
    for (const one of abandoned) await expect(one).rejects.toThrow('in time');
    expect(queue.waitingQueries).toBe(0);
    const next = query('next');
    asked[0]?.answer('v');
    await first;
    await settled();
    expect(inputs()).toEqual(['first', 'next']);
    asked[1]?.answer('w');
    expect(await next).toBe('w');
  });

  it('the queue of the embedding model sends queries before documents, but not only queries', async () => {
    const document = (input: string) => queue.add(input, { urgency: 'document' });
    const all = [
      query('q0'),
      document('d0'),
      document('d1'),
      ...Array.from({ length: 11 }, (_, n) => query(`q${n + 1}`)),
    ];
    for (let n = 0; n < all.length; n += 1) {
      asked[n]?.answer('v');
      await settled();
    }
    await Promise.all(all);
    expect(inputs().indexOf('d0')).toBe(8);
    expect(inputs().at(-1)).toBe('d1');
  });
});

describe('batches of the embedding model', () => {
  const calls: (readonly string[])[] = [];
  let answers: ((isFine: boolean) => void)[];
  let batches: ModelQueue<string, string>;

  beforeEach(() => {
    calls.length = 0;
    answers = [];
    batches = new ModelQueue({
      run: (inputs) =>
        new Promise((resolve, reject) => {
          calls.push(inputs);
          const vectors = inputs.map((input) => `vector ${input}`);
          answers.push((isFine) => (isFine ? resolve(vectors) : reject(new Error('model failure'))));
        }),
      concurrency: 1,
      isBatch: ({ length }) => length <= 3,
      breaker: new CircuitBreaker({ failures: 3, restMs: 2_000 }, () => 0),
    });
  });

  it('texts that wait are passed to the embedding model together, each gets its own vector, and documents follow queries', async () => {
    const added = ['a', 'b', 'c', 'd', 'e'].map((input) => batches.add(input, { urgency: 'query' }));
    const document = batches.add('f', { urgency: 'document' });
    for (let call = 0; call < 4; call += 1) {
      answers[call]?.(true);
      await settled();
    }
    expect(await Promise.all([...added, document])).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => `vector ${one}`),
    );
    expect(calls).toEqual([['a'], ['b', 'c', 'd'], ['e'], ['f']]);
  });

  it('an abandoned query is not part of a batch, and a failure of the embedding model rejects its whole batch only', async () => {
    const first = batches.add('a', { urgency: 'query' });
    const gone = new AbortController();
    const abandoned = expect(batches.add('b', { urgency: 'query', signal: gone.signal })).rejects.toThrow('in time');
    const failing = ['c', 'd', 'e'].map((input) =>
      expect(batches.add(input, { urgency: 'query' })).rejects.toThrow('model failure'),
    );
    const last = batches.add('f', { urgency: 'query' });
    gone.abort();
    for (const [call, isFine] of [true, false, true].entries()) {
      answers[call]?.(isFine);
      await settled();
    }
    await Promise.all([abandoned, ...failing]);
    expect([await first, await last]).toEqual(['vector a', 'vector f']);
    expect(calls).toEqual([['a'], ['c', 'd', 'e'], ['f']]);
  });
});

describe('the circuit breaker of the embedding model', () => {
  it('the circuit breaker of the embedding model stops sending after three failures in a row, and rejects what waits', async () => {
    await fail(2);
    const [failing, waiting] = [query('fails'), query('waits')];
    asked.at(-1)?.fail();
    await expect(failing).rejects.toThrow('model failure');
    await expect(waiting).rejects.toThrow('has failed repeatedly');
    await expect(query('later')).rejects.toThrow('has failed repeatedly');
    expect(inputs()).toEqual(['fails', 'fails', 'fails']);
  });

  it('the circuit breaker of the embedding model sends one probe after its rest: a success closes it, a failure opens it again', async () => {
    await fail(3);
    now = 2_000;
    const probe = query('probe');
    await expect(query('beside the probe')).rejects.toThrow('has failed repeatedly');
    asked.at(-1)?.fail();
    await expect(probe).rejects.toThrow('model failure');
    await expect(query('after the probe')).rejects.toThrow('has failed repeatedly');

    now = 4_000;
    const second = query('second probe');
    asked.at(-1)?.answer('v');
    expect(await second).toBe('v');
    const next = query('next');
    asked.at(-1)?.answer('w');
    expect(await next).toBe('w');
    expect(inputs()).toEqual(['fails', 'fails', 'fails', 'probe', 'second probe', 'next']);
  });

  it('the circuit breaker of the embedding model counts failures in a row only', async () => {
    await fail(2);
    const fine = query('fine');
    asked.at(-1)?.answer('v');
    await fine;
    await fail(2);
    const next = query('next');
    asked.at(-1)?.answer('w');
    expect(await next).toBe('w');
  });
});
