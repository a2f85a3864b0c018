import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets a transaction fail on the server if the credential of its caller has ended. Processes cache verified credentials for a
 * second, in which another process can have ended one.
 */
export class LiveCallers1795804000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function require_live_caller(kind text, credential text, moment timestamptz)
      returns int language plpgsql stable as $$
        begin
          if kind = 'user' then
            perform from staff_sessions s join users u on u.id = s.user_id
            where s.id = credential and s.ended_at is null and s.expires_at > moment and u.active;
          elsif kind = 'api_key' then
            perform from api_tokens t
              left join users u on u.id = t.user_id
              left join operators o on o.id = t.operator_id
            where t.id = credential and t.revoked_at is null and (t.expires_at is null or t.expires_at > moment)
              and (t.user_id is null or u.active) and (t.operator_id is null or o.status = 'active');
          else
            perform from oauth_access_tokens t
              join oauth_clients c on c.id = t.client
              join operators o on o.id = c.operator_id
              left join operator_grants g on g.id = c.grant_id
              left join oauth_client_secrets s on s.id = t.secret
            where t.public_id = credential and t.revoked_at is null and t.expires_at > moment
              and c.active and (c.expires_at is null or c.expires_at > moment) and o.status = 'active'
              and (c.grant_id is null or (g.status = 'active' and (g.expires_at is null or g.expires_at > moment)))
              and s.revoked_at is null;
          end if;
          if not found then
            raise exception 'The credential of the caller has ended'
              using errcode = 'assert_failure', constraint = 'live_caller';
          end if;
          return 1;
        end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function require_live_caller');
  }
}
