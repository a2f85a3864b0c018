import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { asService, checkpoint, codesOf, readLines, verified, writeLines } from './checkpoints.js';
import {
  channelWithEntries,
  newChannel,
  newChannelOutsideChain,
  type Place,
  placesOf,
  verifyByCommand,
} from './ledger.js';
import { reversed } from './reversals.js';

const TABLES = [
  'action_ledger_entries',
  'ledger_payloads',
  'ledger_heads',
  'ledger_reversals',
  'ledger_erasures',
  'ledger_checkpoints',
];

let app: TestApp;
let places: Place[];
/** Returns the last entry of the same chain. */
let last: Place;
let reversalId: string;
let lines: string[];

beforeAll(async () => {
  // Jobs are disabled, so that nothing else writes while the ledger is changed without the service.
  app = await startApp({ env: { JOBS: 'false' } });
  places = await placesOf(app, await channelWithEntries(app, 4));
  await checkpoint(app);
  const other = await newChannelOutsideChain(app, at(0).chain);
  reversalId = (await reversed(app, other, 'distribution.channel.create')).id;
  await checkpoint(app);
  const [found] = await app.sql<Place>(
    `select id, chain, position::int as position from action_ledger_entries
     where chain = $1 order by position desc limit 1`,
    [at(0).chain],
  );
  if (!found) throw new Error('The chain has no entry');
  last = found;
  for (const table of TABLES) await app.sql(`create table honest_${table} as table ${table}`);
});

beforeEach(() => {
  lines = readLines();
});

afterEach(async () => {
  writeLines(lines);
  await asOwner(...TABLES.flatMap((table) => [`delete from ${table}`, `insert into ${table} table honest_${table}`]));
  expect(await codesOf(app)).toEqual([]);
});

const at = (index: number): Place => places[index] ?? { id: '', chain: -1, position: -1 };
const tail = () => last;

/** Runs a statement without triggers and foreign keys, as an administrator of the database can. */
async function asOwner(...statements: string[]): Promise<void> {
  const triggers = (verb: string) => TABLES.map((table) => `alter table ${table} ${verb} trigger user`);
  const constraints = await app.sql<{ owner: string; name: string; definition: string }>(
    `select conrelid::regclass::text as owner, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and conparentid = 0 and confrelid = any ($1::regclass[])`,
    [TABLES],
  );
  const dropped = constraints.map(({ owner, name }) => `alter table ${owner} drop constraint ${name}`);
  const added = constraints.map(
    ({ owner, name, definition }) => `alter table ${owner} add constraint ${name} ${definition} not valid`,
  );
  const all = [...triggers('disable'), ...dropped, ...statements, ...added, ...triggers('enable')];
  await app.sql(all.join(';\n'));
}

/** Computes the hashes of a chain from a position on, as the service would, and moves the head. */
const REHASH = (chain: number) => `
  do $$
  declare
    entry record;
    running bytea := sha256(convert_to('ledger-chain-${chain}', 'UTF8'));
    place bigint := 0;
  begin
    for entry in select id, digest from action_ledger_entries where chain = ${chain} order by position loop
      running := sha256(running || entry.digest);
      place := place + 1;
      update action_ledger_entries set hash = running, position = place where id = entry.id;
    end loop;
    update ledger_heads set hash = running, position = place where chain = ${chain};
  end $$`;

const remove = ({ id }: Place) => [
  `delete from ledger_payloads where entry_id = '${id}'`,
  `delete from action_ledger_entries where id = '${id}'`,
];

const DENIED = /permission denied|must be owner/;

