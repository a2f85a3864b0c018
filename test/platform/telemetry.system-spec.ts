import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddingService } from '../catalog/embedding-service.js';
import { readCredentials, tokenOf } from '../setup/credentials.js';
import { until } from './locked-table.js';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
import { endAll, ServiceProcess } from './service-process.js';
import { PACKAGE_VERSION } from '../setup/package-version.js';

const CHANNELS = '/v1/admin/distribution/channels';
const CUSTOMERS = '/v1/admin/bookings';
const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];

let receiver: OtlpReceiver;
let collector: string;
let service: ServiceProcess;

beforeEach(async () => {
  receiver = new OtlpReceiver();
  collector = await receiver.start();
});
afterEach(async () => {
  await endAll();
  await receiver.stop();
});

/** The service with a collector; spans arrive within 200 ms. */
function startTraced(env: Record<string, string> = {}): Promise<ServiceProcess> {
  return ServiceProcess.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    LOG_LEVEL: 'info',
    ...env,
  });
}

function send(path: string, { body, ...headers }: Record<string, string> = {}): Promise<Response> {
  const authorization = `Bearer ${tokenOf(readCredentials(), 'owner')}`;
  const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, ...json, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

function traceparent(traceId: string, spanId = randomBytes(8).toString('hex'), flags = '01'): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

const newTraceId = () => randomBytes(16).toString('hex');

async function received(isWanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
  await until(async () => receiver.spans.some(isWanted));
  const found = receiver.spans.find(isWanted);
  if (!found) throw new Error('The span has vanished');
  return found;
}

function logLines(): Record<string, unknown>[] {
  const lines = service.output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('traces', () => {
  it('a request continues the trace of its caller, and its statements are part of it', async () => {
    service = await startTraced({ OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key' });
    const [traceId, parentId] = [newTraceId(), randomBytes(8).toString('hex')];
    const body = JSON.stringify({ name: 'Traced channel', kind: 'website' });
    const { status } = await send(CHANNELS, { body, traceparent: traceparent(traceId, parentId) });
    expect(status).toBe(201);

    const request = await received((span) => span.traceId === traceId && span.kind === SERVER);
    expect([request.name, request.parentSpanId, request.failed]).toEqual([`POST ${CHANNELS}`, parentId, false]);
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': CHANNELS,
      'http.response.status_code': 201,
      'request.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(request.resource).toMatchObject({
      'service.name': 'travel-operations-platform',
      'service.version': PACKAGE_VERSION,
      'service.instance.id': expect.any(String),
    });

    await received((span) => span.traceId === traceId && span.name === 'commit');
    const statements = receiver.spans.filter((span) => span.traceId === traceId && span.kind === CLIENT);
    expect(new Set(statements.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request.spanId]));
    const texts = statements.map(({ attributes }) => String(attributes['db.query.text']));
    expect(texts).toEqual(
      expect.arrayContaining([expect.stringMatching(/^insert into "?channels"? .*\$1/s), 'commit']),
    );
    expect(texts.find((text) => text.startsWith('begin'))).toBe(
      `begin; set local app.today = '?'; set local app.now = '?'; select require_live_caller('?', '?', '?')`,
    );
    expect(receiver.bodies[0]?.headers['x-collector-key']).toBe('a key');
  });

  it('what is sent to the collector contains no value of a request, no path, no credential and no address', async () => {
    service = await startTraced();
    const [name, email, search] = ['Clara Marker', 'clara.marker@example.com', `marker-${randomUUID()}`];
    const created = await send(CUSTOMERS, {
      body: JSON.stringify({ currency: 'EUR', customerName: name, customerEmail: email }),
      'user-agent': 'marker-agent/1',
      'idempotency-key': `marker-key-${randomUUID()}`,
    });
    const text = await created.text();
    const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? 'missing';
    await send(`${CUSTOMERS}?search=${search}`);
    const traceId = newTraceId();
    await send(`${CUSTOMERS}/${id}?unknown=${search}`, {
      traceparent: traceparent(traceId),
      tracestate: 'vendor=marker',
    });
    await received((span) => span.traceId === traceId && span.kind === SERVER);

    const sent = receiver.bodies.map(({ body }) => body).join('\n');
    const token = tokenOf(readCredentials(), 'owner');
    const secrets = {
      name,
      email,
      search,
      id,
      token,
      agent: 'marker-agent',
      key: 'marker-key',
      state: 'vendor=marker',
    };
    const found = Object.entries({ ...secrets, address: '127.0.0.1' }).filter(([, value]) => sent.includes(value));
    expect(found).toEqual([]);
    expect(sent).toContain(`GET ${CUSTOMERS}/:bookingId`);
  });

  it('a request with an invalid traceparent begins a trace of its own', async () => {
    service = await startTraced();
    const zeros = traceparent('0'.repeat(32));
    const invalid = [zeros, `${traceparent(newTraceId())}x`, 'ff-1-2-3', `00-${'Z'.repeat(32)}-${'1'.repeat(16)}-01`];
    for (const header of invalid) expect((await send(CHANNELS, { traceparent: header })).status).toBe(200);
    await until(async () => receiver.spans.filter(({ kind }) => kind === SERVER).length === invalid.length);
    const requests = receiver.spans.filter(({ kind }) => kind === SERVER);
    expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(invalid.map(() => undefined));
    expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(invalid.length);
  });

  it('a caller can prevent that its request is recorded, but cannot exceed the ratio of the service', async () => {
    service = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0' });
    const traceId = newTraceId();
    await send(CHANNELS, { traceparent: traceparent(traceId) });
    await service.end();
    expect(receiver.spans).toEqual([]);
    // The log still shows the trace that the request belongs to.
    expect(logLines().find(({ msg }) => msg === 'request completed')).toMatchObject({ trace_id: traceId });

    service = await startTraced();
    await send(CHANNELS, { traceparent: traceparent(newTraceId(), undefined, '00') });
    await send(CHANNELS, { traceparent: traceparent(traceId) });
    await service.end();
    expect(receiver.spans.filter(({ kind }) => kind === SERVER).map((span) => span.traceId)).toEqual([traceId]);
    // Metrics leave by /metrics only, also at the end of the process.
    expect(new Set(receiver.bodies.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
  });

  it('the ratio applies to traces of callers, whichever trace ids they choose', async () => {
    service = await startTraced({ OTEL_TRACES_SAMPLER_ARG: '0.1' });
    // The lowest ids, which a decision by the id would always record.
    const ids = Array.from({ length: 200 }, (_, n) => (n + 1).toString(16).padStart(32, '0'));
    for (const id of ids) await (await send(CHANNELS, { traceparent: traceparent(id) })).text();
    await service.end();
    const recorded = receiver.spans.filter(({ kind }) => kind === SERVER);
    // 20 are expected; the bounds are more than seven standard deviations away on one side, one in a billion on the other.
    expect(recorded.length).toBeGreaterThan(0);
    expect(recorded.length).toBeLessThan(52);
    expect(ids).toEqual(expect.arrayContaining(recorded.map(({ traceId }) => traceId)));
  });

  it('requests of orchestrators have no spans, and a rejected request has one', async () => {
    service = await startTraced();
    for (const path of ['/health/live', '/health/ready', '/metrics']) await send(path);
    expect((await send('/v1/admin/nothing/clara.marker@example.com')).status).toBe(404);
    await service.end();
    const requests = receiver.spans.filter(({ kind }) => kind === SERVER);
    expect(requests.map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
      ['GET', 404],
    ]);
  });

  it('jobs and calls of other services have spans, and traceparent goes only to origins of the operator', async () => {
    const embeddings = new EmbeddingService();
    const url = await embeddings.start();
    const env = { EMBEDDER: 'http', EMBEDDING_URL: url, JOBS: 'true' };
    try {
      service = await startTraced(env);
      const renew = JSON.stringify({ embeddings: 'renew' });
      expect((await send('/v1/admin/catalog/reindex', { body: renew })).status).toBe(200);
      const call = await received(({ name }) => name === 'embed document');
      const job = await received(({ spanId }) => spanId === call.parentSpanId);
      expect([job.kind, job.parentSpanId]).toEqual([CONSUMER, undefined]);
      expect(job.name).toMatch(/^job catalog/);
      expect(call.attributes).toEqual({ 'server.address': '127.0.0.1', 'server.port': Number(new URL(url).port) });
      await received((span) => span.traceId === job.traceId && 'db.query.text' in span.attributes);
      expect(new Set(embeddings.traceparents)).toEqual(new Set([undefined]));
      await service.end();

      embeddings.traceparents.length = 0;
      service = await startTraced({ ...env, TRACE_PROPAGATION_ORIGINS: new URL(url).origin });
      const traceId = newTraceId();
      const query = JSON.stringify({ vertical: 'products', query: 'a week on the ice', mode: 'semantic' });
      const searching = () => send('/v1/public/catalog/search', { body: query, traceparent: traceparent(traceId) });
      await until(async () => {
        await (await searching()).text();
        return embeddings.traceparents.some((header) => header?.includes(traceId));
      });
      const query2 = await received((span) => span.name === 'embed query' && span.traceId === traceId);
      expect(embeddings.traceparents).toContain(traceparent(traceId, query2.spanId));
    } finally {
      await embeddings.stop();
    }
  }, 120_000);
});

describe('logs', () => {
  it('each line names the level, the service, its version and the trace', async () => {
    service = await startTraced({ OTEL_SERVICE_NAME: 'office' });
    const traceId = newTraceId();
    await send(CHANNELS, { traceparent: traceparent(traceId) });
    const { spanId } = await received((span) => span.traceId === traceId && span.kind === SERVER);
    await service.end();
    expect(logLines().find(({ trace_id: id }) => id === traceId)).toMatchObject({
      level: 'info',
      service: 'office',
      version: PACKAGE_VERSION,
      trace_id: traceId,
      span_id: spanId,
      msg: 'request completed',
    });
    expect(new Set(logLines().map(({ level }) => typeof level))).toEqual(new Set(['string']));
  });
});

describe('a collector that does not respond', () => {
  it('requests succeed without a collector, the log says once that it does not respond, and the service stops in time', async () => {
    await receiver.stop();
    service = await startTraced();
    for (let n = 0; n < 20; n += 1) expect((await send(CHANNELS)).status).toBe(200);
    await until(async () => service.output.includes('OpenTelemetry reports a fault'));
    const began = performance.now();
    expect(await service.end()).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(service.output.match(/OpenTelemetry reports a fault/g)).toHaveLength(1);
  });
});

describe('without a collector', () => {
  it('nothing of OpenTelemetry is loaded unless a collector is configured', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loaded-'));
    const loaded = async (env: Record<string, string>) => {
      const file = join(folder, randomUUID());
      const preload = join(process.cwd(), 'test/platform/loaded-packages.cjs');
      service = await ServiceProcess.start({ ...env, NODE_OPTIONS: `--require=${preload}`, LOADED_PACKAGES: file });
      expect(await service.end()).toBe(0);
      return JSON.parse(await readFile(file, 'utf8')) as string[];
    };
    // prom-client needs the interfaces.
    expect((await loaded({})).filter((name) => name !== '@opentelemetry/api')).toEqual([]);
    expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: collector })).toContain('@opentelemetry/sdk-node');
    await rm(folder, { recursive: true });
  });
});
