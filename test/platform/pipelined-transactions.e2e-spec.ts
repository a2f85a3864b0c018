import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg, { type PoolClient } from 'pg';
import { Channel } from '../../src/modules/distribution/channels/channel.entity.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { IdempotencyKeys } from '../../src/platform/idempotency/idempotency-keys.js';
import { CHANNELS, newChannel } from '../action-ledger/ledger.js';
import { draft, issue, sell } from '../finance/invoices/invoicing.js';
import { makeSeries } from '../finance/number-series/series.js';
import { startApp, type TestApp } from '../setup/app.js';
import { makeDeparture, makeTrip, price, reserve, seats } from '../trips/trips.js';

let app: TestApp;
let database: Database;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  database = app.nest.get(Database);
  await app.sql(`
    create table parcels (id int primary key, label text[] not null default '{}',
      weight int not null default 0 constraint parcels_weight check (weight >= 0));
    create sequence parcel_tries;
    grant all on parcels to public;
    grant all on sequence parcel_tries to public`);
});

beforeEach(() => app.sql('truncate parcels'));

const insert = (id: number, weight = 0) =>
  database.write({ text: 'insert into parcels (id, weight) values ($1, $2)', values: [id, weight] });
const add = (id: number, weight: number) =>
  database.write({ text: 'update parcels set weight = weight + $2 where id = $1', values: [id, weight] });
const weights = async () =>
  (await app.sql<{ weight: number }>('select weight from parcels order by id')).map(({ weight }) => weight);

const idle = () =>
  app.sql(`select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`);

/** Counts the statements that the work sends, and the groups that it sends without waiting for a result. */
async function traffic(work: () => Promise<unknown>): Promise<{ statements: number; roundTrips: number }> {
  const seen = { statements: 0, roundTrips: 0 };
  let answered = true;
  const watched = new Map<PoolClient, unknown>();
  const watch = (client: PoolClient) => {
    if (watched.has(client)) return;
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    watched.set(client, client.query);
    const counting = (...args: unknown[]) => {
      // A statement of the background, which the pool sends with a callback.
      if (typeof args.at(-1) === 'function') return query(...args);
      seen.statements += 1;
      if (answered) seen.roundTrips += 1;
      answered = false;
      const result = query(...args);
      const done = () => void (answered = true);
      result.then(done, done);
      return result;
    };
    Object.assign(client, { query: counting });
  };
  database.pool().on('acquire', watch);
  try {
    await work();
  } finally {
    database.pool().off('acquire', watch);
    for (const [client, query] of watched) Object.assign(client, { query });
  }
  return seen;
}

describe('statements that a transaction sends without waiting for their results', () => {
  it('a transaction that only inserts takes one round trip, and one that locks and updates a row takes two', async () => {
    const inserting = () => database.transaction(() => insert(1));
    const updating = () =>
      database.transaction(async () => {
        await database.query('select from parcels where id = 1 for update');
        await add(1, 5);
      });
    expect(await traffic(inserting)).toEqual({ statements: 3, roundTrips: 1 });
    expect(await traffic(updating)).toEqual({ statements: 4, roundTrips: 2 });
    expect(await weights()).toEqual([5]);
  });

  it('a transaction without statements sends nothing', async () => {
    const seen: string[] = [];
    const empty = () =>
      database.transaction(async () => {
        database.afterCommit(() => void seen.push('committed'));
        return Promise.resolve();
      });
    const failing = () => database.transaction(() => Promise.reject(new Error('nothing was sent')));

    expect(await traffic(empty)).toEqual({ statements: 0, roundTrips: 0 });
    expect(await traffic(() => expect(failing()).rejects.toThrow('nothing was sent'))).toMatchObject({ statements: 0 });
    expect(seen).toEqual(['committed']);
  });

  it('statements are executed in the order in which the work calls them, also those of TypeORM', async () => {
    const counts = await database.transaction(async () => {
      const counted: unknown[] = [];
      const count = async () => counted.push(...(await database.query('select count(*)::int as n from parcels')));
      await insert(1);
      await count();
      await insert(2);
      counted.push(...(await database.repository(Channel).query('select count(*)::int as n from parcels')));
      await insert(3);
      await Promise.all([count(), insert(4), count()]);
      return counted;
    });
    expect(counts).toEqual([1, 2, 3, 4].map((n) => ({ n })));
  });

  it('a statement has the values of the call, also if they change before it is sent', async () => {
    await database.transaction(async () => {
      const label = ['fragile'];
      await database.write({ text: 'insert into parcels (id, label) values (1, $1)', values: [label] });
      label.push('added later');
    });
    expect(await app.sql('select label from parcels')).toEqual([{ label: ['fragile'] }]);
  });

  it('a transaction may insert more rows than are sent in one write', async () => {
    await database.transaction(async () => {
      for (let id = 1; id <= 1_234; id += 1) await insert(id);
    });
    expect(await weights()).toHaveLength(1_234);
  });
});

