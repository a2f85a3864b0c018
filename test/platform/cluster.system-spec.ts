import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isAlive } from '../../scripts/processes.js';
import { until } from './locked-table.js';
import { endAll, ServiceProcess } from './service-process.js';

const LANGUAGES = '/data/geo/v1/reference/languages?limit=1';

describe('WEB_CONCURRENCY', () => {
  let service: ServiceProcess;
  afterEach(endAll);

  it('WEB_CONCURRENCY starts this number of processes on one port, and they stop together', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '3' });
    expect(service.workers()).toHaveLength(3);
    expect(service.output.match(/Ready\./g)).toHaveLength(1);
    expect(service.output.match(/schema is up to date/g)).toHaveLength(1);
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await service.get(LANGUAGES)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));

    const workers = service.workers();
    expect(await service.end()).toBe(0);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(service.get('/health/live')).rejects.toThrow();
  });

  it('a process that has ended is replaced', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '2' });
    const [victim = 0, survivor = 0] = service.workers();
    process.kill(victim, 'SIGKILL');
    await until(async () => service.workers().length === 2 && !service.workers().includes(victim));
    expect(service.workers()).toContain(survivor);
    await until(async () => (await service.get(LANGUAGES)).status === 200);
    expect(await service.end()).toBe(0);
  });

  it('each process answers the metrics of all processes', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '2' });
    for (let n = 0; n < 20; n += 1) await (await service.get(LANGUAGES)).text();
    const text = await (await service.get('/metrics')).text();
    const count = /http_request_duration_seconds_count\{[^}]*reference\/languages[^}]*\} (\d+)/.exec(text)?.[1];
    expect(count).toBe('20');
    expect(text).toMatch(/^db_up 1$/m);
  });

  it('the metrics of all processes never fall when a process ends and another starts', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '3' });
    const counted = async () => {
      const answer = await service.get('/metrics');
      const text = await answer.text();
      if (answer.status !== 200) return null;
      return Number(
        /http_request_duration_seconds_count\{[^}]*reference\/languages[^}]*\} (\d+)/.exec(text)?.[1] ?? NaN,
      );
    };
    for (let n = 0; n < 30; n += 1) await (await service.get(LANGUAGES)).text();
    expect(await counted()).toBe(30);
    const [victim = 0] = service.workers();
    process.kill(victim, 'SIGKILL');
    const counts = new Set<number | null>();
    // Requests to the process that was killed may fail.
    const scrape = () =>
      counted().then(
        (count) => void counts.add(count),
        () => undefined,
      );
    await until(async () => {
      await scrape();
      return service.workers().length === 3 && !service.workers().includes(victim);
    });
    // The new process is starting.
    for (let n = 0; n < 20; n += 1) await scrape();
    expect([...counts]).toEqual([30]);
  });

  it('/metrics is 503 instead of a part of the processes while one does not respond', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '2' });
    const [stopped = 0] = service.workers();
    const statuses = async () => {
      // New connections: some lead to the stopped process, and get no response.
      const request = async () => {
        const signal = AbortSignal.timeout(8_000);
        return (await fetch(`${service.url}/metrics`, { signal, headers: { connection: 'close' } })).status;
      };
      const all = await Promise.all(Array.from({ length: 4 }, () => request().catch(() => null)));
      return new Set(all.filter((status) => status !== null));
    };
    process.kill(stopped, 'SIGSTOP');
    const during = await statuses();
    process.kill(stopped, 'SIGCONT');
    expect(during).toEqual(new Set([503]));
    await until(async () => (await service.get('/metrics')).status === 200);
  });

  it('each process closes the connections that exceed MAX_CONNECTIONS', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '2', MAX_CONNECTIONS: '10' });
    const { hostname, port } = new URL(service.url);
    const sockets = Array.from({ length: 60 }, () => connect(Number(port), hostname).on('error', () => undefined));
    // A socket that does not read does not notice that it is closed.
    for (const socket of sockets) socket.resume();
    await until(async () => sockets.filter(({ closed }) => closed).length >= 40);
    expect(sockets.filter(({ closed }) => !closed).length).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    const rejected = () =>
      service.get('/metrics').then(
        async (answer) => Number(/^http_connections_rejected_total (\d+)$/m.exec(await answer.text())?.[1]),
        () => 0,
      );
    await until(async () => (await rejected()) >= 40);
  });

  it('no process is left after the leader is killed', async () => {
    service = await ServiceProcess.start({ WEB_CONCURRENCY: '2' });
    const workers = service.workers();
    service.child.kill('SIGKILL');
    await until(async () => workers.every((pid) => !isAlive(pid)));
    expect(workers).toHaveLength(2);
  });

  it('all processes end and report the reason if they cannot start', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    service = await ServiceProcess.launch({ WEB_CONCURRENCY: '2', PORT: String(port) });
    const [code] = (await once(service.child, 'exit')) as [number];
    other.close();
    expect(code).toBe(1);
    expect(service.output).toMatch(/PORT: the port is in use by another process/);
  });
});
