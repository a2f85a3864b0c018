import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FileStore, type MovableFiles } from '../../../src/platform/files/file-store.js';
import { bill, download, linkOf, requestRendition } from '../../finance/renditions/rendering.js';
import { problem } from '../../finance/invoices.js';
import { startApp, type TestApp } from '../../setup/app.js';
import { closeAfterTests } from '../../setup/running.js';
import { DatabaseProxy } from '../database-proxy.js';
import { until } from '../locked-table.js';
import { endAll, ServiceProcess } from '../service-process.js';
import { type ObjectStore, startObjectStore } from './object-store.js';
import { keysIn, type Logged, openStore } from './stores.js';

const UNAVAILABLE = { status: 503, code: 'service_unavailable', message: 'The file storage is unavailable' };
/** Longer than any call may take. */
const LATE_MS = 15_000;

let objects: ObjectStore;
let network: DatabaseProxy;
let env: Record<string, string>;
beforeAll(async () => {
  objects = await startObjectStore();
  network = await DatabaseProxy.start(objects.url);
  env = { ...objects.env, FILES_S3_ENDPOINT: network.url.replace(/\/$/, '') };
  closeAfterTests(() => network.close());
});
afterAll(endAll);

describe('a service whose object store fails', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ env: { ...env, LOG_LEVEL: 'trace', METRICS: 'true' } });
  });

  const ready = async () => {
    const { status, body } = await app.get<{ status: string; parts: { files?: object } }>('/health/ready');
    return [status, body.status, body.parts.files];
  };
  const gauge = async () => /^file_store_unavailable (\d)$/m.exec((await app.get('/metrics')).text)?.[1];

  it.each(['refuse', 'blackhole'] as const)(
    'while the network is broken (%s) a download is 503, the process is ready and degraded, and it recovers by itself',
    async (fault) => {
      const owner = app.as('owner');
      const { id } = await requestRendition(owner, (await bill(app)).id);
      await linkOf(owner, id);
      expect([await ready(), await gauge()]).toEqual([[200, 'ok', undefined], '0']);

      network[fault]();
      const started = Date.now();
      const { status, headers, body } = await download(owner, id);
      expect(Date.now() - started).toBeLessThan(LATE_MS);
      expect([status, headers['retry-after'], body]).toEqual([
        503,
        '1',
        problem('service_unavailable', { retryAfterMs: 1_000 }),
      ]);
      expect([await ready(), await gauge()]).toEqual([[200, 'degraded', { ok: false, reason: 'unreachable' }], '1']);
      expect((await download(owner, id)).status).toBe(503);

      network.pass();
      await until(async () => (await ready())[1] === 'ok');
      expect([(await download(owner, id)).status, await gauge()]).toEqual([302, '0']);
    },
  );

  it('the log names each failure once and contains no credential', () => {
    const failures = app.logs.filter((line) => line.includes('the file store is not usable'));
    expect(failures).toHaveLength(2);
    expect(app.logs.filter((line) => line.includes('the file store is usable again'))).toHaveLength(2);
    expect(app.logs.join()).not.toMatch(/S3RVER|Signature|AWS4/);
  });

  it('a file that could not be stored is stored by a later run of its job, which counts no failed attempt', async () => {
    const owner = app.as('owner');
    const { id: invoiceId } = await bill(app);
    network.refuse();
    const { id } = await requestRendition(owner, invoiceId);
    await until(async () => {
      const text = 'select from invoice_renditions where id = $1 and attempts = 0 and failure is not null';
      return (await app.sql(text, [id])).length === 1 && app.nest.get(FileStore).failure() !== null;
    });
    network.pass();
    expect(await linkOf(owner, id)).toContain('/v1/files/');
  });
});

