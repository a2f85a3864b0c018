import { expect, it } from '@jest/globals';
import { connect } from '../../src/bootstrap/boot.js';
import { LedgerPartitions1794000000700 } from '../../src/migrations/1794000000700-ledger-partitions.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { Machine } from '../identity/machine.js';

it('the partitioning of a ledger with entries keeps every entry and payload, in both directions', async () => {
  const machine = await Machine.set();
  const { stop } = await machine.start();
  await stop();
  const content = () =>
    machine.sql(
      `select count(*)::int as entries, sha256(string_agg(entry::text || coalesce(payload::text, ''), '' order by entry.id)::bytea) as digest
       from (select id, sequence, action, subject_id, created_at, chain, position, digest, hash, server_request_id
             from action_ledger_entries) as entry
         left join ledger_payloads payload on payload.entry_id = entry.id`,
    );
  const constraints = () =>
    machine.sql(
      `select conrelid::regclass::text as owner, conname, pg_get_constraintdef(oid) as definition from pg_constraint
       where conparentid = 0 and contype <> 'n'
         and (confrelid = 'action_ledger_entries'::regclass or conrelid = 'action_ledger_entries'::regclass) order by 1, 2`,
    );
  const before = { content: await content(), constraints: await constraints() };
  expect(before.content).toEqual([{ entries: expect.any(Number), digest: expect.any(Buffer) }]);

  const dataSource = await connect(readEnv({ ...process.env, DATABASE_URL: machine.databaseUrl }));
  const runner = dataSource.createQueryRunner();
  const migration = new LedgerPartitions1794000000700();
  try {
    await migration.down(runner);
    expect(await content()).toEqual(before.content);
    const [sequences] = await machine.sql<{ last: string; next: string }>(
      `select (select max(sequence) from action_ledger_entries) as last, nextval('action_ledger_entries_sequence_seq') as next`,
    );
    expect(Number(sequences?.next)).toBeGreaterThan(Number(sequences?.last));
    await expect(machine.sql('delete from action_ledger_entries')).rejects.toThrow('is append-only');

    await migration.up(runner);
    expect(await content()).toEqual(before.content);
    expect(await constraints()).toEqual(before.constraints);
    await expect(machine.sql('delete from action_ledger_entries')).rejects.toThrow('is append-only');
  } finally {
    await runner.release();
    await dataSource.destroy();
  }

  // Writes work afterwards, and the chains are complete.
  const service = await machine.start();
  await service.stop();
  const [gaps] = await machine.sql<{ chains: number }>(
    `select count(*)::int as chains from ledger_heads head
     where position <> (select count(*) from action_ledger_entries entry where entry.chain = head.chain)`,
  );
  expect(gaps).toEqual({ chains: 0 });
});
