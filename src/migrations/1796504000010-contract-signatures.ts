import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The evidence of contracts that the other party signs on their page. */
export class ContractSignatures1796504000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they neither sign contracts nor write these columns. An erasure leaves the time and the statement.
    await runner.query(`
      alter table contracts
        add column signed_at timestamptz,
        add column signer_name text,
        add column signed_statement text,
        add column signer_address text,
        add column signer_agent text,
        add constraint contracts_signature check (
          (signed_at is null) = (signed_statement is null)
          and (signed_at is not null or coalesce(signer_name, signer_address, signer_agent) is null)
          and (status <> 'signed' or signed_at is not null)) not valid;
      create function contracts_signature_stays() returns trigger language plpgsql as $$
      begin
        if (old.signed_at, old.signed_statement) is distinct from (new.signed_at, new.signed_statement)
          or new.erased_at is null and (old.signer_name, old.signer_address, old.signer_agent)
            is distinct from (new.signer_name, new.signer_address, new.signer_agent) then
          raise exception 'contract % was signed and its signature stays', old.id using errcode = 'restrict_violation';
        end if;
        return new;
      end $$;
      create trigger contracts_signature_stays before update on contracts
        for each row when (old.signed_at is not null) execute function contracts_signature_stays()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger contracts_signature_stays on contracts;
      drop function contracts_signature_stays;
      alter table contracts
        drop constraint contracts_signature,
        drop column signed_at,
        drop column signer_name,
        drop column signed_statement,
        drop column signer_address,
        drop column signer_agent`);
  }
}
