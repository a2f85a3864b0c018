import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Credentials that were created with another credential are revoked with it: API tokens with a token, OAuth clients with a
 * client or, if that is requested, with a platform key. Which credential created the existing ones is not known.
 */
export class DerivedCredentials1791000000330 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table api_tokens add parent_id text references api_tokens (id),
        add check (parent_id is null or kind = 'staff');
      create index api_tokens_parent_id on api_tokens (parent_id) where parent_id is not null`);
    await runner.query(`
      alter table oauth_clients add parent_client text references oauth_clients (id),
        add parent_key text references api_tokens (id),
        add check (num_nonnulls(parent_client, parent_key) <= 1);
      create index oauth_clients_parent_client on oauth_clients (parent_client) where parent_client is not null;
      create index oauth_clients_parent_key on oauth_clients (parent_key) where parent_key is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table oauth_clients drop parent_client, drop parent_key');
    await runner.query('alter table api_tokens drop parent_id');
  }
}
