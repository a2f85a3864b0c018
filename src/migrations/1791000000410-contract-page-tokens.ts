import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Links to the pages of contracts. Of a token only its SHA-256 is stored. The table has no entity: rows are inserted, and
 * found by their key, and never changed.
 */
export class ContractPageTokens1791000000410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // No entity: a token is inserted when its mail is sent and only ever looked up by its hash, together with the contract.
    await runner.query(`
      create table contract_page_tokens (
        token_sha256 bytea primary key check (length(token_sha256) = 32),
        contract_id text not null constraint contract_page_tokens_contract references contracts on delete cascade,
        created_at timestamptz not null
      )`);
    await runner.query('create index contract_page_tokens_contract_id on contract_page_tokens (contract_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table contract_page_tokens');
  }
}
