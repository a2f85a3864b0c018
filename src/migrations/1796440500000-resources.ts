import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Guides, vehicles and other resources, and the departures to which they are assigned. */
export class Resources1796440500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table resources (
        id text primary key,
        type text not null check (type ~ '^[a-z_]{1,50}$'),
        name text not null check (length(name) between 1 and 255),
        status text not null check (status in ('active', 'archived')),
        seats integer check (seats between 1 and 100000),
        languages text[] not null,
        ground_operator_id text constraint resources_ground_operator references ground_operators on delete restrict,
        user_id text constraint resources_user references users on delete restrict,
        documents jsonb not null check (jsonb_typeof(documents) = 'array'),
        exclusive boolean not null,
        unavailability jsonb not null check (jsonb_typeof(unavailability) = 'array'),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index resources_name on resources (name, id);
      create index resources_ground_operator_id on resources (ground_operator_id) where ground_operator_id is not null;
      create index resources_user_id on resources (user_id) where user_id is not null`);
    await runner.query(`
      create table resource_assignments (
        id text primary key,
        resource_id text not null references resources on delete restrict,
        departure_id text not null references departures on delete restrict,
        role text check (length(role) between 1 and 100),
        starts_at timestamptz not null,
        ends_at timestamptz not null,
        exclusive boolean not null,
        seats integer check (seats between 1 and 100000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint resource_assignments_time check (ends_at > starts_at),
        constraint resource_assignments_once unique (resource_id, departure_id),
        constraint resource_assignments_overlap
          exclude using gist (resource_id with =, tstzrange(starts_at, ends_at) with &&) where (exclusive)
      );
      create index resource_assignments_departure_id on resource_assignments (departure_id);
      create index resource_assignments_starts_at on resource_assignments (starts_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table resource_assignments, resources');
  }
}
