import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { startApp, type TestApp } from '../setup/app.js';
import { channelWithEntries, type Place, placesOf, verifyByCommand } from './ledger.js';

const TABLES = ['action_ledger_entries', 'ledger_payloads', 'ledger_heads'];

let app: TestApp;
/** The entries of one channel, on one chain: its creation and three updates. */
let places: Place[];

beforeAll(async () => {
  // Jobs are disabled, so that nothing else writes while a test changes the ledger without the service.
  app = await startApp({ env: { JOBS: 'false' } });
  places = await placesOf(app, await channelWithEntries(app, 4));
  await disarm();
});

afterEach(async () => {
  await restore();
  expect((await verify()).breaks).toEqual([]);
});

/** The tests act as the owner of the tables: triggers and constraints are disabled. */
async function disarm(): Promise<void> {
  const parts = await app.sql<{ name: string }>(
    'select relid::text as name from unnest($1::regclass[]) as root, pg_partition_tree(root)',
    [TABLES],
  );
  for (const table of [...TABLES, ...parts.map(({ name }) => name)]) {
    await app.sql(`alter table ${table} disable trigger user`);
  }
  const constraints = await app.sql<{ name: string; owner: string }>(
    `select conname as name, conrelid::regclass::text as owner from pg_constraint
     where (conrelid in (select relid from unnest($1::regclass[]) as root, pg_partition_tree(root))
            or conrelid = any ($1::regclass[]) or confrelid = any ($1::regclass[]))
       and contype not in ('n', 't') and conparentid = 0 and coninhcount = 0
     order by contype = 'f' desc`,
    [TABLES],
  );
  for (const { name, owner } of constraints) await app.sql(`alter table ${owner} drop constraint ${name}`);
  for (const table of TABLES) await app.sql(`create table honest_${table} as table ${table}`);
}

async function restore(): Promise<void> {
  for (const table of TABLES) {
    await app.sql(`truncate ${table}`);
    await app.sql(`insert into ${table} table honest_${table}`);
  }
}

const verify = () => app.nest.get(LedgerVerificationService).verify();
const at = (index: number): Place => places[index] ?? { id: '', chain: -1, position: -1 };
const breakOf = async (chain: number) => (await verify()).breaks.find((broken) => broken.chain === chain);
const flip = (column: string) => `overlay(${column} placing chr(ascii(${column}) # 1) from 1 for 1)`;
const flipBit = (column: string) => `set_bit(${column}, 77, 1 - get_bit(${column}, 77))`;

describe('a flipped byte in a column of an entry', () => {
  const CHANGED = 'the entry was changed';
  it.each([
    ['sequence', 'sequence + 100000', CHANGED],
    ['action', flip('action'), CHANGED],
    ['subject_type', flip('subject_type'), CHANGED],
    ['subject_id', flip('subject_id'), CHANGED],
    ['actor_type', flip('actor_type'), CHANGED],
    ['actor_id', flip('actor_id'), CHANGED],
    ['reason', `'because'`, CHANGED],
    ['reverses_entry_id', `'aled_01k0dem000e000000000000001'`, CHANGED],
    ['correlation_id', flip('correlation_id'), CHANGED],
    ['server_request_id', flip('server_request_id'), CHANGED],
    ['server_request_id', 'null', CHANGED],
    ['created_at', `created_at + interval '1 millisecond'`, CHANGED],
    ['digest', flipBit('digest'), CHANGED],
    ['hash', flipBit('hash'), 'the hash does not follow from the entry before'],
  ])('a flipped byte in the column %s of an entry is found, and the entry is named', async (column, changed, fault) => {
    const { id: entryId, chain, position } = at(1);
    await app.sql(`update action_ledger_entries set ${column} = ${changed} where id = $1`, [entryId]);

    expect((await verify()).breaks).toEqual([{ chain, position, entryId, fault }]);
  });

  it('created_at cannot store more digits than its digest covers', async () => {
    await app.sql(`update action_ledger_entries set created_at = created_at + interval '400 microseconds'`);

    expect((await verify()).breaks).toEqual([]);
    expect(
      await app.sql(`select from action_ledger_entries where date_part('microseconds', created_at)::int % 1000 <> 0`),
    ).toEqual([]);
  });

  it('a changed entry id is found, because the payload does not belong to it', async () => {
    const { id, chain, position } = at(1);
    await app.sql(`update action_ledger_entries set id = ${flip('id')} where id = $1`, [id]);

    const entryId = expect.not.stringContaining(id);
    expect(await breakOf(chain)).toEqual({ chain, position, entryId, fault: 'the payload is missing' });
  });

  it.each([
    ['chain', '(chain + 1) % 64'],
    ['position', 'position + 100000'],
  ])('a changed %s of an entry is found as a missing entry', async (column, changed) => {
    const { id, chain, position } = at(1);
    await app.sql(`update action_ledger_entries set ${column} = ${changed} where id = $1`, [id]);

    expect(await breakOf(chain)).toEqual({ chain, position, entryId: null, fault: 'the entry is missing' });
  });
});