describe('the answers of an object store', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => answer(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeAfterTests(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });

  const xml = (status: number, code: string) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
  };
  const isProbe = (request: IncomingMessage) => request.url?.includes('max-keys=1') === true;
  const storeThat = async (answers: typeof answer, logged: Logged[] = []): Promise<MovableFiles> => {
    answer = answers;
    return openStore({ ...objects.env, FILES_S3_ENDPOINT: url }, logged);
  };

  it.each([
    ['unreachable', 500, 'InternalError'],
    ['unreachable', 503, 'SlowDown'],
    ['unreachable', 429, 'TooManyRequests'],
    ['rejected', 403, 'AccessDenied'],
    ['rejected', 403, 'SignatureDoesNotMatch'],
    ['rejected', 301, 'PermanentRedirect'],
    ['rejected', 404, 'NoSuchBucket'],
  ])('the store is %s after %i %s, and every call is 503', async (reason, status, code) => {
    const store = await storeThat(xml(status, code));
    await expect(store.open('0'.repeat(64))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.put(Buffer.from(code))).rejects.toMatchObject(UNAVAILABLE);
    expect(store.failure()).toBe(reason);
  });

  it('without the right to list, a missing file is a rejected call and not a missing file', async () => {
    const logged: Logged[] = [];
    const forbidden = (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'HEAD') response.writeHead(403).end();
      else xml(403, 'AccessDenied')(request, response);
    };
    const store = await storeThat(forbidden, logged);
    const key = '0'.repeat(64);
    await expect(store.has(key)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.open(key)).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.put(Buffer.from('new'))).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.verify(key)).rejects.toMatchObject(UNAVAILABLE);
    expect([store.failure(), logged.map(({ error }) => (error as Error).name)]).toEqual(['rejected', ['AccessDenied']]);
  });

  it('the list continues until its last page', async () => {
    const keys = ['a', 'b', 'c'].map((character) => character.repeat(64));
    const tokens: (string | null)[] = [];
    const store = await storeThat((request, response) => {
      const query = new URL(request.url ?? '', url).searchParams;
      if (isProbe(request)) return void response.writeHead(200).end('<ListBucketResult/>');
      const page = Number(query.get('continuation-token') ?? 0);
      tokens.push(query.get('continuation-token'));
      const next = page < 2 ? `<NextContinuationToken>${page + 1}</NextContinuationToken>` : '';
      const key = keys[page] ?? '';
      const path = `production/files/${key.slice(0, 2)}/${key.slice(2, 4)}/${key}`;
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(
        `<ListBucketResult><IsTruncated>${page < 2}</IsTruncated>${next}<Contents><Key>${path}</Key><Size>4</Size></Contents></ListBucketResult>`,
      );
    });
    expect([await keysIn(store), tokens]).toEqual([keys, [null, '1', '2']]);
  });

  it('a store that does not answer is given up, and the next call fails at once', async () => {
    const logged: Logged[] = [];
    const store = await storeThat(() => undefined, logged);
    await expect(store.open('0'.repeat(64))).rejects.toMatchObject(UNAVAILABLE);
    expect(logged.map(({ error }) => (error as Error).message)).toEqual(['The store did not answer within 6000 ms']);
    const started = Date.now();
    await expect(store.put(Buffer.from('new'))).rejects.toMatchObject(UNAVAILABLE);
    expect(Date.now() - started).toBeLessThan(1_000);
  });

  it('a download that the store breaks off is not taken for a whole file', async () => {
    const store = await storeThat((request, response) => {
      if (isProbe(request)) return void response.writeHead(200).end('<ListBucketResult/>');
      response.writeHead(200, { 'content-length': 10 }).write('half');
      setTimeout(() => response.destroy(), 50);
    });
    const file = await store.open('0'.repeat(64));
    await expect(buffer(file?.stream ?? Readable.from([]))).rejects.toThrow();
  });

  it('a stored file whose comparison the store breaks off is a failure of the store', async () => {
    const store = await storeThat((request, response) => {
      if (isProbe(request)) return void response.writeHead(200).end('<ListBucketResult/>');
      response.writeHead(200, { 'content-length': 10 });
      if (request.method === 'HEAD') return void response.end();
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(store.put(Buffer.from('new'))).rejects.toMatchObject(UNAVAILABLE);
    expect(store.failure()).toBe('unreachable');
  });

  it('a store without space stays full while reading fails too and works again', async () => {
    const full = xml(507, 'XMinioStorageFull');
    const store = await storeThat((request, response) => {
      if (request.method === 'PUT') full(request, response);
      else response.writeHead(404).end();
    });
    await expect(store.put(Buffer.from('full'))).rejects.toMatchObject({ status: 503 });
    answer = (request, response) => (request.method === 'PUT' ? full : xml(403, 'AccessDenied'))(request, response);
    await expect(store.open('0'.repeat(64))).rejects.toMatchObject(UNAVAILABLE);
    let probes = 0;
    answer = (request, response) => {
      if (request.method !== 'PUT') return void response.writeHead(200).end('<ListBucketResult/>');
      probes += 1;
      full(request, response);
    };
    await until(async () => probes >= 2);
    expect(store.failure()).toBe('full');
    answer = (_, response) => void response.writeHead(200).end();
    await until(async () => store.failure() === null);
  });

  it('a store without space rejects files with 503 until there is space, and files can be read meanwhile', async () => {
    const full = (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === 'PUT') xml(507, 'XMinioStorageFull')(request, response);
      else if (request.method === 'HEAD') response.writeHead(404).end();
      else response.writeHead(200, { 'content-length': 4 }).end('read');
    };
    const store = await storeThat(full);
    await expect(store.put(Buffer.from('full'))).rejects.toMatchObject({ status: 503, retryAfterMs: 10_000 });
    expect([store.failure(), (await store.open('0'.repeat(64)))?.sizeBytes]).toEqual(['full', 4]);
    answer = (_, response) => void response.writeHead(200).end();
    await until(async () => store.failure() === null);
  });

  it('a call that failed once is repeated, and the caller does not notice', async () => {
    let calls = 0;
    const store = await storeThat((request, response) => {
      if (isProbe(request)) return void response.writeHead(200).end('<ListBucketResult/>');
      calls += 1;
      if (calls <= 2) xml(503, 'SlowDown')(request, response);
      else response.writeHead(200, { 'content-length': 4 }).end('read');
    });
    expect((await store.open('0'.repeat(64)))?.sizeBytes).toBe(4);
    expect(store.failure()).toBeNull();
  });

  it('an access key that the store does not accept is logged with the reason', async () => {
    const logged: Logged[] = [];
    const store = await openStore({ ...objects.env, FILES_S3_ACCESS_KEY_ID: 'another' }, logged);
    await expect(store.has('0'.repeat(64))).rejects.toMatchObject(UNAVAILABLE);
    expect(store.failure()).toBe('rejected');
    expect(logged.map(({ error }) => (error as Error).name)).toEqual(['InvalidAccessKeyId']);
  });

  it('the log of a rejected call has its reason and neither the access key nor the signature', async () => {
    const logged: Logged[] = [];
    const members =
      '<Code>SignatureDoesNotMatch</Code><Message>No match</Message><AWSAccessKeyId>AKIA</AWSAccessKeyId>';
    const store = await storeThat((_, response) => {
      response.writeHead(403, { 'content-type': 'application/xml' });
      response.end(`<Error>${members}<StringToSign>AWS4-HMAC</StringToSign></Error>`);
    }, logged);
    await expect(store.open('0'.repeat(64))).rejects.toMatchObject(UNAVAILABLE);
    const [{ error } = {}] = logged as { error: Error }[];
    expect(error).toMatchObject({ name: 'SignatureDoesNotMatch', message: 'No match', status: 403 });
    expect(JSON.stringify([Object.entries(error ?? {}), error?.stack])).not.toMatch(/AKIA|AWS4/);
  });

  it('an encryption that is configured is requested for each file', async () => {
    const headers: IncomingMessage['headers'][] = [];
    answer = (request, response) => {
      if (request.method === 'PUT') headers.push(request.headers);
      response.writeHead(request.method === 'HEAD' ? 404 : 200).end();
    };
    const encryption = { FILES_S3_ENCRYPTION: 'aws:kms', FILES_S3_KMS_KEY_ID: 'alias/travel' };
    const store = await openStore({ ...objects.env, FILES_S3_ENDPOINT: url, ...encryption });
    const { key } = await store.put(Buffer.from('encrypted'));
    expect(headers).toMatchObject([
      {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'alias/travel',
        'x-amz-checksum-sha256': Buffer.from(key, 'hex').toString('base64'),
        'x-amz-content-sha256': key,
      },
    ]);
  });
});

