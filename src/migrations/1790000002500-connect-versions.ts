import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Operators and grants have endpoints now, and so versions. Access tokens know by which secret they were issued: they end
 * with it. Those that were there before know none; they are over within the hour.
 */
export class ConnectVersions1790000002500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['operators', 'operator_grants']) {
      await runner.query(`alter table ${table} add version integer not null default 1 check (version > 0)`);
    }
    await runner.query('create index operator_grants_created_at on operator_grants (operator_id, created_at, id)');
    await runner.query('alter table oauth_client_secrets add unique (id, client)');
    await runner.query('alter table oauth_access_tokens add secret text');
    await runner.query(`
      alter table oauth_access_tokens add foreign key (secret, client) references oauth_client_secrets (id, client)`);
    await runner.query('create index oauth_access_tokens_secret on oauth_access_tokens (secret)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table oauth_access_tokens drop secret');
    await runner.query('alter table oauth_client_secrets drop constraint oauth_client_secrets_id_client_key');
    await runner.query('drop index operator_grants_created_at');
    for (const table of ['operators', 'operator_grants']) await runner.query(`alter table ${table} drop version`);
  }
}
