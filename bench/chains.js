import pg from 'pg';
import { measure } from './measure.js';

/*
 * The cost of the ledger's chains for writes to different subjects: the same requests while `ledger_append` locks and updates
 * a head for each entry, and while it only inserts the entry. Both are measured twice, alternately, because the load of the
 * machine changes.
 */
const WITHOUT_HEADS = `
  declare
    n int;
    next_sequence bigint;
    entry_digest bytea;
  begin
    for n in select i from generate_subscripts(ids, 1) as i order by chains[i], i loop
      next_sequence := nextval('action_ledger_entries_sequence_seq');
      entry_digest := sha256(convert_to(texts_before_sequence[n] || next_sequence || texts_after_sequence[n], 'UTF8'));
      insert into action_ledger_entries (
        sequence, id, action, subject_type, subject_id, actor_type, actor_id, reason, reverses_entry_id,
        correlation_id, created_at, chain, position, digest, hash
      ) overriding system value values (
        next_sequence, ids[n], actions[n], subject_types[n], subject_ids[n], actor_types[n], actor_ids[n],
        reasons[n], reverses[n], correlation_ids[n], created[n], chains[n], 1000000000000 + next_sequence, entry_digest,
        sha256(entry_digest)
      );
      insert into ledger_payloads (entry_id, before, after, digest)
      values (ids[n], befores[n]::json, afters[n]::json, payload_digests[n]);
    end loop;
  end `;

/** Requests per second with and without the chains. Afterwards the chains are broken, so this case is the last one. */
export async function measureChains(world, { url, request, seconds }) {
  const client = new pg.Client({ connectionString: world.env.MIGRATION_DATABASE_URL });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select pg_get_functiondef(oid) as text, prosrc as body from pg_proc where proname = 'ledger_append'`,
    );
    const { text, body } = rows[0];
    const rates = { with: 0, without: 0 };
    for (let turn = 0; turn < 2; turn += 1) {
      rates.with += (await rateOf(url, request, seconds)) / 2;
      await client.query(text.replace(body, () => WITHOUT_HEADS));
      rates.without += (await rateOf(url, request, seconds)) / 2;
      await client.query(text);
    }
    return rates;
  } finally {
    await client.end();
  }
}

/** Rejections are fast, so a rate that includes some is meaningless. */
async function rateOf(url, request, seconds) {
  const { rate, failed } = await measure(url, request, { seconds });
  if (failed > 0) throw new Error(`${failed} requests failed`);
  return rate;
}