describe('the bundled service', () => {
  beforeEach(() => network.pass());

  it('the bundle loads the SDK from its package when a bucket is configured, and nothing of it otherwise', async () => {
    expect(readFileSync('dist/service/service.cjs', 'latin1')).not.toMatch(/class S3Client\b/);
    const loaded = async (variables: Record<string, string>) => {
      const file = join(mkdtempSync(join(tmpdir(), 'travel-loaded-')), 'packages.json');
      const preload = join(process.cwd(), 'test/platform/loaded-packages.cjs');
      const options = {
        NODE_OPTIONS: `--require=${preload}`,
        LOADED_PACKAGES: file,
        EMBEDDER: 'none',
        METRICS: 'true',
      };
      const service = await ServiceProcess.start({ ...variables, ...options });
      await until(async () => (await service.get('/health/ready')).ok);
      expect(await (await service.get('/health/ready')).json()).toMatchObject({ status: 'ok' });
      expect(await (await service.get('/metrics')).text()).toMatch(/^file_store_unavailable 0$/m);
      expect(await service.end()).toBe(0);
      const names = JSON.parse(readFileSync(file, 'utf8')) as string[];
      rmSync(dirname(file), { recursive: true });
      return names.filter((name) => name.startsWith('@aws-sdk/'));
    };
    expect(await loaded({})).toEqual([]);
    expect(await loaded(env)).toContain('@aws-sdk/client-s3');
  }, 120_000);
});
