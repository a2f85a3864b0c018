import { addressKey } from '../context/client-address.js';
import { currentContext, findContext } from '../context/request-context.js';
import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, SetMetadata } from '@nestjs/common';
import { Env } from '../config/env.js';
import { FairShare, quarterOf } from '../context/fair-share.js';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { finalize, type Observable } from 'rxjs';
import { isProbeRequest } from '../context/surface.js';
import { countRequest, type PolicyName, RateLimits } from './rate-limits.js';

/** The owner of the share that the running work uses: the credential of its request, or the address without one. */
export function currentCaller(): string {
  const { actor, client } = findContext() ?? {};
  return actor?.credentialId ?? `address ${addressKey(client?.address)}`;
}

/** Resolves when the response has been sent or its connection is closed. */
function closing(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once('close', resolve);
  });
}

const EXPENSIVE_READ = 'expensive-read';

/**
 * The route reads a lot. All such routes together use a quarter of the process's database connections, and one caller uses two.
 */
export function ExpensiveRead(): MethodDecorator {
  return SetMetadata(EXPENSIVE_READ, true);
}

const OPERATION_LIMITS = 'operation-limits';

type Limit = number | ((env: Env) => number);

/** The limits of an expensive operation. */
export interface OperationLimits {
  /** The rate limit of one credential; routes with the same name share the limits. */
  readonly name: PolicyName;
  /** Requests that one process serves at the same time, for all credentials. */
  readonly maxConcurrent: Limit;
  /** Requests that one process serves at the same time for one credential; absent: half of `maxConcurrent`. */
  readonly maxConcurrentPerCredential?: Limit;
  /** Whether the response is a stream: it lasts until its client ends it, so that waiting for the end of others is pointless. */
  readonly isStream?: boolean;
  /**
   * Returns whether a request with this body is expensive. Without this function every request is. The body is not validated
   * yet.
   */
  readonly when?: (body: Readonly<Record<string, unknown>>) => boolean;
}

/**
 * Marks an expensive route. Besides the limits of its surface it has a rate limit per credential (429) and a limit on
 * concurrent requests: a credential above its own part gets 429 at once, and a request that finds the places taken by others
 * waits for its turn, 503 after half of its deadline.
 */
export function LimitOperation(limits: OperationLimits): MethodDecorator {
  return SetMetadata(OPERATION_LIMITS, limits);
}

/** The limits that a route declares by `@LimitOperation()`. */
export function operationLimitsOf(handler: object): OperationLimits | undefined {
  return Reflect.getMetadata(OPERATION_LIMITS, handler) as OperationLimits | undefined;
}

/** What a request needs besides the shares of its caller. */
interface Expense {
  readonly isExpensive: boolean;
  readonly operation: OperationLimits | undefined;
}

/** A request may wait at most half of its deadline, so that the rest remains for its work. */
const WAITING_PART = 1 / 2;
const EXPENSIVE_READS_PER_CALLER = 2;
const EXPENSIVE_READS_WAITING_PER_CALLER = 16;
const EXPENSIVE_READS_WAITING = 128;
const OPERATIONS_WAITING = 32;

/**
 * Limits the share of this process that one caller gets. A credential may run a quarter as many requests as there are database
 * connections, and all credentials of an address together half as many. Further requests wait in a queue of the caller, so that
 * a client with many requests at once delays only itself.
 */
@Injectable()
export class RequestShares {
  private readonly ofCaller: FairShare;
  private readonly ofAddress: FairShare;
  private readonly ofExpensiveReads: FairShare;
  private readonly ofOperations = new Map<PolicyName, FairShare>();
  private readonly waitMs: number;

  constructor(private readonly env: Env) {
    const quarter = quarterOf(env.databasePoolSize);
    const waitMs = env.requestDeadlineMs * WAITING_PART;
    this.waitMs = waitMs;
    const waiting = env.maxInFlight;
    const waitingPerCaller = Math.ceil(waiting / 2);
    const running = Infinity;
    this.ofCaller = new FairShare({ running, waiting, runningPerCaller: quarter, waitingPerCaller, waitMs });
    this.ofAddress = new FairShare({
      running,
      waiting,
      runningPerCaller: 2 * quarter,
      waitingPerCaller: waiting,
      waitMs,
      reserves: true,
    });
    this.ofExpensiveReads = new FairShare({
      running: quarter,
      waiting: EXPENSIVE_READS_WAITING,
      // Leaves a part of the caller's share free: a long export must not stop its other requests.
      runningPerCaller: Math.min(Math.ceil(quarter / 2), EXPENSIVE_READS_PER_CALLER),
      waitingPerCaller: EXPENSIVE_READS_WAITING_PER_CALLER,
      waitMs,
    });
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.ofAddress.waiting;
  }

