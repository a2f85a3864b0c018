-- The roles of one database, each with the least rights. Run it once, in the new and empty database, as a superuser or as the
-- administrator of a managed server; running it again changes nothing:
--
--   createdb travel
--   psql --dbname travel --single-transaction --set ON_ERROR_STOP=1 --file deploy/sql/roles.sql
--
-- The roles have no passwords yet: set them in psql with \password travel_owner, and so on. Then `platform migrate` with
-- MIGRATION_DATABASE_URL of travel_owner and DATABASE_URL of travel_service creates the tables, and grants travel_service
-- what entities and tables declare (@Rights, declareTables). Nothing else has to be granted.

do $$
declare
  role text;
begin
  foreach role in array array['travel_owner', 'travel_service', 'travel_backup', 'travel_monitoring'] loop
    if not exists (select from pg_roles where rolname = role) then
      execute format('create role %I login', role);
    end if;
  end loop;
end
$$;

-- An administrator who is no superuser can make only roles the owner of something that it is a member of.
do $$
begin
  if not (select rolsuper from pg_roles where rolname = current_user)
    and not pg_has_role(current_user, 'travel_owner', 'usage')
  then
    execute format('grant travel_owner to %I', current_user);
  end if;
end
$$;

-- By default every role of the server may connect to a database and create temporary tables in it.
do $$
begin
  execute format('alter database %I owner to travel_owner', current_database());
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to travel_service, travel_backup, travel_monitoring', current_database());
end
$$;
alter schema public owner to travel_owner;
revoke all on schema public from public;

create extension if not exists btree_gist;
create extension if not exists pg_trgm;
create extension if not exists unaccent;
-- Only for searches by meaning with SEARCH_ADAPTER=postgres, on a server that has pgvector 0.8 or newer:
-- create extension if not exists vector;

-- travel_owner owns all tables and functions. Only migrations use it, so its password is not part of the service's environment.

-- travel_service owns nothing. Functions of the extensions and its tables are in the schema public. The limits are those that
-- the service sets on its own connections, and which a pooler ignores. Behind a pooler the server also has to notice that a
-- client is gone during a statement.
grant usage on schema public to travel_service;
do $$
begin
  execute format('alter role travel_service in database %I set statement_timeout = ''5s''', current_database());
  execute format('alter role travel_service in database %I set lock_timeout = ''2s''', current_database());
  execute format(
    'alter role travel_service in database %I set idle_in_transaction_session_timeout = ''10s''', current_database());
  execute format(
    'alter role travel_service in database %I set client_connection_check_interval = ''1s''', current_database());
end
$$;

-- travel_backup reads every table of this database, for backups (BACKUP_DATABASE_URL), also those that later migrations create.
grant usage on schema public to travel_backup;
grant select on all tables in schema public to travel_backup;
grant select on all sequences in schema public to travel_backup;
alter default privileges for role travel_owner grant usage on schemas to travel_backup;
alter default privileges for role travel_owner grant select on tables to travel_backup;
alter default privileges for role travel_owner grant select on sequences to travel_backup;
do $$
begin
  execute format('alter role travel_backup in database %I set default_transaction_read_only = on', current_database());
end
$$;
-- It also records that a backup was made. The migration that creates the function grants this too.
do $$
begin
  if to_regprocedure('public.record_backup(timestamptz)') is not null then
    grant execute on function public.record_backup to travel_backup;
  end if;
end
$$;
-- The tables of the job queue have row security.
do $$
begin
  if not (select rolbypassrls from pg_roles where rolname = 'travel_backup') then
    alter role travel_backup bypassrls;
  end if;
exception when insufficient_privilege then
  raise warning 'travel_backup cannot read the tables of the job queue: run backups as travel_owner on this server';
end
$$;

-- travel_monitoring reads statistics and settings of the server, for an exporter, and no table of the service.
do $$
begin
  if not pg_has_role('travel_monitoring', 'pg_monitor', 'member') then
    grant pg_monitor to travel_monitoring;
  end if;
exception when insufficient_privilege then
  raise warning 'travel_monitoring sees no statistics of other roles: grant it pg_monitor as a superuser';
end
$$;
alter role travel_monitoring connection limit 5;
do $$
begin
  execute format('alter role travel_monitoring in database %I set default_transaction_read_only = on', current_database());
  execute format('alter role travel_monitoring in database %I set statement_timeout = ''5s''', current_database());
end
$$;
