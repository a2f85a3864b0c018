import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent } from 'node:http';
import { operationsOf, type Placed, resolved, type ServedDocument } from '../contract/served-document.js';
import { draftOf, isPublic } from '../fuzz/draft.js';
import { exampleParameters } from '../fuzz/example.js';
import { Document } from '../fuzz/schema.js';
import { readCredentials } from '../setup/credentials.js';
import { send } from '../setup/http.js';
import { addressCases } from './request-cost/address-shapes.js';
import { observedAttacks, withoutCredential } from './request-cost/attacks.js';
import { bodyCases, withoutEncoding } from './request-cost/body-shapes.js';
import { CostMeter, type Measured, type RequestCase } from './request-cost/cost-meter.js';
import { headerCases } from './request-cost/header-shapes.js';
import { secretMembers, type Secrets } from './request-cost/secret-members.js';

const MIB = 1024 * 1024;
/** `REQUEST_COST=full`: every shape in every encoding, every header on every operation, each also without a credential. */
const FULL = process.env.REQUEST_COST === 'full';
const WITHIN_MS = FULL ? 3_600_000 : 1_800_000;
/** Reads come first and deletions last, so that no request deletes rows that a later one needs. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/**
 * In the quick run each shape is sent to the first operation of a kind that has it; of the other requests of an operation one
 * in `MEASURED_ONE_IN`, of all of them one in `PUBLIC_ONE_IN` without a credential as well, and of the bodies one in
 * `REPEATED_ONE_IN` again. Which ones differs by operation.
 */
const MEASURED_ONE_IN = 6;
const PUBLIC_ONE_IN = 8;
const REPEATED_ONE_IN = 3;
/** The error path parses at most 64 KiB, and CPU times of a small machine vary. */
const REJECTION_FACTOR = 5;

