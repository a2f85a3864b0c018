import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  diag,
  type DiagLogFunction,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as ApiTracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { core, NodeSDK, resources } from '@opentelemetry/sdk-node';
import { ParentBasedSampler, type Sampler, SamplingDecision } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Span, SpanOutcome } from '../context/request-context.js';
import type { Telemetry, TelemetrySettings } from './telemetry.js';
import type { TracedWork, Tracer } from './tracer.js';
import { serviceVersion } from './log.js';

const CLOSE_WITHIN_MS = 3_000;
/** A collector that does not respond is reported at most this often. */
const REPORT_EVERY_MS = 60_000;
const MAX_REPORT = 300;
const MAX_ATTRIBUTE = 2_000;
const MOST_RANDOM = 2 ** 32;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/**
 * The OpenTelemetry SDK (docs/adr/0031-telemetry.md). This file alone imports its packages, and is imported only if a collector is
 * configured. Spans are started explicitly: the instrumentations of OpenTelemetry replace functions of packages at run time, which
 * neither works in the bundle nor leaves out values that must stay secret.
 */
export class OpenTelemetry implements Telemetry {
  readonly tracer: Tracer;
  private readonly sdk: NodeSDK;

  constructor(settings: TelemetrySettings & { otlpEndpoint: string }, log: Logger) {
    const { otlpEndpoint, otlpHeaders, serviceName, traceRatio } = settings;
    reportFaults(log);
    const ratio = randomSampler(traceRatio);
    this.sdk = new NodeSDK({
      resource: resources.resourceFromAttributes({
        'service.name': serviceName,
        'service.version': serviceVersion(),
        'service.instance.id': randomUUID(),
      }),
      // OTEL_RESOURCE_ATTRIBUTES; no other property of the machine or the process is exported.
      resourceDetectors: [resources.envDetector],
      // A caller can turn recording off for its requests, but cannot make the service record more than its own ratio.
      sampler: new ParentBasedSampler({ root: ratio, remoteParentSampled: ratio }),
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE },
      traceExporter: new OTLPTraceExporter({
        url: `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`,
        headers: { ...otlpHeaders },
      }),
      // Prometheus reads the metrics at `/metrics`; without this line the SDK would export its own.
      metricReaders: [],
      logRecordProcessors: [],
      instrumentations: [],
      textMapPropagator: null,
    });
    this.sdk.start();
    this.tracer = new SdkTracer(trace.getTracer(serviceName, serviceVersion()));
  }

  async close(): Promise<void> {
    await Promise.race([this.sdk.shutdown().catch(() => undefined), pause(CLOSE_WITHIN_MS, undefined, { ref: false })]);
  }
}

class SdkTracer implements Tracer {
  constructor(private readonly tracer: ApiTracer) {}

  start(work: TracedWork, parent: Span | null): Span {
    return this.begin(work, parent instanceof SdkSpan ? parent.context : ROOT_CONTEXT);
  }

  receive(work: TracedWork, traceparent: string | undefined): Span {
    // `tracestate` is not read: its text would be passed on without a check.
    const caller = traceparent === undefined ? null : core.parseTraceParent(traceparent);
    const context = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
    return this.begin(work, context);
  }

  private begin({ kind, name, attributes }: TracedWork, parent: Context): SdkSpan {
    return new SdkSpan(this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent));
  }
}

class SdkSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  private ownContext: Context | null = null;

  constructor(private readonly span: ApiSpan) {
    const { traceId, spanId } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
  }

  get isRecorded(): boolean {
    return this.span.isRecording();
  }

  get traceparent(): string {
    const flags = this.span.spanContext().traceFlags.toString(16).padStart(2, '0');
    return `00-${this.traceId}-${this.spanId}-${flags}`;
  }

  /** The parent for spans of nested work. */
  get context(): Context {
    return (this.ownContext ??= trace.setSpan(ROOT_CONTEXT, this.span));
  }

  end({ name, attributes, errorType }: SpanOutcome = {}): void {
    const { span } = this;
    if (name !== undefined) span.updateName(name);
    if (attributes) span.setAttributes(attributes);
    if (errorType !== undefined) {
      span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** Samples by its own random number: the SDK's sampler decides by the trace id, which a caller chooses for its requests. */
function randomSampler(ratio: number): Sampler {
  const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision;
  return {
    shouldSample: () => ({ decision: randomInt(MOST_RANDOM) < ratio * MOST_RANDOM ? RECORD_AND_SAMPLED : NOT_RECORD }),
    toString: () => `random{${ratio}}`,
  };
}

/** The SDK's own warnings, such as a collector that does not respond. */
function reportFaults(log: Logger): void {
  let reportedAt = -Infinity;
  const report: DiagLogFunction = (message) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    log.warn({ reason: message.slice(0, MAX_REPORT) }, 'OpenTelemetry reports a fault');
  };
  const ignore = () => undefined;
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
