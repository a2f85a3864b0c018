import { findContext } from '../context/request-context.js';
import { errorTypeOf, type Tracer } from './tracer.js';

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