describe('each change of the ledger is rejected for the role of the service', () => {
  it.each<[string, () => string, RegExp]>([
    ['a changed actor', () => `update action_ledger_entries set actor_id = 'x' where id = '${at(1).id}'`, DENIED],
    ['a truncated chain', () => `delete from action_ledger_entries where id = '${tail().id}'`, DENIED],
    ['TRUNCATE', () => 'truncate action_ledger_entries cascade', DENIED],
    [
      'an inserted entry',
      () => `insert into action_ledger_entries overriding system value table action_ledger_entries`,
      DENIED,
    ],
    ['an inserted payload', () => 'insert into ledger_payloads table ledger_payloads', DENIED],
    ['a replaced head', () => `update ledger_heads set hash = sha256('x')`, DENIED],
    ['reordered entries', () => 'update action_ledger_entries set position = -position', DENIED],
    ['a deleted reversal row', () => `delete from ledger_reversals where reversal_id = '${reversalId}'`, DENIED],
    [
      'a changed reversal row',
      () => `update ledger_reversals set outcome = 'partial' where reversal_id = '${reversalId}'`,
      /append-only/,
    ],
    [
      'a reversal row of another entry',
      () => `update ledger_reversals set original_id = '${at(0).id}' where reversal_id = '${reversalId}'`,
      DENIED,
    ],
    [
      'a nulled payload',
      () => `update ledger_payloads set before = null, after = null where entry_id = '${at(1).id}'`,
      /needs an entry that records it/,
    ],
    [
      'a nulled payload with a record that is no entry of an erasure',
      () => `with erased as (update ledger_payloads set before = null, after = null where entry_id = '${at(1).id}')
             insert into ledger_erasures values ('${at(1).id}', '${at(2).id}', now())`,
      /needs an entry that records it/,
    ],
    ['another payload', () => `update ledger_payloads set after = '{}' where entry_id = '${at(1).id}'`, /append-only/],
    ['another digest', () => `update ledger_payloads set digest = sha256('x')`, DENIED],
    ['a deleted record of a checkpoint', () => 'delete from ledger_checkpoints', DENIED],
    ['a disabled trigger', () => 'alter table ledger_payloads disable trigger user', DENIED],
    ['a dropped trigger', () => 'drop trigger ledger_payloads_kept on ledger_payloads', DENIED],
    ['session_replication_role', () => 'set session_replication_role = replica', DENIED],
    [
      'a replaced function',
      () => `create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'`,
      DENIED,
    ],
    ['a partition', () => `update action_ledger_entries_default set reason = 'other'`, DENIED],
    ['the default partition away', () => 'drop table action_ledger_entries_default', DENIED],
    ['a dropped table', () => 'drop table ledger_reversals', DENIED],
    ['a new table', () => 'create table own (id int)', DENIED],
    ['the role of the owner', () => 'set role postgres', DENIED],
  ])('the service cannot write %s', async (_, statement, message) => {
    await expect(asService(statement())).rejects.toThrow(message);
  });

  it('the service has no right to TRUNCATE, to create triggers, or to change or delete rows of an append-only table', async () => {
    const rows = await asService(
      `select relname as name, array_agg(privilege_type order by privilege_type) as rights
       from pg_class, aclexplode(relacl) where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and grantee = current_user::regrole group by 1 order by 1`,
    );
    const rightsOf = new Map((rows as { name: string; rights: string[] }[]).map(({ name, rights }) => [name, rights]));
    for (const rights of rightsOf.values()) expect(rights).not.toContain('TRUNCATE');
    for (const rights of rightsOf.values()) expect(rights).not.toContain('TRIGGER');
    for (const name of ['ledger_erasures', 'ledger_checkpoints', 'vault_audit', 'payment_allocations']) {
      expect([name, rightsOf.get(name)]).toEqual([name, ['INSERT', 'SELECT']]);
    }
    for (const name of ['action_ledger_entries', 'ledger_heads', 'ledger_payloads', 'migrations']) {
      expect([name, rightsOf.get(name)]).toEqual([name, ['SELECT']]);
    }
    expect([...rightsOf.keys()].filter((name) => /^(action_ledger_entries|ledger_payloads)_/.test(name))).toEqual([]);
  });
});

