import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The role manager; invitations and password resets by one-time link. No secret of a link is stored: its token is the MAC
 * of the id of its row. The open link of an invitation, or of a user's password reset, is the only one.
 */
export class Accounts1791000000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.checkRoles(runner, ['owner', 'manager', 'finance', 'operations', 'sales', 'viewer']);
    await runner.query(`
      alter table users
        add column language text check (length(language) <= 35 and language ~ '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$'),
        add column password_change_required boolean not null default false`);
    await runner.query(`
      create table invitations (
        id text primary key,
        email text not null check (length(email) between 3 and 255),
        name text not null check (length(name) between 1 and 120),
        roles text[] not null check (
          cardinality(roles) between 1 and 6
          and roles <@ array['owner', 'manager', 'finance', 'operations', 'sales', 'viewer']
        ),
        status text not null check (status in ('pending', 'accepted', 'revoked')),
        invited_by text references users (id),
        user_id text unique references users (id),
        expires_at timestamptz not null check (expires_at > created_at),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint invitations_accepted check ((status = 'accepted') = (user_id is not null))
      )`);
    await runner.query(
      `create unique index invitations_pending_email on invitations (lower(email)) where status = 'pending'`,
    );
    await runner.query('create index invitations_created_at on invitations (created_at, id)');
    await runner.query(`
      create table account_links (
        id text primary key,
        purpose text not null check (purpose in ('invitation', 'password_reset')),
        invitation_id text references invitations (id) check ((purpose = 'invitation') = (invitation_id is not null)),
        user_id text references users (id) check ((purpose = 'password_reset') = (user_id is not null)),
        created_at timestamptz not null,
        expires_at timestamptz not null check (expires_at > created_at),
        ended_at timestamptz
      )`);
    await runner.query(
      'create unique index account_links_open_invitation on account_links (invitation_id) where ended_at is null',
    );
    await runner.query(
      'create unique index account_links_open_reset on account_links (user_id) where ended_at is null',
    );
    await runner.query('create index account_links_user_id on account_links (user_id, created_at)');
    await runner.query('create index account_links_expires_at on account_links (expires_at)');
  }

  /** A manager keeps as much as the older roles can express. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table account_links, invitations');
    await runner.query('alter table users drop column language, drop column password_change_required');
    await runner.query(`
      update users set roles = (
        select array_agg(distinct role)
        from unnest(array_remove(roles, 'manager') || array['finance', 'operations', 'sales', 'viewer']) as role)
      where 'manager' = any (roles)`);
    await this.checkRoles(runner, ['owner', 'finance', 'operations', 'sales', 'viewer']);
  }

  private async checkRoles(runner: QueryRunner, roles: readonly string[]): Promise<void> {
    const list = roles.map((role) => `'${role}'`).join(', ');
    await runner.query('alter table users drop constraint users_roles_check');
    await runner.query(`
      alter table users add constraint users_roles_check check (
        cardinality(roles) between 1 and ${roles.length} and roles <@ array[${list}]
      )`);
  }
}
