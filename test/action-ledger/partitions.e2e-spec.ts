import { beforeAll, describe, expect, it } from '@jest/globals';
import { ActionLedger } from '../../src/modules/action-ledger/index.js';
import { LedgerPartitionJobs } from '../../src/modules/action-ledger/storage/ledger-partitions.jobs.js';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import { channelWithEntries, ENTRIES, newChannel, page } from './ledger.js';

let app: TestApp;
beforeAll(async () => {
  // Uses a separate database, because the tests drop partitions.
  app = await startApp({ env: { JOBS: 'false', LEDGER_CHECKPOINT_MINUTES: '77', LOG_LEVEL: 'info' } });
});

const YEAR = new Date().getUTCFullYear();
const partitions = () =>
  app.sql<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent in ('action_ledger_entries'::regclass, 'ledger_payloads'::regclass) order by 1`,
  );
const partitionOf = async (id: string) => {
  const [row] = await app.sql<{ name: string }>(
    'select tableoid::regclass::text as name from action_ledger_entries where id = $1',
    [id],
  );
  return row?.name;
};
const logged = (text: string) => app.logs.filter((line) => line.includes(text)).length;
const createPartitions = () => asSystem(() => app.nest.get(LedgerPartitionJobs).create());

describe('the partitions of the ledger', () => {
  it('the ledger has partitions up to the next year, and a default partition, for entries and payloads', async () => {
    const names = (await partitions()).map(({ name }) => name);
    for (const table of ['action_ledger_entries', 'ledger_payloads']) {
      for (const part of ['initial', YEAR + 1, 'default']) expect(names).toContain(`${table}_${part}`);
    }
    const subjectId = await newChannel(app);
    const [entry] = (await page(app, { subjectId })).data;
    expect(await partitionOf(entry?.id ?? '')).toBe('action_ledger_entries_initial');
  });

  it('the bound of a partition is the id that the start of its year has', async () => {
    const rows = await app.sql<{ id: string }>(`select ledger_id_at('2026-11-23T08:12:44.123Z') as id`);
    // The first 48 bits of a UUIDv7 are the milliseconds since 1970.
    const ms = BigInt(Date.parse('2026-11-23T08:12:44.123Z'));
    const digits = Array.from({ length: 10 }, (_, n) =>
      '0123456789abcdefghjkmnpqrstvwxyz'.charAt(Number((ms >> BigInt(45 - 5 * n)) & 31n)),
    );
    expect(rows).toEqual([{ id: `aled_${digits.join('')}` }]);
  });

  it('the service creates a missing partition although its role may not create tables, and a second time changes nothing', async () => {
    await app.sql(`drop table ledger_payloads_${YEAR + 1}, action_ledger_entries_${YEAR + 1} cascade`);
    await createPartitions();
    const names = (await partitions()).map(({ name }) => name);
    expect(names).toContain(`action_ledger_entries_${YEAR + 1}`);
    expect(names).toContain(`ledger_payloads_${YEAR + 1}`);
    await createPartitions();
    expect(await partitions()).toHaveLength(names.length);
  });

  it.each(['update', 'delete from', 'truncate'])(
    'the owner cannot %s a partition while its triggers exist',
    async (verb) => {
      for (const [table, column] of [
        [`action_ledger_entries_${YEAR + 1}`, 'reason'],
        ['action_ledger_entries_default', 'reason'],
        ...(verb === 'update'
          ? []
          : [
              ['ledger_payloads_default', ''],
              ['ledger_payloads_initial', ''],
            ]),
      ]) {
        const statement = verb === 'update' ? `update ${table} set ${column} = 'x'` : `${verb} ${table}`;
        const suffix = verb === 'truncate' ? ' cascade' : '';
        await expect(app.sql(statement + suffix)).rejects.toThrow('is append-only');
      }
    },
  );

  it('pages, filters and the verification cover entries of several partitions', async () => {
    const subjectId = await channelWithEntries(app, 3);
    // Adds an entry with an id of the next year, and one without a partition.
    const ids = [YEAR + 1, YEAR + 5].map((year) => `select ledger_id_at('${year}-06-01') || '0000000000000001' as id`);
    const [next, later] = (await Promise.all(ids.map((text) => app.sql<{ id: string }>(text)))).map(
      ([row]) => row?.id ?? '',
    );
    const ledger = app.nest.get(ActionLedger);
    for (const id of [next ?? '', later ?? '']) {
      await asSystem(() =>
        app.nest.get(Database).transaction(async () => {
          ledger.recordUnder(id, 'test.partition.write', { subjectType: 'channel', subjectId, after: { id } });
        }),
      );
    }
    expect(await partitionOf(next ?? '')).toBe(`action_ledger_entries_${YEAR + 1}`);
    expect(await partitionOf(later ?? '')).toBe('action_ledger_entries_default');

    const { data } = await page(app, { subjectId });
    expect(data.map(({ id }) => id).slice(0, 2)).toEqual([later, next]);
    expect(data).toHaveLength(5);
    const sequences = data.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...sequences].sort((one, other) => other - one));
    expect((await app.as('owner').get<{ data: object }>(`${ENTRIES}/${later}`)).body.data).toMatchObject({ id: later });
    const { breaks, findings } = await app.nest.get(LedgerVerificationService).verify();
    expect([breaks, findings.filter(({ code }) => code !== 'no_checkpoint')]).toEqual([[], []]);
  });

  it('the job logs every time that the default partition contains entries', async () => {
    for (const calls of [1, 2]) {
      await createPartitions();
      expect(logged('the default partition of the action ledger contains entries')).toBe(calls);
    }
  });

  it('a year of which the default partition already has rows gets no partitions, and the job reports none as created', async () => {
    await app.sql(`drop table ledger_payloads_${YEAR + 1}, action_ledger_entries_${YEAR + 1} cascade`);
    await app.sql('alter table ledger_payloads drop constraint if exists ledger_payloads_entry_id_fkey');
    await app.sql(
      `insert into ledger_payloads (entry_id, digest)
       select ledger_id_at('${YEAR + 1}-06-01') || '0000000000000002', sha256('')`,
    );
    const before = [await partitions(), logged('partitions of the action ledger were created')];

    await createPartitions();

    expect([await partitions(), logged('partitions of the action ledger were created')]).toEqual(before);
  });
});
