import { AsyncLocalStorage } from 'node:async_hooks';
import { uuidv7 } from '../ids/id.js';
import { type Actor, SYSTEM } from './actor.js';
import type { Surface } from './surface.js';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Outcome of the work of a span. */
export interface SpanOutcome {
  /** Replaces the name that it was started with. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** The kind of error with which the work failed; never its message, which may quote a value. */
  readonly errorType?: string;
}

/** Work that is recorded in a trace: a request, a job, a statement, a call of another service. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** False if the trace is not sampled: the work is part of the trace, but is not exported. */
  readonly isRecorded: boolean;
  /** The header by which another service continues the trace. */
  readonly traceparent: string;
  end(outcome?: SpanOutcome): void;
}

/** The client of a request, as its connection and its headers describe it. */
export interface ClientDescription {
  readonly address: string;
  /** Cut to 300 characters; null if the client sent none. */
  readonly userAgent: string | null;
}

/** The data of the request (or the job) in which the running code is executed. */
export interface RequestContext {
  /** `X-Request-Id`: the client may choose it, and repeat it. */
  readonly requestId: string;
  /** The service generates it for each request and each job, so audit records also contain it. */
  readonly serverRequestId: string;
  actor: Actor | null;
  /** Absent outside a request: in a job, in provisioning. */
  readonly client?: ClientDescription;
  /** The surface that is called; absent as `client`. */
  readonly surface?: Surface;
  /**
   * Headers that are added to the response when the handler has returned; kept here so that services need no response
   * object.
   */
  readonly headers: Map<string, string>;
  /** Scopes that the handler required, beyond the one of its route. */
  askedScopes?: readonly string[];
  /** The page that a handler of a list reads instead of the requested one, while an export calls it page by page. */
  exportPage?: { readonly limit: number; readonly offset: number };
  /** The request or the job in its trace; absent unless OpenTelemetry is on. */
  span?: Span;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs the rest of the asynchronous call chain in this context. */
export function openContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Runs work that belongs to no request, as the service itself. */
export function asSystem<T>(work: () => T): T {
  const requestId = uuidv7();
  return openContext({ requestId, serverRequestId: requestId, actor: SYSTEM, headers: new Map() }, work);
}

/** Runs work in the name of an actor whose request has ended. Ledger entries keep the number of the running job. */
export function asActor<T>(actor: Actor, work: () => T): T {
  return openContext({ ...currentContext(), actor, headers: new Map() }, work);
}

/** The current context. Throws if there is none: work without a request must use `asSystem`. */
export function currentContext(): RequestContext {
  const context = storage.getStore();
  if (!context) throw new Error('No request context: run this inside a request or asSystem');
  return context;
}

export function findContext(): RequestContext | null {
  return storage.getStore() ?? null;
}

/** The current actor. Throws if there is none: public routes have no actor. */
export function currentActor(): Actor {
  const { actor } = currentContext();
  if (!actor) throw new Error('No actor: this route is public');
  return actor;
}
