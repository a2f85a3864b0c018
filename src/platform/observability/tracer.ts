import type { Span, SpanAttributes } from '../context/span.js';

/** What a span describes. Names and attributes contain templates and statement texts, never values of a request. */
export interface TracedWork {
  readonly kind: 'server' | 'client' | 'consumer';
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** Records work as spans. */
export interface Tracer {
  /** Starts work of a running span, or of a new trace. */
  start(work: TracedWork, parent: Span | null): Span;
  /** Starts work for a caller, in the trace of its `traceparent` header if that is well-formed. */
  receive(work: TracedWork, traceparent: string | undefined): Span;
}

/** Runs the work and ends its span. `failureOf` says whether a result is a failure, and of which kind. */
export async function traced<T>(
  span: Span,
  work: () => Promise<T>,
  failureOf: (result: T) => string | null = () => null,
): Promise<T> {
  try {
    const result = await work();
    const errorType = failureOf(result);
    span.end(errorType === null ? {} : { errorType });
    return result;
  } catch (error) {
    span.end({ errorType: errorTypeOf(error) });
    throw error;
  }
}

const CODE = /^\w{1,64}$/;

/** The code of an error (of PostgreSQL, of Node, of the API), or the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const { code, name, driverError } = error as Record<string, unknown>;
  if (typeof code === 'string' && CODE.test(code)) return code;
  if (driverError) return errorTypeOf(driverError);
  return typeof name === 'string' && CODE.test(name) ? name : 'Error';
}
