import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { startApp, type TestApp } from '../setup/app.js';
import { CONTRACTS, type ContractAnswer, declareVoid, draft, issue, travelTo } from './contracts.js';

let app: TestApp;
let year = 2040;

/** Bucharest is two hours ahead of UTC in winter: its new year comes first. */
beforeAll(async () => {
  app = await startApp({ env: { ORG_TIME_ZONE: 'Europe/Bucharest' } });
});

/** Each test uses a different year, so that its numbers start at 1. */
beforeEach(() => {
  year += 2;
  travelTo(app, `${year}-06-01T12:00:00Z`);
});

const numbered = (from: number, to: number, of = year) =>
  Array.from({ length: to - from + 1 }, (_, n) => `C-${of}-${String(from + n).padStart(5, '0')}`);

/** A busy service responds with 503 and Retry-After; the repeated call succeeds. */
async function issueInTheEnd(id: string): Promise<ContractAnswer> {
  for (;;) {
    const answer = await issue(app, id);
    if (answer.status !== 503) return answer;
    await setTimeout(50);
  }
}

const numberOf = ({ body }: ContractAnswer) => body.data.contractNumber;

describe('the number of a contract', () => {
  it('contract numbers are C-<year>-<5 digits>, consecutive from 1', async () => {
    const numbers: (string | null)[] = [];
    for (let n = 0; n < 3; n += 1) numbers.push(numberOf(await issue(app, (await draft(app)).id)));

    expect(numbers).toEqual(numbered(1, 3));
  });

  it('50 concurrent issues of contracts get consecutive numbers without duplicates or gaps', async () => {
    const drafts = await Promise.all(Array.from({ length: 50 }, () => draft(app)));
    const answers = await Promise.all(drafts.map(({ id }) => issueInTheEnd(id)));

    expect(answers.map(({ status }) => status)).toEqual(drafts.map(() => 200));
    expect(answers.map(numberOf).sort()).toEqual(numbered(1, 50));
  });

  it('a failed issue of a contract does not use a number', async () => {
    await app.sql(`
      create function refuse_contract() returns trigger language plpgsql as
      $$ begin raise exception 'the disk is full' using errcode = 'disk_full'; end $$`);
    await app.sql(`
      create constraint trigger refuse_contract after update on contracts deferrable initially deferred
      for each row when (new.title = 'Reject me' and new.contract_number is not null) execute function refuse_contract()`);
    const rejected = await draft(app, { title: 'Reject me' });
    const others = await Promise.all(Array.from({ length: 10 }, () => draft(app)));
    const [failed, ...answers] = await Promise.all([
      issue(app, rejected.id),
      ...others.map(({ id }) => issueInTheEnd(id)),
    ]);

    expect(failed?.status).toBe(503);
    expect(answers.map(numberOf).sort()).toEqual(numbered(1, 10));
    await app.sql('drop trigger refuse_contract on contracts');
    expect(numberOf(await issue(app, rejected.id))).toBe(`C-${year}-00011`);
  });

  it("contract numbers start again with the year in the organization's time zone", async () => {
    const [last, first] = [await draft(app), await draft(app)];
    travelTo(app, `${year}-12-31T21:59:00Z`);
    expect(numberOf(await issue(app, last.id))).toBe(`C-${year}-00001`);
    travelTo(app, `${year}-12-31T22:01:00Z`);
    expect(numberOf(await issue(app, first.id))).toBe(`C-${year + 1}-00001`);
  });

  it('contract numbers that are taken are skipped', async () => {
    await draft(app, { contractNumber: `C-${year}-00001` });
    await draft(app, { contractNumber: `C-${year}-00002` });
    const void4 = await draft(app, { contractNumber: `C-${year}-00004` });
    await declareVoid(app, void4.id);
    const numbers: (string | null)[] = [];
    for (let n = 0; n < 2; n += 1) numbers.push(numberOf(await issue(app, (await draft(app)).id)));

    expect(numbers).toEqual([`C-${year}-00003`, `C-${year}-00005`]);
  });

  it('a contract number that was set in the draft is kept and uses no assigned number', async () => {
    const { id } = await draft(app, { contractNumber: `DACH/${year}/7` });
    expect(numberOf(await issue(app, id))).toBe(`DACH/${year}/7`);
    expect(numberOf(await issue(app, (await draft(app)).id))).toBe(`C-${year}-00001`);
  });

  it('an issue does not fail if a concurrent draft uses the same contract number', async () => {
    const drafts = await Promise.all(Array.from({ length: 10 }, () => draft(app)));
    const chosen = numbered(1, 10);
    const choose = (contractNumber: string) => app.as('owner').post(CONTRACTS, { title: 'Chosen', contractNumber });
    const [issues, choices] = await Promise.all([
      Promise.all(drafts.map(({ id }) => issueInTheEnd(id))),
      Promise.all(chosen.map(choose)),
    ]);

    expect(issues.map(({ status }) => status)).toEqual(drafts.map(() => 200));
    expect(choices.every(({ status }) => [201, 409, 503].includes(status))).toBe(true);
    const assigned = issues.map(numberOf);
    const kept = chosen.filter((_, n) => choices[n]?.status === 201);
    expect(new Set([...assigned, ...kept]).size).toBe(assigned.length + kept.length);
  });

  it('contract numbers grow beyond five digits', async () => {
    await app.sql('insert into contract_number_counters (year, last_number) values ($1, 99999)', [year]);
    expect(numberOf(await issue(app, (await draft(app)).id))).toBe(`C-${year}-100000`);
  });
});
