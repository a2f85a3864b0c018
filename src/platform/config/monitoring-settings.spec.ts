import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { settingsFaults } from '../../../test/setup/settings.js';
import { readEnv } from './read-env.js';

const DATABASE_URL = 'postgres://travel:pass-of-the-role@127.0.0.1:5432/travel';
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.acme.test:4318';
const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://office.acme.test',
  VAULT_KEK_a: randomBytes(32).toString('base64'),
  VAULT_KEK_PRIMARY: 'a',
};

const faultsOf = (variables: Record<string, string>) => settingsFaults({ DATABASE_URL, ...variables });

describe('the settings of monitoring', () => {
  it('OpenTelemetry and error reports are off by default', () => {
    expect(readEnv({ DATABASE_URL })).toMatchObject({
      otlpEndpoint: null,
      otlpHeaders: {},
      errorReporter: null,
      traceRatio: 1,
      tracePropagationOrigins: [],
      serviceName: 'travel-operations-platform',
    });
  });

  it('headers for the collector are decoded', () => {
    const OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20key, x-tenant = a=b%2Cc';
    expect(readEnv({ DATABASE_URL, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS }).otlpHeaders).toEqual({
      authorization: 'Bearer key',
      'x-tenant': 'a=b,c',
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@collector'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hunter2%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hunter2%0d%0ab'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hunter2,,b=c'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
    ['TRACE_PROPAGATION_ORIGINS', 'https://a.test/path'],
  ])('%s=%s is rejected by name, without repeating the value of a header', (name, value) => {
    const faults = faultsOf({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}: .+; expected .+; for example .+`))]);
    expect(faults.join()).not.toContain('hunter2');
  });

  it('headers without a collector are a fault', () => {
    expect(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS: is not used; expected OTEL_EXPORTER_OTLP_ENDPOINT/),
    ]);
  });

  it('production sends to a collector on another machine only with TLS', () => {
    const headers = { ...production, OTEL_EXPORTER_OTLP_HEADERS: 'a=b' };
    const at = (endpoint: string) => ({ ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    expect(faultsOf(at('http://collector.acme.test:4318'))).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT: connects to another machine without TLS/),
    ]);
    expect(faultsOf(at('https://collector.acme.test:4318'))).toEqual([]);
    expect(faultsOf(at('http://127.0.0.1:4318'))).toEqual([]);
    expect(faultsOf({ ...production, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.acme.test:4318' })).toHaveLength(1);
  });
});