describe('the cost of a request', () => {
  const agent = new Agent();
  let meter: CostMeter;
  let operations: Placed[];
  let document: Document;
  let secrets: Secrets;
  /** Kinds of operations with the shapes that were sent to them. */
  const seen = new Set<string>();

  beforeAll(async () => {
    const credentials = readCredentials();
    const { staff, platformKey, limitedPlatformKey } = credentials;
    const tokens = { staff: staff.token, platform: platformKey, limited: limitedPlatformKey };
    // The requests of the test come from different addresses, because the limit of one address is not measured here.
    meter = await CostMeter.start(tokens, { JOBS: 'false', TRUSTED_PROXIES: '127.0.0.1' });
    const url = new URL(meter.service.url);
    const { body } = await send<ServedDocument>(agent, url, { method: 'GET', path: '/openapi.json' });
    const served = resolved(body);
    document = new Document(served);
    operations = operationsOf(served).sort((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
    secrets = await secretMembers({ agent, url, credentials });
    await measureAll(operations.map(plain));
  });

  afterAll(() => {
    meter.close();
    agent.destroy();
  });

  it(
    'no observed attack blocks the event loop for more than 50 ms',
    async () => {
      const measured = await measureAll(observedAttacks(operations, document));
      expect(linesOf(measured.filter(isAboveLimit))).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'no operation can be made to block the event loop for more than 50 ms or to keep memory',
    async () => {
      const before = await meter.service.memory();
      const pass = await measureAll(operations.flatMap((operation, turn) => casesOf(operation, turn)));
      const first = await meter.service.memory();
      // Only bodies are large enough to increase the resident size.
      const large = operations.flatMap((operation, turn) => bodies(operation, turn));
      await measureAll(large.filter((_, at) => FULL || at % (MEASURED_ONE_IN * REPEATED_ONE_IN) === 0));
      const second = await meter.service.memory();

      const mostExpensive = [...pass].sort((a, b) => b.blockedMs - a.blockedMs).slice(0, 10);
      print([`${pass.length} requests; the ten most expensive:`, ...linesOf(mostExpensive)]);
      print([
        'Memory before, after pass one and pass two:',
        ...[before, first, second].map((used) => JSON.stringify(used)),
      ]);
      expect(linesOf(pass.filter(isAboveLimit))).toEqual([]);
      expect(meter.failures).toEqual([]);
      expect(first.heapUsed + first.external).toBeLessThan(1.1 * (before.heapUsed + before.external) + 20 * MIB);
      expect(second.rss).toBeLessThan(1.1 * first.rss + 20 * MIB);
    },
    WITHIN_MS,
  );

  it(
    'rejecting a request without a credential costs no more than serving a cheap one',
    async () => {
      const isServed = ({ status }: Measured) => status === 200;
      const isRejected = ({ status }: Measured) => status >= 400 && status < 500;
      const reads = operations.filter(({ method }) => method === 'GET');
      const served = (await measureAll(reads.map(plain))).filter(isServed);
      const guarded = operations.filter((operation) => !isPublic(operation) && operation.method === 'POST');
      const hostile = guarded.flatMap((operation, turn) =>
        bodies(operation, turn).filter((_, at) => at % 10 === turn % 10),
      );
      const rejected = (await measureAll(hostile.map(withoutCredential))).filter(isRejected);

      const [cheap, rejection] = [medianOf(served), medianOf(rejected)];
      print([`CPU of a cheap read: ${cheap} ms; of a rejection without a credential: ${rejection} ms (medians)`]);
      expect(served.length).toBeGreaterThan(20);
      expect(rejected.length).toBeGreaterThan(100);
      expect(rejection).toBeLessThan(REJECTION_FACTOR * cheap);
    },
    WITHIN_MS,
  );

  async function measureAll(requests: readonly RequestCase[]): Promise<Measured[]> {
    const measured: Measured[] = [];
    for (const request of requests) measured.push(await meter.measure(request));
    return measured;
  }

  function casesOf(operation: Placed, turn: number): RequestCase[] {
    const own = [
      ...measured(operation, turn, [...bodies(operation, turn), ...addressCases(operation)]),
      ...headerCases(operation, document, { turn, all: FULL || isFirstOfKind(operation) }),
    ];
    if (isPublic(operation)) return own;
    return [
      ...own,
      ...own.filter((_, at) => FULL || at % PUBLIC_ONE_IN === turn % PUBLIC_ONE_IN).map(withoutCredential),
    ];
  }

  function measured(operation: Placed, turn: number, cases: readonly RequestCase[]): RequestCase[] {
    return cases.filter(({ shape }, at) => {
      const kindAndShape = `${kindOf(operation)} ${withoutEncoding(shape)}`;
      const isNew = !seen.has(kindAndShape);
      seen.add(kindAndShape);
      return FULL || isNew || at % MEASURED_ONE_IN === turn % MEASURED_ONE_IN;
    });
  }

  function bodies(operation: Placed, turn: number): RequestCase[] {
    return bodyCases(operation, { document, secrets }, { turn, isFirst: isFirstOfKind(operation), all: FULL });
  }

  function isFirstOfKind(operation: Placed): boolean {
    return operations.find((other) => kindOf(other) === kindOf(operation)) === operation;
  }
});

/** Operations of one kind have the same path up to the guard. */
function kindOf({ method, path }: Placed): string {
  return `${method} ${path.split('/', 3).join('/')}`;
}

/** The request of the document's example, without a body. */
function plain(operation: Placed): RequestCase {
  const draft = () => draftOf(operation, exampleParameters(operation), undefined);
  return { operation: operation.operationId, shape: 'plain', draft };
}

function isAboveLimit({ blockedMs, limitMs }: Measured): boolean {
  return blockedMs > limitMs;
}

function linesOf(measured: readonly Measured[]): string[] {
  return measured.map(({ operation, shape, bearer, bytes, status, blockedMs, limitMs }) => {
    const credential = bearer === 'none' ? 'no credential' : 'a credential';
    const figures = `${Math.round(blockedMs)} ms of ${Math.round(limitMs)}`;
    return `${figures}: ${operation}, ${shape}, ${credential}, ${bytes} bytes, answered ${status}`;
  });
}

function medianOf(measured: readonly Measured[]): number {
  const sorted = measured.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Without Jest, which would print a stack trace after each line. */
function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
