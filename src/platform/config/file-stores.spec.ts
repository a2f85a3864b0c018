import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { settingsFaults } from '../../../test/setup/settings.js';
import { readEnv } from './read-env.js';
import type { Setting } from './settings.js';
import { settings } from './table.js';
import { unsafeInProduction } from './unsafe-values.js';

const DATABASE_URL = 'postgres://travel:pass-of-the-role@127.0.0.1:5432/travel';
const FILES_URL = 's3://acme-files/production';
const FILES_S3_ENDPOINT = 'https://objects.acme.test';
const KEY = { FILES_S3_ACCESS_KEY_ID: 'key-id', FILES_S3_SECRET_ACCESS_KEY: 'key-secret' };

const faultsOf = (variables: Record<string, string>) => settingsFaults({ DATABASE_URL, ...variables });

describe('the settings of files', () => {
  it('files are in a folder unless a bucket is named', () => {
    const inFolder = { files: { folder: resolve('/data/files') }, filesFallback: null, s3: null };
    expect(readEnv({ DATABASE_URL, DATA_DIR: '/data' })).toMatchObject(inFolder);
    expect(readEnv({ DATABASE_URL, FILES_DIR: '/data/files', FILES_URL: 'local' })).toMatchObject(inFolder);
    expect(readEnv({ DATABASE_URL, FILES_URL, FILES_S3_REGION: 'eu-central-1' })).toMatchObject({
      files: { bucket: 'acme-files', prefix: 'production' },
      s3: { endpoint: null, region: 'eu-central-1', pathStyle: false, credentials: null, encryption: null },
    });
  });

  it('during a move files have a second store, in both directions', () => {
    const base = { DATABASE_URL, FILES_S3_ENDPOINT, FILES_DIR: '/files' };
    const bucket = { bucket: 'acme-files', prefix: 'a/b' };
    const folder = { folder: '/files' };
    const toBucket = readEnv({ ...base, FILES_URL: 's3://acme-files/a/b/', FILES_FALLBACK: 'local' });
    expect(toBucket).toMatchObject({ files: bucket, filesFallback: folder, s3: { region: 'us-east-1' } });
    const toFolder = readEnv({ ...base, FILES_FALLBACK: 's3://acme-files/a/b' });
    expect(toFolder).toMatchObject({ files: folder, filesFallback: bucket, s3: { endpoint: FILES_S3_ENDPOINT } });
  });

  it.each<[fault: string, variables: Record<string, string>]>([
    ['FILES_URL: has the wrong form', { FILES_URL: 'https://acme-files' }],
    ['FILES_URL: has the wrong form', { FILES_URL: 's3://A' }],
    ['FILES_URL: has the wrong form', { FILES_URL: 's3://acme-files//production' }],
    ['FILES_S3_REGION: is missing', { FILES_URL }],
    ['FILES_S3_REGION: is missing', { FILES_FALLBACK: FILES_URL }],
    ['FILES_S3_ENDPOINT: has the wrong form', { FILES_URL, FILES_S3_ENDPOINT: 'https://user:pass@objects.acme.test' }],
    ['FILES_S3_SECRET_ACCESS_KEY: is missing', { FILES_URL, FILES_S3_ENDPOINT, FILES_S3_ACCESS_KEY_ID: 'key-id' }],
    ['FILES_S3_ACCESS_KEY_ID: is missing', { FILES_URL, FILES_S3_ENDPOINT, FILES_S3_SECRET_ACCESS_KEY: 'key-secret' }],
    ['FILES_S3_ENCRYPTION: is not one of', { FILES_URL, FILES_S3_ENDPOINT, FILES_S3_ENCRYPTION: 'kms' }],
    ['FILES_S3_KMS_KEY_ID: is not used', { FILES_URL, FILES_S3_ENDPOINT, FILES_S3_KMS_KEY_ID: 'alias/a' }],
    ['FILES_FALLBACK: is the store of the files itself', { FILES_FALLBACK: 'local' }],
    [
      'FILES_FALLBACK: is the store of the files itself',
      { FILES_URL, FILES_S3_ENDPOINT, FILES_FALLBACK: `${FILES_URL}/` },
    ],
  ])('a start is rejected with the fault %s', (fault, variables) => {
    const faults = faultsOf(variables);
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${fault}.*; expected .+; for example .+`))]);
    expect(faults.join()).not.toContain('key-secret');
  });

  it('the bucket of the documentation is accepted: a bucket may have this name', () => {
    const variables = { BASE_URL: 'https://office.acme.test', FILES_URL: 's3://travel-files/production', ...KEY };
    expect(unsafeInProduction(variables)).toEqual([]);
    expect(faultsOf({ ...variables, FILES_S3_REGION: 'eu-central-1' })).toEqual([]);
    expect(faultsOf({ ...variables, FILES_URL: 's3://<bucket>/production' })).toHaveLength(1);
  });

  it.each([
    'FILES_S3_ENDPOINT',
    'EMBEDDING_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'AWS_ENDPOINT_URL',
    'AWS_ENDPOINT_URL_STS',
  ])('an address in %s without TLS on another machine is unsafe in production', (variable) => {
    const weaknesses = (address: string) =>
      unsafeInProduction({ BASE_URL: 'https://office.acme.test', [variable]: address }).map(({ name }) => name);
    expect(weaknesses('http://objects.acme.test/path')).toEqual([variable]);
    expect(weaknesses('http://10.0.0.7')).toEqual([variable]);
    expect(weaknesses('https://objects.acme.test/path')).toEqual([]);
    expect(weaknesses('http://127.0.0.1:9000')).toEqual([]);
    expect(weaknesses('http://localhost:9000')).toEqual([]);
  });

  it('each setting with the address of another server is checked in production', () => {
    const addresses = Object.values<Setting<unknown>>(settings).filter(({ name }) => /(URLS?|ENDPOINT)$/.test(name));
    const own = { BASE_URL: 'https://office.acme.test' };
    const unchecked = addresses.filter(({ name, example }) => {
      const scheme = /^(postgres|smtps?|s3)/.exec(example)?.[0];
      if (scheme === 's3') return false;
      const plain = scheme?.startsWith('smtp') ? 'smtp' : (scheme ?? 'http');
      const found = unsafeInProduction({ ...own, [name]: `${plain}://user:word@other.acme.test/x` });
      return !found.some((unsafe) => unsafe.name === name);
    });
    expect(addresses.length).toBeGreaterThan(8);
    expect(unchecked.map(({ name }) => name)).toEqual([]);
  });
});
