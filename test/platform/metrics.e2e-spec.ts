import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { PACKAGE_VERSION } from '../setup/package-version.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

/** Every sample of the exposition, by its name and labels. */
async function samples(of: TestApp = app): Promise<Map<string, number>> {
  const { status, headers, text } = await of.get('/metrics');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line): [string, number] => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const channel = (name: string) => ({ name, kind: 'website' });
const CHANNELS = '/v1/admin/distribution/channels';

describe('/metrics', () => {
  it('/metrics counts requests by method, route template and class of status', async () => {
    const count = `http_request_duration_seconds_count{method="GET",route="${CHANNELS}/:id",status="4xx"}`;
    const before = (await samples()).get(count) ?? 0;
    await app.as('owner').get(`${CHANNELS}/nobody`);
    await app.as('owner').get(`${CHANNELS}/nothing`);
    expect((await samples()).get(count)).toBe(before + 2);
  });

  it('/metrics counts errors by their code', async () => {
    const count = 'error_responses_total{surface="data",code="unauthorized"}';
    const before = (await samples()).get(count) ?? 0;
    await app.get('/data/geo/v1/reference/languages');
    expect((await samples()).get(count)).toBe(before + 1);
  });

  it('/metrics counts replayed responses', async () => {
    const before = (await samples()).get('idempotent_replays_total') ?? NaN;
    const headers = { 'Idempotency-Key': 'metrics-count-replays' };
    const first = await app.as('owner').post(CHANNELS, channel('Counted once'), { headers });
    const second = await app.as('owner').post(CHANNELS, channel('Counted once'), { headers });
    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect((await samples()).get('idempotent_replays_total')).toBe(before + 1);
  });

  it('/metrics counts unexpected database errors that were still answered', async () => {
    expect((await samples()).get('unmapped_db_errors_total')).toBe(0);
    await app.sql(`alter table channels add constraint nobody_knows check (name <> 'Unforeseen')`);
    const { status, body, headers } = await app.as('owner').post(CHANNELS, channel('Unforeseen'));
    expect(status).toBe(409);
    expect(body).toEqual({
      error: 'The change conflicts with stored data',
      code: 'conflict',
      requestId: headers['x-request-id'],
    });
    expect((await samples()).get('unmapped_db_errors_total')).toBe(1);
  });

  it('/metrics reports the waiting events of the outbox and the waiting jobs', async () => {
    await app.as('owner').post(CHANNELS, channel('Leaves an event'));
    await app.sql(`update outbox_events set created_at = now() - interval '90 seconds'`);
    const events = await app.sql('select from outbox_events');
    // A reading is cached for half a second.
    await pause(600);
    const found = await samples();
    expect(found.get('outbox_events')).toBe(events.length);
    expect(found.get('outbox_oldest_event_seconds')).toBeGreaterThan(80);
    expect(found.get('jobs_waiting')).toEqual(expect.any(Number));
    expect(found.get('jobs_failed')).toBe(0);
  });

  it('/metrics reports when the last backup began, never later than now, and nothing before the first one', async () => {
    const last = async () => {
      await pause(600);
      return (await samples()).get('backup_last_success_timestamp_seconds') ?? null;
    };
    expect(await last()).toBe(null);
    await app.sql(`select record_backup('2026-11-23T02:00:00.5Z')`);
    expect(await last()).toBe(Date.parse('2026-11-23T02:00:00.500Z') / 1_000);
    // The clock of the machine that makes the backups is ahead.
    await app.sql(`select record_backup(now() + interval '1 year')`);
    expect(await last()).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
    await app.sql('delete from last_backup');
  });

  it('/metrics counts failed jobs until they are repeated or removed by the statements of docs/operations/monitoring.md', async () => {
    const text = await readFile(join(process.cwd(), 'docs/operations/monitoring.md'), 'utf8');
    const [, statements = ''] = /Failed jobs.*?```sql\n(.*?)```/s.exec(text) ?? [];
    const [list = '', ...changes] = statements.replace(/--.*$/gm, '').split(';');
    expect(changes).toHaveLength(3);
    for (const change of changes.slice(0, 2)) {
      const [job] = await app.sql<{ id: string }>(`select id from graphile_worker.add_job('fails', max_attempts => 1)`);
      await app.sql('select graphile_worker.permanently_fail_jobs(array[$1::bigint])', [job?.id]);
      expect((await app.sql(list)).map(({ id }) => id as string)).toEqual([job?.id]);
      await pause(600);
      expect((await samples()).get('jobs_failed')).toBe(1);
      await app.sql(change.replace('4711', job?.id ?? ''));
      await pause(600);
      expect((await samples()).get('jobs_failed')).toBe(0);
    }
    await app.sql('delete from graphile_worker._private_jobs where max_attempts = 1');
  });

  it('/metrics reports the state of the process', async () => {
    const found = await samples();
    const names = [
      'http_requests_in_flight',
      'db_pool_connections',
      'db_pool_idle_connections',
      'db_pool_waiting',
      'db_statement_names',
      'event_loop_delay_p50_seconds',
      'event_loop_delay_p99_seconds',
      'event_loop_delay_max_seconds',
      'process_resident_memory_bytes',
    ];
    expect(names.filter((name) => !Number.isFinite(found.get(name)))).toEqual([]);
    expect(found.get('http_requests_in_flight')).toBe(1);
    expect(found.get(`build_info{version="${PACKAGE_VERSION}",node="${process.version}"}`)).toBe(1);
  });

  it('reading the metrics of an idle process does not count as waiting for a connection', async () => {
    for (let count = 0; count < 5; count += 1) expect((await samples()).get('db_pool_waiting')).toBe(0);
  });

  it('/metrics is not in the API document, and is 404 if METRICS disables it', async () => {
    const document = await app.get<{ paths: object }>('/openapi.json');
    expect(Object.keys(document.body.paths)).not.toContain('/metrics');
    const closed = await startApp({ env: { METRICS: 'false', DOCS: 'false' } });
    expect((await closed.get('/metrics')).status).toBe(404);
    for (const path of ['/', '/docs', '/openapi.json'])
      expect([path, (await closed.get(path)).status]).toEqual([path, 404]);
  });
});
