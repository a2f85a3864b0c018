import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Connections of resellers that call the OCTO surface. */
export class OctoConnections1796511000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table octo_connections (
        id text primary key,
        name text not null,
        channel_id text not null references channels on delete restrict,
        operator_id text constraint octo_connections_operator references operators on delete restrict,
        oauth_client_id text constraint octo_connections_client references oauth_clients on delete restrict,
        api_token_id text constraint octo_connections_key references api_tokens on delete restrict,
        catalogue text not null check (catalogue in ('all', 'listed')),
        product_ids text[] not null,
        pool_policy text not null check (pool_policy in ('allotment_only', 'allotment_then_pool')),
        settlement text not null check (settlement in ('net', 'commission')),
        commission_basis_points integer not null check (commission_basis_points between 0 and 10000),
        show_net boolean not null,
        hold_minutes integer not null,
        max_hold_minutes integer not null,
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint octo_connections_subject check (num_nonnulls(operator_id, oauth_client_id, api_token_id) = 1),
        constraint octo_connections_holds check (
          hold_minutes >= 1 and hold_minutes <= max_hold_minutes and max_hold_minutes <= 240
        )
      )`);
    const subjects = ['operator_id', 'oauth_client_id', 'api_token_id'];
    for (const column of subjects) {
      await runner.query(
        `create unique index octo_connections_${column} on octo_connections (${column}) where active and ${column} is not null`,
      );
    }
    await runner.query('create index octo_connections_channel_id on octo_connections (channel_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table octo_connections');
  }
}