describe('each change by the owner of the tables is found', () => {
  it('a nulled payload is found', async () => {
    await asOwner(`update ledger_payloads set before = null, after = null where entry_id = '${at(1).id}'`);
    expect((await verified(app)).findings).toEqual([
      {
        code: 'erased_without_record',
        chain: at(1).chain,
        position: at(1).position,
        entryId: at(1).id,
        message: expect.any(String),
      },
    ]);
  });

  it('a nulled payload with a record that no entry supports is found', async () => {
    await asOwner(
      `update ledger_payloads set before = null, after = null where entry_id = '${at(1).id}'`,
      `insert into ledger_erasures values ('${at(1).id}', '${at(2).id}', now())`,
    );
    expect(await codesOf(app)).toEqual(['erasure_mismatch']);
  });

  it('a changed actor is found, also with a disabled trigger', async () => {
    await asOwner(`update action_ledger_entries set actor_id = 'x' where id = '${at(1).id}'`);
    expect(await codesOf(app)).toEqual(['the entry was changed']);
  });

  it('a truncated chain is found by the head, and with a matching head by the checkpoint alone', async () => {
    await asOwner(...remove(tail()));
    expect(await codesOf(app)).toEqual(['the entry is missing']);
    await asOwner(...remove(tail()), REHASH(tail().chain));
    expect(await codesOf(app)).toEqual(['older_than_checkpoint']);
  });

  it('a truncated chain that ended with a reversal is found, and so is the row of that reversal', async () => {
    const [reversal] = await app.sql<Place>('select id, chain from action_ledger_entries where id = $1', [reversalId]);
    await asOwner(...remove(reversal ?? at(-1)));
    expect(await codesOf(app)).toEqual(['the entry is missing', 'reversal_mismatch']);
  });

  it('a deleted and a changed reversal row are found', async () => {
    await asOwner(`update ledger_reversals set outcome = 'partial' where reversal_id = '${reversalId}'`);
    expect(await codesOf(app)).toEqual(['reversal_mismatch']);
    await asOwner(
      `update ledger_reversals set state = 'running', outcome = null, finished_at = null where reversal_id = '${reversalId}'`,
    );
    expect(await codesOf(app)).toEqual(['reversal_mismatch']);
    await asOwner(`update ledger_reversals set original_id = '${at(0).id}' where reversal_id = '${reversalId}'`);
    expect(await codesOf(app)).toEqual(['reversal_mismatch', 'reversal_mismatch']);
    await asOwner(`delete from ledger_reversals where reversal_id = '${reversalId}'`);
    expect(await codesOf(app)).toEqual(['reversal_mismatch']);
  });

  it('reordered entries are found', async () => {
    const [first, second] = [at(1), at(2)];
    await asOwner(
      `update action_ledger_entries set position = -1 where id = '${first.id}'`.replace('-1', '1000000'),
      `update action_ledger_entries set position = ${first.position} where id = '${second.id}'`,
      `update action_ledger_entries set position = ${second.position} where id = '${first.id}'`,
    );
    expect(await codesOf(app)).toEqual(['the hash does not follow from the entry before']);
  });

  it('an inserted entry is found', async () => {
    const { id, chain } = at(1);
    await asOwner(
      `insert into action_ledger_entries overriding system value
       select (jsonb_populate_record(null::action_ledger_entries, to_jsonb(entry) || jsonb_build_object(
         'id', 'aled_inserted', 'sequence', 900000000, 'position', head.position + 1, 'hash', '\\x' || repeat('00', 32)))).*
       from action_ledger_entries entry, ledger_heads head where entry.id = '${id}' and head.chain = entry.chain`,
      `update ledger_heads set position = position + 1 where chain = ${chain}`,
    );
    expect(await codesOf(app)).toEqual(['the payload is missing']);
  });

  it('a whole chain that was replaced with matching hashes is found by the checkpoint alone, and is never signed', async () => {
    const { chain } = at(1);
    await asOwner(...remove(at(1)), REHASH(chain));
    // Adds an entry, so that nothing is missing at the end.
    await app.as('owner').patch(`/v1/admin/distribution/channels/${await subjectOf(at(0))}`, { description: 'Later' });
    const { breaks, findings } = await verified(app);
    expect(breaks).toEqual([]);
    expect(findings).toMatchObject([{ code: 'differs_from_checkpoint', chain }]);
    await expect(checkpoint(app)).rejects.toThrow(/differs from checkpoint 3/);
    expect(readLines()).toEqual(lines);
    expect(await verifyByCommand()).toMatchObject({
      code: 1,
      output: expect.stringContaining('differs_from_checkpoint'),
    });
  });
});

