import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the personal data of a contract or trip was erased. The erasure is the only change that an issued contract allows: it
 * empties the title and the text, whose digest stays.
 */
export class ContractAndTripRetention1791000000820 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table contracts
        add column erased_at timestamptz,
        drop constraint contracts_issued_digest,
        add constraint contracts_issued_digest check (
          case when issued_at is null then body_sha256 is null
          else body_sha256 is not null
            and (erased_at is not null or body_sha256 = encode(sha256(convert_to(body, 'UTF8')), 'hex')) end
        ),
        add constraint contracts_erased check (
          erased_at is null or (body = '' and num_nonnulls(recipient_name, recipient_email, metadata) = 0)
        )`);
    await runner.query('create index contracts_kept on contracts (updated_at) where erased_at is null');
    await runner.query(`
      create or replace function contracts_stay_frozen() returns trigger language plpgsql as $$
      begin
        if old.issued_at is null then
          return case when tg_op = 'DELETE' then old else new end;
        elsif tg_op = 'DELETE' then
          raise exception 'contract % was issued and stays', old.id using errcode = 'restrict_violation';
        elsif (old.body_sha256, old.contract_number, old.language, old.issued_at)
          is distinct from (new.body_sha256, new.contract_number, new.language, new.issued_at)
          or (old.erased_at is not null and new.erased_at is distinct from old.erased_at)
          or ((old.title, old.body) is distinct from (new.title, new.body)
            and not (old.erased_at is null and new.erased_at is not null)) then
          raise exception 'contract % was issued and its text and number stay', old.id
            using errcode = 'restrict_violation';
        end if;
        return new;
      end $$`);
    await runner.query('alter table trip_envelopes add column erased_at timestamptz');
    await runner.query('create index trip_envelopes_kept on trip_envelopes (id) where erased_at is null');
  }

  /** Texts that were erased cannot come back: their contracts would violate the constraint of the earlier build. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index trip_envelopes_kept, contracts_kept');
    await runner.query('alter table trip_envelopes drop column erased_at');
    await runner.query(`
      create or replace function contracts_stay_frozen() returns trigger language plpgsql as $$
      begin
        if old.issued_at is null then
          return case when tg_op = 'DELETE' then old else new end;
        elsif tg_op = 'DELETE' then
          raise exception 'contract % was issued and stays', old.id using errcode = 'restrict_violation';
        elsif (old.title, old.body, old.body_sha256, old.contract_number, old.language, old.issued_at)
          is distinct from (new.title, new.body, new.body_sha256, new.contract_number, new.language, new.issued_at) then
          raise exception 'contract % was issued and its text and number stay', old.id
            using errcode = 'restrict_violation';
        end if;
        return new;
      end $$`);
    await runner.query(`
      alter table contracts
        drop constraint contracts_erased,
        drop constraint contracts_issued_digest,
        drop column erased_at,
        add constraint contracts_issued_digest check (
          case when issued_at is null then body_sha256 is null
          else body_sha256 is not null and body_sha256 = encode(sha256(convert_to(body, 'UTF8')), 'hex') end
        )`);
  }
}