describe('an error of a statement that is not awaited', () => {
  const taken = { code: '23505', constraint: 'parcels_pkey' };
  const failing = {
    'sent with a statement': async () => database.query('select 1'),
    'sent with a statement of TypeORM': async () => database.repository(Channel).query('select 1'),
    'sent with the commit': () => Promise.resolve(),
    'ignored by the work': () => database.query('select 1').catch(() => undefined),
    'sent with statements of several callers': () =>
      Promise.all([database.query('select 1'), database.query('select 2'), insert(9)]),
  };

  it.each(Object.entries(failing))('an error that is %s is reported, and the rows are rolled back', async (_, then) => {
    await insert(1);
    const followed: string[] = [];
    const work = async () => {
      await insert(2);
      await insert(1);
      await insert(3);
      database.afterCommit(() => void followed.push('committed'));
      await then();
    };
    await expect(database.transaction(work)).rejects.toMatchObject(taken);
    expect([await weights(), followed, await idle()]).toEqual([[0], [], []]);
    // The connections are usable again, and statements whose preparation failed are prepared.
    await Promise.all([11, 12, 13, 14].map((id) => database.transaction(() => insert(id))));
    expect(await weights()).toHaveLength(5);
  });

  it('the first of several errors is reported', async () => {
    const work = async () => {
      await insert(1, -1);
      await insert(2);
      await insert(2);
    };
    await expect(database.transaction(work)).rejects.toMatchObject({ code: '23514', constraint: 'parcels_weight' });
  });

  it('an ignored error of a statement that was awaited fails the transaction, because its commit rolls back', async () => {
    const ignoring = (query: () => Promise<unknown>) =>
      database.transaction(async () => {
        await insert(1);
        await query().catch(() => undefined);
      });
    await expect(ignoring(() => database.query('select 1 / 0'))).rejects.toMatchObject({ code: '22012' });
    const typeorm = () => database.repository(Channel).query('select 1 / 0');
    await expect(ignoring(typeorm)).rejects.toThrow('A statement failed, and its error was ignored: rolled back');
    expect(await weights()).toEqual([]);
  });

  it('an error of the work itself is reported and drops what was not sent', async () => {
    const work = async () => {
      await insert(1, -1);
      throw new Error('of the work');
    };
    await expect(database.transaction(work)).rejects.toThrow('of the work');
    expect(await weights()).toEqual([]);
  });

  it('a value that cannot be sent fails at the call, and nothing is committed', async () => {
    const work = async () => {
      await insert(1);
      await database.write({ text: 'insert into parcels (id, label) values (2, $1)', values: [{ n: 1n }] });
    };
    await expect(database.transaction(work)).rejects.toThrow('BigInt');
    expect(await weights()).toEqual([]);
  });

  const late = {
    'a query': () => database.query('select 1'),
    'a statement of TypeORM': () => database.repository(Channel).query('select 1'),
    'a statement that would be sent later': () => insert(2),
    'a collected item': async () => database.collect({ order: 1, statement: () => ({ text: 'select 1' }) }, 1),
  };

  it.each(Object.entries(late))('%s of work that continues after the end of its transaction fails', async (_, work) => {
    const continuing: Promise<unknown>[] = [];
    const leave = () => {
      const later = async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return work();
      };
      continuing.push(expect(later()).rejects.toThrow(/The transaction has ended|already released/));
    };
    await database.transaction(async () => {
      await insert(1);
      leave();
    });
    const failing = database.transaction(async () => {
      await database.query('select 1');
      leave();
      throw new Error('of the work');
    });
    await expect(failing).rejects.toThrow('of the work');
    await Promise.all(continuing);
    expect(await weights()).toEqual([0]);
  });

  it('a dry run reports it', async () => {
    await insert(1);
    await expect(database.dryRun(() => insert(1))).rejects.toMatchObject(taken);
    expect(await database.dryRun(async () => insert(2))).toBeUndefined();
    expect(await weights()).toEqual([0]);
  });

  it('a constraint is mapped to the same response', async () => {
    const name = `Taken ${randomUUID()}`;
    const create = () => app.as('owner').post(CHANNELS, { name });
    const answers = await Promise.all([create(), create(), create(), create()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toMatchObject({ code: 'channel_name_taken', details: { field: 'name' } });
    }
  });
});