describe('the checkpoint file', () => {
  it('a deleted line is found: the first, one in the middle, and the last', async () => {
    expect(lines).toHaveLength(3);
    for (const index of [0, 1, 2]) {
      writeLines(lines.filter((_, n) => n !== index));
      expect([index, await codesOf(app)]).toEqual([index, ['checkpoint_missing']]);
    }
  });

  it('the numbers of deleted lines stay missing after further checkpoints', async () => {
    writeLines(lines.slice(0, 2));
    await newChannel(app);
    await checkpoint(app);
    expect((await verified(app)).findings).toMatchObject([
      { code: 'checkpoint_missing', message: 'Checkpoint 3 is missing from the checkpoint file' },
    ]);
  });

  it('a forged line is found: changed content, and a signature of another key', async () => {
    const last = JSON.parse(lines[2] ?? '') as Record<string, unknown>;
    for (const forged of [
      { ...last, at: '2020-01-01T00:00:00.000Z' },
      { ...last, mac: 'A'.repeat(43) },
    ]) {
      writeLines([...lines.slice(0, 2), JSON.stringify(forged)]);
      expect(await codesOf(app)).toEqual(['checkpoint_forged', 'checkpoint_missing']);
    }
    writeLines([...lines.slice(0, 2), 'no JSON', ...lines.slice(2)]);
    expect(await codesOf(app)).toEqual(['checkpoint_invalid']);
  });

  it('a missing file is reported, and not as a ledger that is fine', async () => {
    rmSync(process.env['LEDGER_CHECKPOINT_FILE'] ?? '');
    const { intact, findings } = await verified(app);
    expect([intact, findings.map(({ code }) => code)]).toEqual([false, ['checkpoint_file_missing']]);
    expect(await verifyByCommand()).toMatchObject({ code: 1, output: expect.stringContaining('is missing') });
    expect(existsSync(process.env['LEDGER_CHECKPOINT_FILE'] ?? '')).toBe(false);
  });

  it('a restored backup is named as such, and an operator can accept it with a reason', async () => {
    const subject = await newChannel(app);
    await checkpoint(app);
    const newer = readLines();
    const [created] = await placesOf(app, subject);
    if (!created) throw new Error('The channel has no entry');
    await asOwner(...remove(created), REHASH(created.chain), 'delete from ledger_checkpoints where number = 4');
    expect((await verified(app)).findings).toMatchObject([
      {
        code: 'older_than_checkpoint',
        message: expect.stringMatching(/^The database is older than checkpoint 4 .*backup/),
      },
    ]);
    await expect(checkpoint(app)).rejects.toThrow(/differs from checkpoint 4/);

    await checkpoint(app, 'The disk failed');
    expect(readLines().slice(0, -1)).toEqual(newer);
    expect(await codesOf(app)).toEqual([]);
  });
});

async function subjectOf({ id }: Place): Promise<string> {
  const [row] = await app.sql<{ subject: string }>(
    'select subject_id as subject from action_ledger_entries where id = $1',
    [id],
  );
  return row?.subject ?? '';
}
