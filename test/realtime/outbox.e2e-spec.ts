import { beforeAll, describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/ids/id.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
});

describe('the outbox', () => {
  it('the outbox replaces a waiting job of a subject by the newest event; other jobs keep their order', async () => {
    const outbox = app.nest.get(Outbox);
    const [event, every, newest] = [newId('evt'), newId('evt'), newId('evt')];
    outbox.consume(event, every);
    outbox.consume(event, newest, { subjectOf: ({ of }) => String(of) });
    const published = { channel: 'tests', createdAt: new Date() };
    const eventOf = (of: string, n: number) => ({ ...published, id: newId('evt'), event, data: { of, n } });
    const { nest } = app;
    const handOn = (...events: ReturnType<typeof eventOf>[]) =>
      asSystem(() => nest.get(Database).transaction(() => outbox.handOn(events)));

    await handOn(eventOf('a', 1), eventOf('b', 2), eventOf('a', 3));
    await handOn(eventOf('b', 4), { ...eventOf('a', 5), event: newId('evt') });

    const waiting = await app.sql<{ job: string; queue: string; of: string; n: number; tries: number }>(
      `select t.identifier as job, q.queue_name as queue, payload ->> 'of' as of, (payload ->> 'n')::int as n, max_attempts as tries
       from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       join graphile_worker._private_job_queues q on q.id = j.job_queue_id
       where t.identifier = any ($1) order by j.id`,
      [[every, newest]],
    );
    const ofJob = (name: string) => waiting.filter(({ job }) => job === name).map(({ of, n }) => `${of}${n}`);
    expect(ofJob(every)).toEqual(['a1', 'b2', 'a3', 'b4']);
    expect(ofJob(newest).sort()).toEqual(['a3', 'b4']);
    expect(waiting.every(({ job, queue, tries }) => queue === job && tries === 25)).toBe(true);
  });

  it.each([
    ['a b', 'e'],
    ['', 'e'],
    ['x'.repeat(165), 'e'],
    ['a', 'e e'],
    ['a', ''],
  ])('the outbox rejects an event that could never be published (%j, %j)', async (channel, event) => {
    const adding = asSystem(() =>
      app.nest.get(Database).transaction(async () => app.nest.get(Outbox).add({ channel, event, data: {} })),
    );

    await expect(adding).rejects.toThrow('can never be published');
  });
});
