import { describe, expect, it } from '@jest/globals';
import { settings } from './table.js';
import { unknownSettings } from './unknown-settings.js';

const likely = (name: string) => unknownSettings({ [name]: 'x' })[0]?.likely;

describe('a variable that resembles a setting', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATABASE-URL', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['BACKUP_DATABASE_URI', 'BACKUP_DATABASE_URL'],
    ['PORTS', 'PORT'],
  ])('%s is reported with the likely name %s', (name, expected) => {
    expect(likely(name)).toBe(expected);
  });

  it.each([
    ...[
      'HOME',
      'HOSTNAME',
      'PATH',
      'PWD',
      'USER',
      'SHELL',
      'TERM',
      'LANG',
      'TMPDIR',
      'NODE_OPTIONS',
      'NODE_PATH',
      'NO_PROXY',
    ],
    ...['PGHOST', 'PGPORT', 'TEST_DATABASE_URL', 'KUBERNETES_SERVICE_HOST', 'TRAVEL_PORT_3000_TCP_PORT', 'AWS_REGION'],
    ...['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_TRACES_SAMPLER', 'EMBEDDED_DATABASE', 'LAUNCHER_PID', 'VAULT_KEK_a1'],
    ...['npm_config_registry', 'HTTPS_PROXY', 'CI', '_'],
  ])('%s is meant for another program', (name) => {
    expect(likely(name)).toBeUndefined();
  });

  it('no setting is reported', () => {
    const all = Object.fromEntries(Object.values(settings).map(({ name }) => [name, 'x']));
    expect(unknownSettings(all)).toEqual([]);
  });
});
