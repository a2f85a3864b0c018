import { choice, headers, list, optionalText, originFault, ratio, text } from './settings.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Logs, metrics, traces and error reports. Variables of OpenTelemetry have the names and meanings of its specification. */
export const monitoringSettings = {
  logLevel: choice({ name: 'LOG_LEVEL', purpose: 'Lowest log level', example: 'debug', fallback: 'info' }, LOG_LEVELS),
  metrics: optionalText({
    name: 'METRICS',
    isCore: true,
    purpose: 'Serve `/metrics`, without a credential; absent: only outside production',
    example: 'true',
    expected: 'true or false',
    form: /^(true|false)$/,
  }),
  serviceName: text(
    {
      name: 'OTEL_SERVICE_NAME',
      purpose: 'Name of the service in logs and traces',
      example: 'travel-backoffice',
      fallback: 'travel-operations-platform',
    },
    100,
  ),
  otlpEndpoint: optionalText({
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    purpose:
      'Collector that receives traces (`/v1/traces`) as OTLP over HTTP in JSON; absent: OpenTelemetry is off and not loaded',
    example: 'http://127.0.0.1:4318',
    expected: 'an http or https address without a user, a query and a fragment',
    form: /^https?:\/\/[^\s?#@]{1,300}$/,
  }),
  otlpHeaders: headers({
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    purpose: 'Headers for the collector, such as a credential; values are percent-encoded',
    example: 'authorization=Bearer%20<token>',
    isPlaceholder: true,
  }),
  traceRatio: ratio({
    name: 'OTEL_TRACES_SAMPLER_ARG',
    purpose: 'Share of the traces that are recorded; a caller with an unsampled `traceparent` is not recorded',
    example: '0.1',
    fallback: '1',
  }),
  tracePropagationOrigins: list({
    name: 'TRACE_PROPAGATION_ORIGINS',
    purpose: 'Origins of your own services that receive `traceparent` with calls of this service; absent: none',
    example: 'https://embeddings.internal',
    fallback: '',
    expected: 'a list of origins',
    check: originFault,
  }),
  errorReporter: optionalText({
    name: 'ERROR_REPORTER',
    purpose:
      'Module that passes unexpected errors to an error tracker: a path from the working folder, or the name of an installed package; it exports `report(error, details)`. Absent: errors are only logged',
    example: './error-reporter.cjs',
    expected: 'the path of a module or the name of a package',
    form: /^[^\0]{1,500}$/,
  }),
};
