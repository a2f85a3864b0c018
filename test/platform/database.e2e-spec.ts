import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Channel } from '../../src/modules/distribution/channels/channel.entity.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { ServicePool } from '../../src/platform/database/service-pool.js';
import { Outbox } from '../../src/platform/outbox/outbox.js';
import { startApp, type TestApp } from '../setup/app.js';
import { until } from './locked-table.js';

let app: TestApp;
let database: Database;

beforeAll(async () => {
  // Jobs are disabled, so that the outbox keeps its events.
  app = await startApp({ env: { JOBS: 'false' } });
  database = app.nest.get(Database);
  await app.sql('create table accounts (id int primary key, balance int not null); grant all on accounts to public');
  await app.sql('grant all on accounts to public');
});

const balances = async () =>
  (await app.sql('select id, balance from accounts order by id')).map(({ balance }) => balance as number);

const add = (id: number, amount: number) =>
  database.query('update accounts set balance = balance + $2 where id = $1', [id, amount]);

const insert = (id: number, balance: number) => database.query('insert into accounts values ($1, $2)', [id, balance]);

describe('the pool of connections', () => {
  it('the pool counts callers that wait for another one, and not those that receive an idle connection', async () => {
    const pool = new ServicePool({ connectionString: process.env['DATABASE_URL'], max: 1 });
    const only = await pool.connect();
    const waiting = pool.connect();
    expect(pool.waitingForReleaseCount).toBe(1);
    only.release();
    (await waiting).release();
    const idle = pool.connect();
    expect([pool.waitingCount, pool.waitingForReleaseCount]).toEqual([1, 0]);
    (await idle).release();
    await pool.end();
  });
});

describe('a transaction', () => {
  it('a transaction is repeated after a deadlock, so that two crossing transfers both happen once', async () => {
    await app.sql('truncate accounts');
    await app.sql('insert into accounts values (1, 100), (2, 100)');
    let waiting = 0;
    const bothHoldOne = async () => {
      waiting += 1;
      while (waiting < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const transfer = (from: number, to: number) =>
      database.transaction(async () => {
        await add(from, -10);
        await bothHoldOne();
        await add(to, 10);
      });

    await Promise.all([transfer(1, 2), transfer(2, 1)]);

    expect(await balances()).toEqual([100, 100]);
    expect(waiting).toBeGreaterThan(2);
  });

  it('a nested transaction joins the outer one and is rolled back with it', async () => {
    await app.sql('truncate accounts');
    const failing = database.transaction(async () => {
      await database.transaction(() => database.query('insert into accounts values (1, 1)'));
      throw new Error('the outer one fails');
    });

    await expect(failing).rejects.toThrow('the outer one fails');
    expect(await balances()).toEqual([]);
  });

  it('a transaction knows the day of the clock, and a statement outside of one the day of the server', async () => {
    const today = () =>
      database.query<{ day: string; server: string }>('select app_today()::text as day, current_date::text as server');
    app.travel({ days: 400 });
    const [inside] = await database.transaction(today);
    const [outside] = await today();
    expect(inside?.day).toBe(app.day());
    expect(outside?.day).toBe(outside?.server);
    app.travel({ days: -400 });
  });

  it('a transaction notifies listeners after its commit, and not after a rollback', async () => {
    await app.sql('truncate accounts');
    const seen: number[][] = [];
    const look = async () => void seen.push(await balances());
    const write = (fails: boolean) =>
      database.transaction(async () => {
        await database.query('insert into accounts values (1, 1)');
        database.afterCommit(look);
        if (fails) throw new Error('rolled back');
      });

    await expect(write(true)).rejects.toThrow('rolled back');
    await write(false);

    expect(seen).toEqual([[1]]);
  });
});

describe('the outbox', () => {
  const event = (n: number) => ({ channel: 'test.outbox', event: 'counted', data: { n } });
  const waitingEvents = () =>
    app.sql<{ data: unknown }>(`select data from outbox_events where channel = 'test.outbox' order by sequence`);

  it('the outbox has the events of committed transactions only, in order', async () => {
    const outbox = app.nest.get(Outbox);
    outbox.declare([{ channels: ['test.outbox'], events: ['counted'], members: ['n'] }]);
    const publish = (numbers: number[], fails: boolean) =>
      asSystem(() =>
        database.transaction(async () => {
          for (const n of numbers) outbox.add(event(n));
          if (fails) throw new Error('rolled back');
        }),
      );

    await publish([1, 2], false);
    await expect(publish([3], true)).rejects.toThrow('rolled back');
    await publish([4], false);

    expect((await waitingEvents()).map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 4 }]);
  });

  it('the outbox rejects an event without a transaction', () => {
    expect(() => app.nest.get(Outbox).add(event(5))).toThrow('Only a transaction');
  });

  it('the outbox rejects an event that no module declares', () => {
    const undeclared = { ...event(6), event: 'unheard.of' };
    expect(() => app.nest.get(Outbox).add(undeclared)).toThrow("'unheard.of' is not declared");
  });
});

