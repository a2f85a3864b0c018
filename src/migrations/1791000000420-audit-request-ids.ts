import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Clients choose their `X-Request-Id` and can repeat it, so audit records also have an id that the service generated. It is
 * null in earlier records. In the ledger it is part of the digest of an entry, unless it is null.
 */
export class AuditRequestIds1791000000420 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['action_ledger_entries', 'vault_audit', 'security_events']) {
      await runner.query(`
        alter table ${table}
        add column server_request_id text check (length(server_request_id) between 1 and 128)`);
    }
    await this.replaceAppend(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.restoreAppend(runner);
    // Entries that were written with the column no longer match their digest; the earlier build reports them.
    for (const table of ['security_events', 'vault_audit', 'action_ledger_entries']) {
      await runner.query(`alter table ${table} drop column server_request_id`);
    }
  }

  private async replaceAppend(runner: QueryRunner): Promise<void> {
    await runner.query('drop function ledger_append');
    await runner.query(`
      create function ledger_append(
        ids text[], chains smallint[], actions text[], subject_types text[], subject_ids text[], actor_types text[],
        actor_ids text[], reasons text[], reverses text[], correlation_ids text[], server_request_ids text[],
        created timestamptz[],
        texts_before_sequence text[], texts_after_sequence text[], befores text[], afters text[], payload_digests bytea[]
      ) returns void language plpgsql as $$
      declare
        n int;
        head ledger_heads;
        next_sequence bigint;
        entry_digest bytea;
      begin
        for n in select i from generate_subscripts(ids, 1) as i order by chains[i], i loop
          select * into strict head from ledger_heads where chain = chains[n] for no key update;
          next_sequence := nextval('action_ledger_entries_sequence_seq');
          entry_digest := sha256(
            convert_to(texts_before_sequence[n] || next_sequence || texts_after_sequence[n], 'UTF8')
          );
          update ledger_heads set position = head.position + 1, hash = sha256(head.hash || entry_digest)
          where chain = head.chain returning * into strict head;
          insert into action_ledger_entries (
            sequence, id, action, subject_type, subject_id, actor_type, actor_id, reason, reverses_entry_id,
            correlation_id, server_request_id, created_at, chain, position, digest, hash
          ) overriding system value values (
            next_sequence, ids[n], actions[n], subject_types[n], subject_ids[n], actor_types[n], actor_ids[n],
            reasons[n], reverses[n], correlation_ids[n], server_request_ids[n],
            created[n], head.chain, head.position, entry_digest, head.hash
          );
          insert into ledger_payloads (entry_id, before, after, digest)
          values (ids[n], befores[n]::json, afters[n]::json, payload_digests[n]);
        end loop;
      end $$`);
  }

  private async restoreAppend(runner: QueryRunner): Promise<void> {
    await runner.query('drop function ledger_append');
    await runner.query(`
      create function ledger_append(
        ids text[], chains smallint[], actions text[], subject_types text[], subject_ids text[], actor_types text[],
        actor_ids text[], reasons text[], reverses text[], correlation_ids text[], created timestamptz[],
        texts_before_sequence text[], texts_after_sequence text[], befores text[], afters text[], payload_digests bytea[]
      ) returns void language plpgsql as $$
      declare
        n int;
        head ledger_heads;
        next_sequence bigint;
        entry_digest bytea;
      begin
        for n in select i from generate_subscripts(ids, 1) as i order by chains[i], i loop
          select * into strict head from ledger_heads where chain = chains[n] for no key update;
          next_sequence := nextval('action_ledger_entries_sequence_seq');
          entry_digest := sha256(
            convert_to(texts_before_sequence[n] || next_sequence || texts_after_sequence[n], 'UTF8')
          );
          update ledger_heads set position = head.position + 1, hash = sha256(head.hash || entry_digest)
          where chain = head.chain returning * into strict head;
          insert into action_ledger_entries (
            sequence, id, action, subject_type, subject_id, actor_type, actor_id, reason, reverses_entry_id,
            correlation_id, created_at, chain, position, digest, hash
          ) overriding system value values (
            next_sequence, ids[n], actions[n], subject_types[n], subject_ids[n], actor_types[n], actor_ids[n],
            reasons[n], reverses[n], correlation_ids[n], created[n], head.chain, head.position, entry_digest, head.hash
          );
          insert into ledger_payloads (entry_id, before, after, digest)
          values (ids[n], befores[n]::json, afters[n]::json, payload_digests[n]);
        end loop;
      end $$`);
  }
}
