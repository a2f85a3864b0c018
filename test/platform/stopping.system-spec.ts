import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { EmbeddingService } from '../catalog/embedding-service.js';
import { DatabaseProxy } from './database-proxy.js';
import { lockChannels, until } from './locked-table.js';
import { endAll, ServiceProcess } from './service-process.js';

const CHANNELS = '/v1/admin/distribution/channels';

describe('a service that is stopped', () => {
  let service: ServiceProcess;
  afterEach(endAll);

  it('a stopping service first becomes unready, still answers but closes connections, and exits with 0', async () => {
    service = await ServiceProcess.start({ DRAIN_SECONDS: '1' });
    await until(async () => (await service.get('/health/ready')).status === 200);
    service.child.kill('SIGTERM');
    await until(async () => (await service.get('/health/ready')).status === 503);

    const ready = await service.get('/health/ready');
    expect(await ready.json()).toMatchObject({ status: 'draining' });
    const list = await service.get(CHANNELS);
    expect([list.status, list.headers.get('connection')]).toEqual([200, 'close']);
    expect(await service.end()).toBe(0);
  });

  it('a stopping service finishes running requests and accepts no new ones', async () => {
    service = await ServiceProcess.start({ DRAIN_SECONDS: '0' });
    const table = await lockChannels();
    const running = service.get(CHANNELS);
    await until(async () => (await table.waiting()) === 1);
    service.child.kill('SIGTERM');
    await until(() =>
      service.get('/health/live').then(
        () => false,
        () => true,
      ),
    );

    await table.release();
    const { status, headers } = await running;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    expect(await service.end()).toBe(0);
  });

  it('a stopping service writes the log lines of all requests before it ends', async () => {
    service = await ServiceProcess.start({ DRAIN_SECONDS: '0', LOG_LEVEL: 'info' });
    const answers = await Promise.all(Array.from({ length: 150 }, () => service.get(CHANNELS)));
    expect(await service.end()).toBe(0);
    const requestIds = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
    // The pipe may deliver the last lines after the process has ended.
    await until(() => Promise.resolve(requestIds.every((requestId) => service.output.includes(requestId))));
  });

  it('a stopping service breaks no request of clients that send requests until its end', async () => {
    service = await ServiceProcess.start({ DRAIN_SECONDS: '1' });
    const other = await ServiceProcess.start();
    let target = service;
    const failures: string[] = [];
    let answered = 0;
    let isSending = true;
    const client = async () => {
      while (isSending) {
        await target.get(CHANNELS).then(
          (answer) => {
            if (answer.status === 200) answered += 1;
            else failures.push(String(answer.status));
            return answer.text();
          },
          (error: unknown) => failures.push(String(error)),
        );
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await pause(300);
    service.child.kill('SIGTERM');
    // Polls readiness as a load balancer does.
    await until(async () => (await service.get('/health/ready')).status === 503);
    target = other;
    expect(await service.end()).toBe(0);
    isSending = false;
    await clients;
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(20);
  });

  it('a stopping service does not wait for documents that are being embedded; another process embeds them', async () => {
    const embeddings = new EmbeddingService();
    const url = await embeddings.start();
    embeddings.pause();
    const database = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
    await database.connect();
    try {
      service = await ServiceProcess.start({
        ...{ DRAIN_SECONDS: '0', JOBS: 'true' },
        ...{ EMBEDDER: 'http', EMBEDDING_URL: url, EMBEDDING_MODEL: 'toy' },
      });
      await database.query(`select graphile_worker.add_job('catalog.embed', job_key => 'catalog.embed')`);
      await until(() => Promise.resolve(embeddings.paused === 1));
      expect(await service.end()).toBe(0);
      const { rows } = await database.query(`
        select attempts, locked_at, last_error from graphile_worker._private_jobs where key = 'catalog.embed'`);
      expect(rows).toEqual([{ attempts: 0, locked_at: null, last_error: null }]);
    } finally {
      await database.end();
      embeddings.resume();
      await embeddings.stop();
    }
  });

  it('a stopping service ends in time also during a start whose database does not answer any more', async () => {
    const proxy = await DatabaseProxy.start(process.env['DATABASE_URL'] ?? '');
    proxy.blackholeAt('from installation_steps');
    try {
      service = await ServiceProcess.launch({ DATABASE_URL: proxy.url, DRAIN_SECONDS: '0' });
      await until(() => Promise.resolve(proxy.isBlackhole));
      expect(service.output).not.toContain('Ready.');
      service.child.kill('SIGTERM');
      // The process ends normally, or with 1 if something waits forever.
      expect([0, 1]).toContain(await service.end());
    } finally {
      await proxy.close();
    }
  }, 40_000);
});
