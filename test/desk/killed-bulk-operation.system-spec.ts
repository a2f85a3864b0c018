import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from '@jest/globals';
import { newCustomer } from '../customers/customers.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { kill, startService } from '../setup/service-process.js';
import { readBulk, startBulk } from './bulk-operations.js';

const CUSTOMERS = 300;
const KILLS = 3;

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

it('a bulk operation for 300 customers whose process is killed three times changes each of them once', async () => {
  const ids: string[] = [];
  for (let count = 0; count < CUSTOMERS; count += 20) {
    ids.push(...(await Promise.all(Array.from({ length: 20 }, async () => (await newCustomer(app)).id))));
  }
  const started = await startBulk(owner, { type: 'customers.tag', ids, params: { add: ['season-2027'] } });

  let killed = 0;
  for (let service = startService(); killed < KILLS; service = startService()) {
    await progressed(started, (await readBulk(owner, started)).done + 1);
    await kill(service);
    killed += 1;
    // The queue would return the job of the killed process within 20 s.
    await app.sql(`select from graphile_worker.add_job('desk.bulk-operation', $1)`, [{ bulkOperationId: started.id }]);
  }
  expect((await readBulk(owner, started)).status).toBe('running');
  await progressed(started, CUSTOMERS);
  while ((await readBulk(owner, started)).status === 'running') await pause(50);

  expect(await readBulk(owner, started)).toMatchObject({ status: 'completed', done: CUSTOMERS, failed: 0, pending: 0 });
  const [once] = await app.sql(
    `select (select count(*)::int from customers where id = any($1) and tags = array['season-2027']) as tagged,
       (select count(*)::int from action_ledger_entries
        where subject_id = any($1) and action = 'customers.customer.update') as entries`,
    [ids],
  );
  expect(once).toEqual({ tagged: CUSTOMERS, entries: CUSTOMERS });
}, 600_000);

/** Waits until this many records are changed. */
async function progressed(started: { id: string }, done: number): Promise<void> {
  while ((await readBulk(owner, started)).done < done) await pause(20);
}
