import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ActionLedger } from '../../src/modules/action-ledger/index.js';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import { CHANNELS, newChannel, page, placesOf, unique } from './ledger.js';

let app: TestApp;
let database: Database;
let ledger: ActionLedger;
beforeAll(async () => {
  // Jobs are disabled, so that the outbox keeps its events.
  app = await startApp({ env: { JOBS: 'false' } });
  database = app.nest.get(Database);
  ledger = app.nest.get(ActionLedger);
});

const inTransaction = (work: () => void) => asSystem(() => database.transaction(async () => work()));
const test = (subjectId: string) => ({ subjectType: 'test', subjectId });

describe('an entry in the transaction of its change', () => {
  it('an entry that cannot be written rolls back the change: no channel, no event, and the key is free', async () => {
    await app.sql(`create function refuse_entry() returns trigger language plpgsql as $$
      begin raise exception 'the disk is full'; end $$`);
    await app.sql(`create trigger unwritable before insert on action_ledger_entries for each row
      when (new.correlation_id = 'unwritable-1') execute function refuse_entry()`);
    const name = unique('Unwritten');
    const key = { 'Idempotency-Key': unique('key').replaceAll(' ', '-') };
    const events = `select from outbox_events where channel = 'distribution.channels'`;
    const eventsBefore = await app.sql(events);

    const rejected = await app
      .as('owner')
      .post(CHANNELS, { name }, { headers: { ...key, 'X-Request-Id': 'unwritable-1' } });

    expect([rejected.status, rejected.body]).toEqual([
      500,
      { error: 'An unexpected error occurred', requestId: 'unwritable-1' },
    ]);
    expect(await app.sql('select from channels where name = $1', [name])).toEqual([]);
    expect(await app.sql(events)).toHaveLength(eventsBefore.length);
    const again = await app.as('owner').post(CHANNELS, { name }, { headers: key });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('an error after the entry was written rolls back the entry', async () => {
    const failing = inTransaction(() => {
      ledger.record('test.fails', test('failing'));
      throw new Error('rolled back');
    });

    await expect(failing).rejects.toThrow('rolled back');
    expect(await placesOf(app, 'failing')).toEqual([]);
  });

  it('a rejected change writes no entry', async () => {
    const id = await newChannel(app);

    const rejected = await app.as('owner').patch(`${CHANNELS}/${id}`, { status: 'pending' });

    expect(rejected.status).toBe(409);
    expect((await page(app, { subjectId: id })).data).toHaveLength(1);
  });

  it('recording without a transaction or without a caller fails', async () => {
    expect(() => asSystem(() => ledger.record('test.alone', test('alone')))).toThrow('Only a transaction');
    const withoutCaller = database.transaction(async () => ledger.record('test.nobody', test('nobody')));
    await expect(withoutCaller).rejects.toThrow('No request context');
  });
});

describe('the cost of an entry', () => {
  /** Number of statements in a transaction, BEGIN and COMMIT included. */
  async function statementsOf(entries: number): Promise<number> {
    const { query } = pg.Client.prototype;
    let statements = 0;
    pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
      statements += 1;
      return Reflect.apply(query, this, args) as unknown;
    } as typeof query;
    try {
      await inTransaction(() => {
        for (let n = 0; n < entries; n += 1) ledger.record('test.counted', test(`counted-${n}`));
      });
    } finally {
      pg.Client.prototype.query = query;
    }
    return statements;
  }

  /** The minimum of five counts: some include statements of a timer of the service. */
  async function leastOf(entries: number): Promise<number> {
    const counts: number[] = [];
    for (let time = 0; time < 5; time += 1) counts.push(await statementsOf(entries));
    return Math.min(...counts);
  }

  it('all entries of a transaction are written by one statement', async () => {
    // The statement runs between BEGIN and COMMIT.
    expect([await leastOf(1), await leastOf(5)]).toEqual([3, 3]);
  });
});

describe('the chains of the ledger', () => {
  it('several entries of one transaction keep their order, in any chains', async () => {
    const ids: string[] = [];
    await inTransaction(() => {
      for (let n = 0; n < 20; n += 1) {
        ids.push(ledger.record('test.several', test('several')));
        ledger.record('test.other', test(`other-${n}`));
      }
    });

    const places = await placesOf(app, 'several');
    expect(places.map(({ id }) => id)).toEqual(ids);
    expect(new Set(places.map(({ chain }) => chain)).size).toBe(1);
    const positions = places.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect((await app.nest.get(LedgerVerificationService).verify()).breaks).toEqual([]);
  });

  it('the chains have no gaps after 100 concurrent writes, some to the same subject', async () => {
    const shared = await newChannel(app);
    const before = await app.nest.get(LedgerVerificationService).verify();

    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        n % 5 === 0
          ? app.as('owner').patch(`${CHANNELS}/${shared}`, { description: `Change ${n}` })
          : app.as('owner').post(CHANNELS, { name: unique('Parallel') }),
      ),
    );

    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    const after = await app.nest.get(LedgerVerificationService).verify();
    expect(after.breaks).toEqual([]);
    expect(after.entries).toBe(before.entries + 100);
    expect(await placesOf(app, shared)).toHaveLength(21);
    const gaps = await app.sql(
      `select chain from ledger_heads head
       where position <> (select count(*) from action_ledger_entries entry where entry.chain = head.chain)`,
    );
    expect(gaps).toEqual([]);
  });

  it('transactions that change the same subjects in opposite order do not deadlock', async () => {
    const subjects = Array.from({ length: 12 }, (_, n) => `crossing-${n}`);
    const write = (order: string[]) =>
      inTransaction(() => order.forEach((subject) => ledger.record('test.crossing', test(subject))));

    await Promise.all(Array.from({ length: 20 }, (_, n) => write(n % 2 === 0 ? subjects : [...subjects].reverse())));

    for (const subject of subjects) expect(await placesOf(app, subject)).toHaveLength(20);
    expect((await app.nest.get(LedgerVerificationService).verify()).breaks).toEqual([]);
  });
});
