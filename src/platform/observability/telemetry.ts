import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { traced, type Tracer } from './tracer.js';
import { Injectable } from '@nestjs/common';
import { findContext, type Span, type SpanAttributes } from '../context/request-context.js';

export type TelemetrySettings = Pick<Env, 'otlpEndpoint' | 'otlpHeaders' | 'serviceName' | 'traceRatio'>;

/** Traces that this process sends to a collector. */
export abstract class Telemetry {
  /** If null, nothing is recorded. */
  abstract readonly tracer: Tracer | null;
  /** Sends the remaining data, for a few seconds at most. */
  abstract close(): Promise<void>;
}

export const NO_TELEMETRY: Telemetry = { tracer: null, close: async () => undefined };

/** OpenTelemetry if a collector is configured. Its packages are loaded only then. */
export async function startTelemetry(settings: TelemetrySettings, log: Logger): Promise<Telemetry> {
  const { otlpEndpoint } = settings;
  if (otlpEndpoint === null) return NO_TELEMETRY;
  const { OpenTelemetry } = await import('./open-telemetry.js');
  return new OpenTelemetry({ ...settings, otlpEndpoint }, log);
}

export interface OutgoingCall<T> {
  /** The called service and the purpose, e.g. `embeddings query`. */
  readonly name: string;
  /** Only its host and port are recorded. */
  readonly url?: string | null;
  /** The caller's span, if the call is made on behalf of work other than the running one. */
  readonly parent?: Span | null;
  /** Returns the kind of failure of a result, or null. */
  readonly failureOf?: (result: T) => string | null;
}

type Headers = Readonly<Record<string, string>>;

const NO_HEADERS: Headers = {};

/** Records calls of other services, and passes the trace on to services of the operator. */
@Injectable()
export class OutgoingCalls {
  constructor(
    private readonly telemetry: Telemetry,
    private readonly env: Env,
  ) {}

  /**
   * Runs the call. It gets the headers to send: `traceparent` if the origin is one of `TRACE_PROPAGATION_ORIGINS`. Other
   * parties get none, because it would reveal which of their calls belong to one customer's request.
   */
  async run<T>(call: OutgoingCall<T>, work: (headers: Headers) => Promise<T>): Promise<T> {
    const { tracer } = this.telemetry;
    if (!tracer) return work(NO_HEADERS);
    const { name, url = null, parent = findContext()?.span ?? null, failureOf } = call;
    const target = url !== null && URL.canParse(url) ? new URL(url) : null;
    const span = tracer.start({ kind: 'client', name, attributes: target ? serverOf(target) : {} }, parent);
    const passesOn = target !== null && this.env.tracePropagationOrigins.includes(target.origin);
    return traced(span, () => work(passesOn ? { traceparent: span.traceparent } : NO_HEADERS), failureOf);
  }
}

function serverOf({ hostname, port }: URL): SpanAttributes {
  return { 'server.address': hostname, ...(port === '' ? {} : { 'server.port': Number(port) }) };
}
