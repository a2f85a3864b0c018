import type { Logger } from 'pino';
import type { Env } from '../config/env.js';
import type { Tracer } from './tracer.js';

export type TelemetrySettings = Pick<Env, 'otlpEndpoint' | 'otlpHeaders' | 'serviceName' | 'traceRatio'>;

/** Traces that this process sends to a collector. */
export abstract class Telemetry {
  /** Null: nothing is recorded. */
  abstract readonly tracer: Tracer | null;
  /** Sends what is left, for some seconds at most. */
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
