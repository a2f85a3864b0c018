import { findContext, type Span, type SpanAttributes } from '../context/request-context.js';

/** The description of a span. Names and attributes contain templates and statement texts, never values of a request. */
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

/** Runs the work and ends its span. `failureOf` returns the kind of failure of a result. */
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
function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  const { code, name, driverError } = error as Record<string, unknown>;
  if (typeof code === 'string' && CODE.test(code)) return code;
  if (driverError) return errorTypeOf(driverError);
  return typeof name === 'string' && CODE.test(name) ? name : 'Error';
}

interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** Sends a statement and records it; sends it before it returns, so that statements keep their order. */
export type StatementTrace = <T>(statement: Statement, send: () => Promise<T>) => Promise<T>;

const MAX_TEXT = 2_000;
const LITERALS = /'[^']*'/g;
const VERB = /^\s*(\w+)/;

/**
 * Records the statements of requests and jobs that are recorded themselves. The text has the placeholders of its parameters, and
 * its literals are removed: a transaction begins with the time, for example.
 */
export function traceStatements(tracer: Tracer): StatementTrace {
  // Named statements are bounded in number; others may be built for one request.
  const texts = new Map<string, string>();
  const shownText = ({ name, text }: Statement): string => {
    if (name === undefined) return withoutLiterals(text);
    const known = texts.get(name);
    if (known !== undefined) return known;
    const shown = withoutLiterals(text);
    texts.set(name, shown);
    return shown;
  };
  return (statement, send) => {
    const parent = findContext()?.span;
    if (!parent?.isRecorded) return send();
    const text = shownText(statement);
    const name = statement.name ?? VERB.exec(text)?.[1]?.toLowerCase() ?? 'statement';
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
    const span = tracer.start({ kind: 'client', name, attributes }, parent);
    const answer = send();
    answer.then(
      () => span.end(),
      (error: unknown) => span.end({ errorType: errorTypeOf(error) }),
    );
    return answer;
  };
}

function withoutLiterals(text: string): string {
  return text.replace(LITERALS, `'?'`).slice(0, MAX_TEXT);
}
