import { beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { CHANNELS, newChannel } from '../action-ledger/ledger.js';
import { startApp, type TestApp } from '../setup/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

it('a request that waits too long for a row of another transaction is 503 overloaded, and changes nothing', async () => {
  const id = await newChannel(app);
  const other = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select from channels where id = $1 for update', [id]);
    const answer = await app.as('owner').patch(`${CHANNELS}/${id}`, { description: 'Later' });
    expect([answer.status, answer.body]).toMatchObject([
      503,
      { error: 'Too many requests at once', code: 'overloaded', requestId: answer.headers['x-request-id'] },
    ]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // Readers do not wait, and rows that are not locked can be changed.
    expect((await app.as('owner').get(`${CHANNELS}/${id}`)).status).toBe(200);
    const free = await app.as('owner').patch(`${CHANNELS}/${await newChannel(app)}`, { description: 'Now' });
    expect(free.status).toBe(200);
  } finally {
    await other.end();
  }
  expect((await app.as('owner').get(`${CHANNELS}/${id}`)).body).toMatchObject({ data: { version: 1 } });
  expect((await app.as('owner').patch(`${CHANNELS}/${id}`, { description: 'Later' })).status).toBe(200);
});