describe('a changed payload', () => {
  it.each([
    ['before', `replace(before::text, 'Change 2', 'Change Z')::json`, 'the payload was changed'],
    ['after', `replace(after::text, 'Change 3', 'Change Z')::json`, 'the payload was changed'],
    ['after', `(after::text || ' ')::json`, 'the payload was changed'],
    ['before', 'null', 'the payload was changed'],
    ['digest', flipBit('digest'), 'the payload was changed'],
  ])('a changed payload is found: %s := %s', async (column, changed, fault) => {
    const { id: entryId, chain, position } = at(2);
    await app.sql(`update ledger_payloads set ${column} = ${changed} where entry_id = $1`, [entryId]);

    expect((await verify()).breaks).toEqual([{ chain, position, entryId, fault }]);
  });

  it('a changed payload with a matching new digest is found, because the entry contains the old one', async () => {
    const { id: entryId, chain, position } = at(2);
    const erased = `before = null, after = null, digest = sha256('forged')`;
    await app.sql(`update ledger_payloads set ${erased} where entry_id = $1`, [entryId]);

    expect((await verify()).breaks).toEqual([{ chain, position, entryId, fault: 'the entry was changed' }]);
  });

  it('a payload that was removed or moved to another entry is found', async () => {
    const { id: entryId, chain, position } = at(2);
    const missing = { chain, position, entryId, fault: 'the payload is missing' };

    await app.sql('delete from ledger_payloads where entry_id = $1', [entryId]);
    expect((await verify()).breaks).toEqual([missing]);
    await restore();
    await app.sql(`update ledger_payloads set entry_id = 'aled_x' where entry_id = $1`, [entryId]);
    expect((await verify()).breaks).toEqual([missing]);
  });
});

describe('a deleted entry', () => {
  const remove = async ({ id }: Place) => {
    await app.sql('delete from ledger_payloads where entry_id = $1', [id]);
    await app.sql('delete from action_ledger_entries where id = $1', [id]);
  };

  it.each([
    ['the first', 0],
    ['one in the middle', 2],
    ['the last', 3],
  ])('the deletion of %s entry is found', async (_, index) => {
    const { chain, position } = at(index);
    await remove(at(index));

    expect((await verify()).breaks).toEqual([{ chain, position, entryId: null, fault: 'the entry is missing' }]);
  });

  it('a deleted entry is found even if the later ones move up', async () => {
    const { chain, position } = at(2);
    await remove(at(2));
    await app.sql('update action_ledger_entries set position = position - 1 where chain = $1 and position > $2', [
      chain,
      position,
    ]);

    const fault = 'the hash does not follow from the entry before';
    expect((await verify()).breaks).toEqual([{ chain, position, entryId: at(3).id, fault }]);
  });
});

describe('a changed ledger head', () => {
  it('a changed hash of a ledger head is found', async () => {
    const { chain } = at(3);
    await app.sql(`update ledger_heads set hash = ${flipBit('hash')} where chain = $1`, [chain]);

    expect(await breakOf(chain)).toMatchObject({ entryId: null, fault: 'the head is not the last entry' });
  });

  it('a changed position of a ledger head is found', async () => {
    const { chain, id } = at(3);
    await app.sql('update ledger_heads set position = position - 1 where chain = $1', [chain]);
    expect(await breakOf(chain)).toMatchObject({ entryId: id, fault: 'the head does not cover the entry' });

    await app.sql('update ledger_heads set position = position + 2 where chain = $1', [chain]);
    expect(await breakOf(chain)).toMatchObject({ entryId: null, fault: 'the entry is missing' });
  });

  it('a ledger head that is reset to the position and hash of an earlier entry is found', async () => {
    const [last, before] = [at(3), at(2)];
    await app.sql(
      `update ledger_heads head set position = entry.position, hash = entry.hash
       from action_ledger_entries entry where entry.id = $1 and head.chain = entry.chain`,
      [before.id],
    );

    const { chain, position, id: entryId } = last;
    const fault = 'the head does not cover the entry';
    expect((await verify()).breaks).toEqual([{ chain, position, entryId, fault }]);
  });

  it('a deleted ledger head is found', async () => {
    const { chain } = at(3);
    await app.sql('delete from ledger_heads where chain = $1', [chain]);

    const missing = { chain, position: 1, entryId: null, fault: 'the head is missing' };
    expect((await verify()).breaks).toEqual([missing]);
  });
});

it('an entry that was inserted at the end of a chain is found', async () => {
  const { id, chain } = at(3);
  await app.sql(
    `insert into action_ledger_entries select (jsonb_populate_record(null::action_ledger_entries,
       to_jsonb(entry) || jsonb_build_object('id', 'aled_slipped', 'position', head.position + 1))).*
     from action_ledger_entries entry, ledger_heads head where entry.id = $1 and head.chain = entry.chain`,
    [id],
  );

  expect(await breakOf(chain)).toMatchObject({ entryId: 'aled_slipped', fault: 'the head does not cover the entry' });
});

it('`ledger verify` names the first fault of each chain and ends with 1', async () => {
  const other = (
    await app.sql<Place>(
      'select id, chain, position::int from action_ledger_entries where chain <> $1 order by sequence limit 1',
      [at(1).chain],
    )
  )[0];
  for (const place of [at(1), at(2), other]) {
    await app.sql(`update action_ledger_entries set reason = 'because' where id = $1`, [place?.id]);
  }

  const { code, output } = await verifyByCommand();

  expect(code).toBe(1);
  const line = (place?: Place) =>
    `chain ${place?.chain}, position ${place?.position}, ${place?.id}: the entry was changed`;
  const lines = output.trim().split('\n');
  expect(lines.slice(1).sort()).toEqual(
    [
      line(at(1)),
      line(other),
      '2 chains of the action ledger are broken; the list shows the first fault of each',
    ].sort(),
  );
});