describe('prepared statements', () => {
  it('prepared statements have a limited number of names, whichever lists clients request', async () => {
    const path = '/v1/admin/finance/invoices';
    const sorts = [
      'issueDate',
      '-issueDate',
      'dueDate',
      '-dueDate',
      'totalCents',
      '-totalCents',
      'createdAt',
      '-createdAt',
    ];
    const filters = ['status=draft', 'dueFrom=2026-01-01', 'dueTo=2026-12-31', 'overdue=true', 'search=x'];
    await app.as('owner').get(path);
    const before = database.statementNameCount;
    for (const sort of sorts) {
      for (let chosen = 0; chosen < 2 ** filters.length; chosen += 1) {
        const query = filters.filter((_, index) => (chosen >> index) % 2 === 1);
        const { status } = await app.as('owner').get(`${path}?${[`sort=${sort}`, ...query].join('&')}`);
        expect(status).toBe(200);
      }
    }
    expect(database.statementNameCount - before).toBeLessThanOrEqual(sorts.length * (filters.length + 1));
  });

  it('two prepared statements with one name and different texts are rejected', async () => {
    await database.prepared('one-name', 'select 1', []);
    await expect(database.prepared('one-name', 'select 2', [])).rejects.toThrow(
      'Two statements have the name one-name',
    );
  });

  it('statements beyond the limit of prepared statements run without being prepared', async () => {
    for (let n = 0; n < 1_000; n += 1) await database.prepared(`surplus-${n}`, `select ${n} as n`, []);
    expect(await database.prepared('surplus-last', 'select 7 as n', [])).toEqual([{ n: 7 }]);
    // The job runner also prepares statements on the same connections.
    const kept = await database.transaction(() =>
      database.query("select name from pg_prepared_statements where name like 'surplus-%'"),
    );

    expect(database.statementNameCount).toBe(800);
    expect(kept.length).toBeLessThanOrEqual(800);
  });
});

describe('a snapshot', () => {
  it('all reads of a snapshot see one state of the database', async () => {
    await app.sql('truncate accounts');
    const read = () => database.query('select id from accounts');
    const found = await database.snapshot(async () => {
      const before = await read();
      await app.sql('insert into accounts values (1, 1)');
      return [before, await read()];
    });
    expect(found).toEqual([[], []]);
  });

  it('a snapshot rejects writes and repositories, and its connection is usable afterwards', async () => {
    await app.sql('truncate accounts');
    await expect(database.snapshot(() => insert(1, 1))).rejects.toMatchObject({ code: '25006' });
    const reading = database.snapshot(async () => database.repository(Channel).count());
    await expect(reading).rejects.toThrow('without repositories');
    await insert(2, 2);
    expect(await balances()).toEqual([2]);
    const open = `select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    expect(await app.sql(open)).toEqual([]);
  });
});

describe('a purge', () => {
  const purge = () => database.purge('accounts', 'balance < $1', [5]);

  it('a purge deletes the rows that satisfy its condition, and is rejected inside a transaction', async () => {
    await app.sql('truncate accounts');
    for (const id of [1, 2, 3]) await insert(id, id * 3);
    expect(await purge()).toBe(1);
    await expect(database.transaction(purge)).rejects.toThrow('transactions of its own');
    expect(await balances()).toEqual([6, 9]);
  });

  it('a purge keeps a row that a concurrent transaction has renewed meanwhile', async () => {
    await app.sql('truncate accounts');
    for (const id of [1, 2]) await insert(id, 0);
    const other = new pg.Client({ connectionString: process.env['MIGRATION_DATABASE_URL'] });
    await other.connect();
    try {
      await other.query('begin; update accounts set balance = 7 where id = 1');
      const purging = purge();
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from accounts%'`;
      await until(async () => (await app.sql(waiting)).length > 0);
      await other.query('commit');
      expect(await purging).toBe(1);
    } finally {
      await other.end();
    }
    expect(await balances()).toEqual([7]);
  });
});

describe('a page of a list', () => {
  it('a page with a list of values has as many values as the query, also if equal queries had another number', async () => {
    const names = Array.from({ length: 3 }, () => `Listed ${randomUUID()}`);
    for (const name of names) await app.as('owner').post('/v1/admin/distribution/channels', { name, kind: 'agent' });
    const totals: number[] = [];
    for (const count of [1, 3, 2]) {
      const found = database.repository(Channel).createQueryBuilder('c');
      found.where('c.name in (:...names)', { names: names.slice(0, count) }).orderBy('c.id');
      const { rows, total } = await database.page(found, { limit: 10, offset: 0 });
      totals.push(rows.length, total);
    }
    expect(totals).toEqual([1, 1, 3, 3, 2, 2]);
  });
});
