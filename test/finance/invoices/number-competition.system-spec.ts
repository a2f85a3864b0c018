import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { fewAtATime } from '../../security/calls.js';
import { makeSeries, PATH as SERIES, readSeries } from '../number-series/series.js';
import { draft, issue, read, sell } from './invoicing.js';

const ISSUERS = 64;
const ROUNDS = 5;

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { DATABASE_POOL_SIZE: '20' } });
  owner = app.as('owner');
  // Fails at the commit, after the number was assigned: the invoices of this payer are never issued.
  await app.sql(`create function doomed() returns trigger language plpgsql as $$
    begin
      if new.payer_name = 'Doomed' and new.number is not null then
        raise exception 'injected' using errcode = '53400';
      end if;
      return null;
    end $$`);
  await app.sql(`create constraint trigger doomed after update on invoices deferrable initially deferred
    for each row execute function doomed()`);
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

interface Work {
  id: string;
  shouldFail: boolean;
  issueDate: string | undefined;
}

/** Makes five drafts for each issuer, of which every tenth fails, and assigns the issue dates, if any, in turn. */
async function drafts(days: readonly string[]): Promise<Work[][]> {
  const all: Work[][] = [];
  const making = upTo(ISSUERS).map((issuer) => async () => {
    const { id: bookingId } = await sell(app);
    const works: Work[] = [];
    for (const round of upTo(ROUNDS)) {
      const place = (issuer - 1) * ROUNDS + round;
      const shouldFail = place % 10 === 3;
      const lines = [{ description: 'Tour', unitPriceCents: 100 }];
      const { id } = await draft(owner, { bookingId, payerName: shouldFail ? 'Doomed' : 'Clara', lines });
      works.push({ id, shouldFail, issueDate: days[place % Math.max(1, days.length)] });
    }
    all.push(works);
  });
  await fewAtATime(making);
  return all;
}

/** Runs all issuers in parallel, each of them in sequence; a request is repeated if the service is busy. */
async function issueAll(works: Work[][], seriesId: string): Promise<void> {
  await Promise.all(
    works.map(async (mine) => {
      for (const { id, shouldFail, issueDate } of mine) {
        for (let attempt = 0; ; attempt += 1) {
          const { status, text } = await issue(owner, id, { seriesId, ...(issueDate ? { issueDate } : {}) });
          if (status === 200 || (shouldFail && attempt > 0)) break;
          expect([status, attempt < 50, text]).toEqual([503, true, text]);
        }
      }
    }),
  );
}

async function numbersOf(seriesId: string, periodKey: string): Promise<number[]> {
  const rows = await app.sql<{ sequence: string }>(
    'select sequence from invoices where series_id = $1 and period_key = $2 order by sequence',
    [seriesId, periodKey],
  );
  return rows.map(({ sequence }) => Number(sequence));
}

describe(`${ISSUERS} parallel issuers of invoices`, () => {
  it('parallel issuers get exactly 1 to N, without a gap and without a duplicate, although every tenth issue fails', async () => {
    const series = await makeSeries(owner);
    const works = await drafts([]);
    await issueAll(works, series.id);
    const failing = works.flat().filter(({ shouldFail }) => shouldFail);
    const assigned = ISSUERS * ROUNDS - failing.length;
    expect(failing.length).toBe((ISSUERS * ROUNDS) / 10);
    expect(await numbersOf(series.id, 'all')).toEqual(upTo(assigned));
    expect((await readSeries(owner, series.id)).nextNumber).toBe(assigned + 1);
    for (const { id } of failing.slice(0, 3)) {
      expect(await read(owner, id)).toMatchObject({ status: 'draft', number: null, seriesId: null });
    }
  });

  it('parallel issuers get exactly 1 to N in each of two years that are open at once, although every tenth issue fails', async () => {
    const series = await makeSeries(owner, { pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' });
    const year = app.now().getUTCFullYear();
    app.travel({ ms: Date.UTC(year + 1, 0, 2, 12) - app.now().getTime() });
    const works = await drafts([`${year}-12-31`, `${year + 1}-01-01`]);
    await issueAll(works, series.id);
    for (const period of [String(year), String(year + 1)]) {
      const mine = works.flat().filter(({ issueDate, shouldFail }) => issueDate?.startsWith(period) && !shouldFail);
      expect(mine.length).toBeGreaterThan(100);
      expect(await numbersOf(series.id, period)).toEqual(upTo(mine.length));
    }
    const rendered = await app.sql<{ numbers: string }>(
      'select count(distinct number) as numbers from invoices where series_id = $1',
      [series.id],
    );
    expect(Number(rendered[0]?.numbers)).toBe((ISSUERS * ROUNDS * 9) / 10);
  });
});

describe('a series that is changed while it assigns numbers', () => {
  it('a number series keeps the format of its first number if it is changed at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const series = await makeSeries(owner);
      const { id: bookingId } = await sell(app);
      const { id } = await draft(owner, { bookingId });
      const [issued, changed] = await Promise.all([
        issue(owner, id, { seriesId: series.id }),
        owner.patch<{ data: { prefix: string } }>(`${SERIES}/${series.id}`, { prefix: `C${series.prefix}` }),
      ]);
      expect([issued.status, [200, 409].includes(changed.status)]).toEqual([200, true]);
      const { prefix } = await readSeries(owner, series.id);
      expect(issued.body.data.number).toBe(`${prefix}0001`);
    }
  });

  it('a number series is either deleted or assigns a number, never both', async () => {
    for (let round = 0; round < 8; round += 1) {
      const series = await makeSeries(owner);
      const { id: bookingId } = await sell(app);
      const { id } = await draft(owner, { bookingId });
      const [issued, deleted] = await Promise.all([
        issue(owner, id, { seriesId: series.id }),
        owner.delete(`${SERIES}/${series.id}`),
      ]);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([issued.status, deleted.status]);
    }
  });
});