describe('limits and conflicts of statements that are not awaited', () => {
  it('a transaction is repeated after a deadlock between statements that are sent with the commits', async () => {
    await insert(1);
    await insert(2);
    let waiting = 0;
    const bothLockedOne = async () => {
      waiting += 1;
      while (waiting < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const move = (first: number, second: number) =>
      database.transaction(async () => {
        await add(first, 1);
        await database.query('select 1');
        await bothLockedOne();
        await add(second, 10);
      });

    await Promise.all([move(1, 2), move(2, 1)]);

    expect(await weights()).toEqual([11, 11]);
    expect(waiting).toBeGreaterThan(2);
  });

  it('a transaction is repeated after a serialization failure in its last write', async () => {
    await app.sql(`create function fail_once() returns void language plpgsql as $$
      begin if nextval('parcel_tries') = 1 then raise sqlstate '40001'; end if; end $$`);
    await database.transaction(async () => {
      await insert(1);
      await database.write({ text: 'select fail_once()' });
    });
    expect(await weights()).toEqual([0]);
    expect(await app.sql('select last_value::int as n from parcel_tries')).toEqual([{ n: 2 }]);
  });

  it.each([
    ['lock_timeout', '55P03', 'update parcels set weight = 1 where id = 1'],
    ['statement_timeout', '57014', 'select pg_sleep(30)'],
  ])('%s ends a statement that is sent with the commit, and the transaction', async (limit, code, text) => {
    await insert(1);
    const other = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
    await other.connect();
    try {
      await other.query('begin; update parcels set weight = 7');
      const work = async () => {
        await database.write({ text: `set local ${limit} = '100ms'` });
        await insert(2);
        await database.write({ text });
      };
      await expect(database.transaction(work)).rejects.toMatchObject({ code });
      await other.query('commit');
    } finally {
      await other.end();
    }
    expect([await weights(), await idle()]).toEqual([[7], []]);
  });
});

describe('an update of a row that must have been locked', () => {
  it('an update of a row that another transaction changed fails with the whole transaction', async () => {
    const id = await newChannel(app);
    const stale = await database.rows(Channel).get(id);
    await app.as('owner').patch(`${CHANNELS}/${id}`, { description: 'Changed meanwhile' });

    const work = async () => {
      await insert(1);
      await database.update(stale);
    };
    await expect(database.update(stale)).rejects.toMatchObject({ code: 'P0004' });
    await expect(database.transaction(work)).rejects.toMatchObject({ code: 'P0004', constraint: 'channels_locked' });

    expect(await weights()).toEqual([]);
    expect((await app.as('owner').get(`${CHANNELS}/${id}`)).body).toMatchObject({
      data: { version: 2, description: 'Changed meanwhile' },
    });
  });

  it('of concurrent requests with one If-Match exactly one is executed, and the others are 412', async () => {
    const id = await newChannel(app);
    const patch = (n: number) =>
      app.as('owner').patch(`${CHANNELS}/${id}`, { description: `${n}` }, { headers: { 'If-Match': '"1"' } });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(patch));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
    expect((await app.as('owner').get(`${CHANNELS}/${id}`)).body).toMatchObject({ data: { version: 2 } });
  });

  it('an update with a taken unique key leaves the transaction usable, and keeps what was queued around it', async () => {
    const [first, second] = [await newChannel(app), await newChannel(app)];
    const { name } = await database.rows(Channel).get(first);
    const updated = await database.transaction(async () => {
      const channel = await database.rows(Channel).lock(second);
      const { name: own } = channel;
      await insert(1);
      const taken = await database.updateUnlessTaken(Object.assign(channel, { name }));
      await insert(2);
      const free = await database.updateUnlessTaken(Object.assign(channel, { name: own, description: 'Changed' }));
      await insert(3);
      return [taken, free, channel.version];
    });
    expect(updated).toEqual([false, true, 2]);
    expect(await weights()).toHaveLength(3);
    expect(await database.rows(Channel).get(second)).toMatchObject({ description: 'Changed', version: 2 });
  });

  it('a taken key of an earlier statement is not mistaken for one of the update', async () => {
    await insert(1);
    const id = await newChannel(app);
    const work = async () => {
      const channel = await database.rows(Channel).lock(id);
      await insert(1);
      return database.updateUnlessTaken(channel);
    };
    await expect(database.transaction(work)).rejects.toMatchObject({ constraint: 'parcels_pkey' });
  });

  it('a request whose Idempotency-Key was claimed by another one meanwhile is rolled back with 409', async () => {
    const keys = app.nest.get(IdempotencyKeys);
    const wanted = keys.requestOf({ principal: 'test', key: randomUUID() }, Buffer.from('a'));
    const outcome = await keys.claim(wanted);
    if (!('claim' in outcome)) throw new Error('The key was taken');
    await app.sql(`update idempotency_keys set token = 'another' where key = $1`, [wanted.key]);

    const work = async () => {
      await insert(1);
      await keys.complete(outcome.claim, { status: 200, headers: {}, body: {} });
    };
    await expect(asSystem(() => database.transaction(work))).rejects.toMatchObject({
      constraint: 'idempotency_keys_claim',
    });
    expect(await weights()).toEqual([]);
  });
});

/** Takes the minimum of three calls, because the first fills caches, and background statements may also be counted. */
async function leastTraffic(call: () => Promise<() => Promise<unknown>>) {
  const seen: { statements: number; roundTrips: number }[] = [];
  for (let n = 0; n < 3; n += 1) seen.push(await traffic(await call()));
  const least = (name: 'statements' | 'roundTrips') => Math.min(...seen.map((one) => one[name]));
  return { statements: least('statements'), roundTrips: least('roundTrips') };
}

describe('the statements of busy use cases', () => {
  it('issuing an invoice takes 18 statements in 6 round trips', async () => {
    const owner = app.as('owner');
    const { id: seriesId } = await makeSeries(owner);
    const issuing = async () => {
      const { id: bookingId } = await sell(app);
      const { id } = await draft(owner, { bookingId, lines: [{ description: 'By hand', unitPriceCents: 1_000 }] });
      return async () => expect((await issue(owner, id, { seriesId })).status).toBe(200);
    };
    expect(await leastTraffic(issuing)).toEqual({ statements: 18, roundTrips: 6 });
  });

  it('reserving a priced trip on one departure takes 12 statements in 4 round trips', async () => {
    const owner = app.as('owner');
    const { id } = await makeDeparture(owner);
    const reserving = async () => {
      const { envelopeId } = await makeTrip(owner, [seats(id)]);
      await price(owner, envelopeId);
      return async () => expect((await reserve(owner, envelopeId)).status).toBe(200);
    };
    expect(await leastTraffic(reserving)).toEqual({ statements: 12, roundTrips: 4 });
  });
});
