export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** How the work of a span ended. */
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
