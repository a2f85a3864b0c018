import { beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { PayloadRetentionJobs } from '../../src/modules/action-ledger/erasures/payload-retention.jobs.js';
import { PayloadErasuresService } from '../../src/modules/action-ledger/index.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import { channelWithEntries, ENTRIES, newChannel, page, placesOf } from './ledger.js';
import { reversed } from './reversals.js';

let app: TestApp;
let subjectId: string;
beforeAll(async () => {
  app = await startApp();
  subjectId = await channelWithEntries(app, 2);
});

const OF_SUBJECT = `where entry_id in (select id from action_ledger_entries where subject_id = $1)`;

describe('the append-only tables of the ledger', () => {
  it.each([
    ['UPDATE of entries', `update action_ledger_entries set reason = 'other' where subject_id = $1`],
    ['UPDATE of entries to what they are', `update action_ledger_entries set action = action where subject_id = $1`],
    ['DELETE of entries', `delete from action_ledger_entries where subject_id = $1`],
    ['another payload', `update ledger_payloads set after = '{"name":"other"}' ${OF_SUBJECT}`],
    ['half of a payload', `update ledger_payloads set before = null ${OF_SUBJECT} and before is not null`],
    ['another digest', `update ledger_payloads set digest = sha256('x'), before = null, after = null ${OF_SUBJECT}`],
    ['DELETE of payloads', `delete from ledger_payloads ${OF_SUBJECT}`],
  ])('the database rejects for every role: %s', async (_, statement) => {
    const before = await app.sql('select * from action_ledger_entries where subject_id = $1', [subjectId]);

    await expect(app.sql(statement, [subjectId])).rejects.toThrow('is append-only');

    expect(await app.sql('select * from action_ledger_entries where subject_id = $1', [subjectId])).toEqual(before);
    expect(await app.sql(`select * from ledger_payloads ${OF_SUBJECT}`, [subjectId])).toHaveLength(2);
  });

  it.each(['truncate action_ledger_entries cascade', 'truncate ledger_payloads', 'truncate ledger_heads cascade'])(
    'the database rejects for every role: %s',
    (statement) => expect(app.sql(statement)).rejects.toThrow('is append-only'),
  );

  it('the role of the service is not a superuser, and owns no table', async () => {
    const own = await app.nest.get(Database).query<{ superuser: boolean; tables: number }>(
      `select rolsuper as superuser,
              (select count(*)::int from pg_class where pg_has_role(current_user, relowner, 'member')) as tables
       from pg_roles where rolname = current_user`,
    );
    expect(own).toEqual([{ superuser: false, tables: 0 }]);
  });

  it('the database rejects changes of a completed reversal, and its DELETE', async () => {
    const { reversesEntryId } = await reversed(app, await newChannel(app), 'distribution.channel.create');
    for (const statement of [
      `update ledger_reversals set outcome = 'partial' where original_id = $1`,
      `update ledger_reversals set state = 'failed', outcome = null, failure = 'x' where original_id = $1`,
      'delete from ledger_reversals where original_id = $1',
    ]) {
      await expect(app.sql(statement, [reversesEntryId])).rejects.toThrow('is append-only');
    }
    await expect(app.sql('truncate ledger_reversals')).rejects.toThrow('is append-only');
  });

  it('the database rejects the DELETE of a ledger head', () =>
    expect(app.sql('delete from ledger_heads')).rejects.toThrow('is append-only'));
});

describe('the erasure of a payload', () => {
  it('an entry whose payload was erased is read without it and keeps its digest, and the ledger is still consistent', async () => {
    const [update] = (await page(app, { subjectId })).data;
    const { erasedPayloads: before } = await app.nest.get(LedgerVerificationService).verify();

    const erase = () =>
      asSystem(() => app.nest.get(PayloadErasuresService).erase([update?.id ?? ''], 'Retention ended'));
    const erasureId = await erase();

    const { body } = await app.as('owner').get(`${ENTRIES}/${update?.id}`);
    expect(body).toEqual({
      data: {
        ...{ ...update, before: null, after: null, reversible: false, missingScope: null, failure: null },
        irreversible: { reason: 'payload_erased', message: 'The state before the action was erased' },
      },
    });
    const verified = await app.nest.get(LedgerVerificationService).verify();
    expect([verified.erasedPayloads, verified.breaks, verified.findings]).toEqual([before + 1, [], []]);

    const record = await app.as('owner').get<{ data: { action: string; after: object } }>(`${ENTRIES}/${erasureId}`);
    const [payload] = await app.sql<{ digest: string }>(
      `select encode(digest, 'hex') as digest from ledger_payloads where entry_id = $1`,
      [update?.id],
    );
    expect(record.body.data).toMatchObject({
      action: 'action-ledger.payload.erase',
      after: { entries: [{ id: update?.id, digest: payload?.digest }], reason: 'Retention ended' },
    });
    await expect(erase()).rejects.toMatchObject({ code: 'payload_erased' });
    const again = asSystem(() => app.nest.get(PayloadErasuresService).erase([erasureId], 'Again'));
    await expect(again).rejects.toMatchObject({ code: 'erasure_record' });
  });

  it('of two erasures of one payload at the same time, one succeeds and one is rejected', async () => {
    const [entry] = await placesOf(app, await newChannel(app));
    const erase = () =>
      asSystem(() => app.nest.get(PayloadErasuresService).erase([entry?.id ?? ''], 'Retention ended'));
    const results = await Promise.allSettled([erase(), erase(), erase()]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('the erasure of an unknown entry is rejected, and erases nothing else', async () => {
    const [entry] = await placesOf(app, await newChannel(app));
    const ids = [entry?.id ?? '', 'aled_01k0dem000e000000000000009'];
    const erasing = asSystem(() => app.nest.get(PayloadErasuresService).erase(ids, 'Retention ended'));
    await expect(erasing).rejects.toMatchObject({ status: 404 });
    expect(await app.sql('select from ledger_payloads where entry_id = $1 and after is null', [entry?.id])).toEqual([]);
  });
});

describe('the retention of payloads', () => {
  const payloads = (ids: string[]) =>
    app.sql<{ id: string; erased: boolean }>(
      `select entry_id as id, before is null and after is null as erased from ledger_payloads
       where entry_id = any ($1) order by id`,
      [ids],
    );
  const erasePast = () => asSystem(() => app.nest.get(PayloadRetentionJobs, { strict: false }).erasePast());
  /** Travels to noon of a day, in the time zone of the organization. */
  const travelTo = (day: string) => app.travel({ days: daysBetween(app.day(0), day) });

  it('payloads are erased when ten years after the end of their year have passed, and the ledger is still consistent', async () => {
    const today = app.day(0);
    const entries = async (subject: string) => (await placesOf(app, subject)).map(({ id }) => id);
    const old = await entries(await channelWithEntries(app, 3));
    const endOfRetention = Number(today.slice(0, 4)) + 10;
    travelTo(`${endOfRetention}-12-31`);
    const recent = await entries(await channelWithEntries(app, 2));
    await erasePast();
    expect((await payloads([...old, ...recent])).filter(({ erased }) => erased)).toEqual([]);

    travelTo(`${endOfRetention + 1}-01-01`);
    await Promise.all([erasePast(), erasePast()]);
    expect((await payloads(old)).map(({ erased }) => erased)).toEqual(old.map(() => true));
    expect((await payloads(recent)).filter(({ erased }) => erased)).toEqual([]);
    const remaining = await app.sql(
      `select entry.action from action_ledger_entries entry join ledger_payloads payload on payload.entry_id = entry.id
       where (payload.before is not null or payload.after is not null) and date_part('year', entry.created_at) <= $1
         and entry.action <> 'action-ledger.payload.erase'`,
      [endOfRetention - 10],
    );
    expect(remaining).toEqual([]);
    const { breaks, findings } = await app.nest.get(LedgerVerificationService).verify();
    expect([breaks, findings]).toEqual([[], []]);

    const records = 'select count(*)::int as count from ledger_erasures';
    const before = await app.sql(records);
    await erasePast();
    expect(await app.sql(records)).toEqual(before);
    travelTo(today);
  });
});

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}
