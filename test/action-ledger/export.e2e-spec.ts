import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ActionLedger } from '../../src/modules/action-ledger/index.js';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import type { Verification } from '../../src/modules/action-ledger/verification/ledger-verifier.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import { channelWithEntries, ENTRIES, newChannel, page, placesOf } from './ledger.js';
import { entryOf } from './reversals.js';

const VERIFY = '/v1/admin/action-ledger/verify';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false', LOG_LEVEL: 'info' } });
});

describe('the CSV export of entries', () => {
  const rowsOf = async (query: string) => {
    const answer = await app.as('owner').get(`${ENTRIES}/export${query}`);
    expect(answer.status).toBe(200);
    return { rows: answer.text.replace(/^\uFEFF/, '').split('\r\n'), headers: answer.headers };
  };

  it('the export has a header line and a line for each entry that matches the filters, newest first', async () => {
    const subjectId = await channelWithEntries(app, 3);

    const { rows, headers } = await rowsOf(`?subjectId=${subjectId}`);

    const names = `sequence,createdAt,action,subjectType,subjectId,actorType,actorId,reason,reversesEntryId,reversedByEntryId,recordedByEntryId,state,outcome,correlationId,serverRequestId,id`;
    const { data } = await page(app, { subjectId });
    const lines = data.map(({ sequence, createdAt, action, actorType, actorId, correlationId, serverRequestId, id }) =>
      [
        sequence,
        createdAt,
        action,
        'channel',
        subjectId,
        actorType,
        actorId,
        '',
        '',
        '',
        '',
        '',
        '',
        correlationId,
        serverRequestId,
        id,
      ].join(),
    );
    expect(rows).toEqual([names, ...lines, '']);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(headers['content-disposition']).toBe('attachment; filename="action-ledger.csv"');
  });

  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)'])(
    'the export does not turn the reason %s into a formula',
    async (reason) => {
      const subjectId = await newChannel(app);
      const { id } = await entryOf(app, subjectId, 'distribution.channel.create');
      await app.as('owner').post(`${ENTRIES}/${id}/reversals`, { reason });

      const { rows } = await rowsOf(`?subjectId=${subjectId}&action=distribution.channel.create.reverse`);

      expect(rows[1]?.split(',')[7]).toBe(`'${reason}`);
    },
  );

  it('the export keeps quotes, commas and line breaks in their cell', async () => {
    const subjectId = await newChannel(app);
    const { id } = await entryOf(app, subjectId, 'distribution.channel.create');
    await app.as('owner').post(`${ENTRIES}/${id}/reversals`, { reason: 'A "quote",\nand a line' });

    const { rows } = await rowsOf(`?subjectId=${subjectId}&action=distribution.channel.create.reverse`);

    expect(rows[1]).toContain(',"A ""quote"",\nand a line",');
  });

  it('an export of several batches has no duplicate and no missing entry', async () => {
    const subjectId = `many-${process.pid}`;
    const ledger = app.nest.get(ActionLedger);
    const hundred = () =>
      app.nest.get(Database).transaction(async () => {
        for (let n = 0; n < 100; n += 1) ledger.record('test.many', { subjectType: 'test', subjectId });
      });
    for (let n = 0; n < 11; n += 1) await asSystem(hundred);

    const { rows } = await rowsOf(`?subjectId=${subjectId}`);

    const ids = rows.slice(1, -1).map((row) => row.split(',').at(-1));
    expect([ids.length, new Set(ids).size]).toEqual([1_100, 1_100]);
  });

  it('the export rejects a limit, and a call without credentials', async () => {
    expect((await app.as('owner').get(`${ENTRIES}/export?limit=5`)).status).toBe(400);
    expect((await app.get(`${ENTRIES}/export`)).status).toBe(401);
  });
});

describe('verifying the ledger', () => {
  let broken: string | null = null;
  afterEach(async () => {
    if (broken === null) return;
    await app.sql('alter table action_ledger_entries disable trigger user');
    await app.sql(`update action_ledger_entries set reason = null where id = $1`, [broken]);
    await app.sql('alter table action_ledger_entries enable trigger user');
    broken = null;
  });

  /** Only the owner of the tables can do this, and only with triggers disabled. */
  async function change(id: string): Promise<void> {
    broken = id;
    await app.sql('alter table action_ledger_entries disable trigger user');
    await app.sql(`update action_ledger_entries set reason = 'because' where id = $1`, [id]);
    await app.sql('alter table action_ledger_entries enable trigger user');
  }

  it('the verification names the first invalid entry of a chain, on request and every night', async () => {
    const [, second] = await placesOf(app, await channelWithEntries(app, 3));
    const { id = '', chain = 0, position = 0 } = second ?? {};
    const before = (await app.as('owner').get(`${VERIFY}?chain=${chain}`)).body;
    expect(before).toMatchObject({ data: { intact: true, breaks: [] } });
    await change(id);

    const answer = await app.as('owner').get(`${VERIFY}?chain=${chain}`);
    const other = await app.as('owner').get(`${VERIFY}?chain=${(chain + 1) % 7}`);
    await asSystem(() => app.nest.get(LedgerVerificationService).verifyNightly());

    const found = { chain, position, entryId: id, fault: 'the entry was changed' };
    expect(answer.body).toMatchObject({ data: { intact: false, breaks: [found] } });
    expect(other.status).toBe(200);
    const lines = app.logs.map((line) => JSON.parse(line) as { level: string | number; breaks?: object[] });
    expect(lines.find(({ breaks }) => breaks)?.breaks).toContainEqual(found);
    expect((await app.get('/metrics')).text).toMatch(/ledger_broken_chains_total [1-9]/);
  });

  it('the verification reports the number of valid entries', async () => {
    const answer = await app.as('owner').get<{ data: { entries: number } }>(VERIFY);
    await newChannel(app);
    const later = await app.as('owner').get<{ data: { entries: number } }>(VERIFY);

    expect(later.body.data.entries).toBe(answer.body.data.entries + 1);
  });

  it('the verification continues later if its time limit is reached', async () => {
    const verification = app.nest.get(LedgerVerificationService);
    const whole = await verification.verify();
    expect(whole.nextChain).toBeNull();

    const [walked, entries] = [[] as (number | null)[], [] as number[]];
    for (let from: number | null = 0; from !== null;) {
      const part: Verification = await verification.verify({ from, withinMs: 0 });
      walked.push((from = part.nextChain));
      entries.push(part.entries);
    }
    expect(walked).toEqual([...Array.from({ length: 63 }, (_, chain) => chain + 1), null]);
    expect(entries.reduce((sum, count) => sum + count, 0)).toBe(whole.entries);

    const answer = await app.as('owner').get<{ data: { entries: number } }>(`${VERIFY}?fromChain=40`);
    const rest = entries.slice(40).reduce((sum, count) => sum + count, 0);
    expect(answer.body).toMatchObject({ data: { entries: rest, nextChain: null } });
  });

  it('the verification of a chain that does not exist is 400', async () => {
    for (const query of ['chain=64', 'chain=-1', 'chain=x', 'fromChain=64'])
      expect((await app.as('owner').get(`${VERIFY}?${query}`)).status).toBe(400);
  });
});