  /** Resolves when the running request may begin; the returned function ends it. */
  async take({ isExpensive, operation }: Expense): Promise<() => void> {
    const caller = currentCaller();
    const addressOf = addressKey(currentContext().client?.address);
    return FairShare.takeAll([
      ...(operation ? [{ share: this.shareOf(operation), caller }] : []),
      ...(isExpensive ? [{ share: this.ofExpensiveReads, caller }] : []),
      { share: this.ofCaller, caller },
      { share: this.ofAddress, caller: addressOf },
    ]);
  }

  /** The place of a stream, which lasts longer than the work of its request. Never waits. */
  async takeStream(operation: OperationLimits): Promise<() => void> {
    return this.shareOf(operation).take(currentCaller());
  }

  private shareOf(operation: OperationLimits): FairShare {
    const known = this.ofOperations.get(operation.name);
    if (known) return known;
    const valueOf = (limit: Limit) => (typeof limit === 'number' ? limit : limit(this.env));
    const running = valueOf(operation.maxConcurrent);
    const share = new FairShare({
      running,
      waiting: operation.isStream ? 0 : OPERATIONS_WAITING,
      runningPerCaller: valueOf(operation.maxConcurrentPerCredential ?? Math.ceil(running / 2)),
      waitingPerCaller: 0,
      waitMs: this.waitMs,
    });
    this.ofOperations.set(operation.name, share);
    return share;
  }
}

/** The database reads and skips the rows before a page: beyond this offset that is most of the work. */
const LARGE_OFFSET = 5_000;

/**
 * Lets a request wait for its turn, and rejects it beyond the limits of its operation, in front of all other interceptors and
 * the handler: a rejected request claims no idempotency key and opens no transaction. Interceptors run after all guards, so a
 * caller without the scope uses up nothing.
 */
@Injectable()
export class RequestSharesInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly rates: RateLimits,
    private readonly shares: RequestShares,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (isProbeRequest(request.method, request.originalUrl)) return next.handle();

    const isDeclared = this.reflector.get<boolean | undefined>(EXPENSIVE_READ, context.getHandler()) ?? false;
    const limits = this.limitsOf(context);
    const releaseStream = limits?.isStream ? await this.shares.takeStream(limits) : undefined;
    const expense = { isExpensive: isDeclared || readsMuch(request), operation: releaseStream ? undefined : limits };
    const release = await this.shares.take(expense).catch(rethrowAfter(releaseStream));
    // After a client disconnects its work still runs, and a file may be read long after the handler has returned: both must have
    // ended before the next request may begin.
    const closed = closing(response);
    return next.handle().pipe(
      finalize(() => {
        void closed.then(releaseStream);
        if (isEventStream(response)) release();
        else void closed.then(release);
      }),
    );
  }

  /** The limits that apply to the request, after it has been counted. */
  private limitsOf(context: ExecutionContext): OperationLimits | undefined {
    const limits = operationLimitsOf(context.getHandler());
    const { body } = context
      .switchToHttp()
      .getRequest<Request<unknown, unknown, Record<string, unknown> | undefined>>();
    if (!limits || limits.when?.(body ?? {}) === false) return undefined;
    countRequest(this.rates, { policy: limits.name, subject: currentCaller() }, context);
    return limits;
  }
}

function rethrowAfter(release: (() => void) | undefined): (error: unknown) => never {
  return (error) => {
    release?.();
    throw error;
  };
}

/** A page far behind, or a list as a file. */
function readsMuch({ query }: Request): boolean {
  return query['format'] === 'csv' || Number(query['offset'] ?? 0) > LARGE_OFFSET;
}

/** A stream lasts until its client ends it, and needs a database connection only now and then. */
function isEventStream(response: Response): boolean {
  return String(response.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}
