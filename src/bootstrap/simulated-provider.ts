import type { OwnerQuery } from '../platform/database/service-role.js';

/** The role may lack the right to create schemas. */
const IS_MISSING = `
  select where to_regclass('simulated_provider.orders') is null
    and has_database_privilege(current_database(), 'create')`;

/** `fee_cents` is charged for the cancellation; only tests set it. */
const CREATE = `
  create schema if not exists simulated_provider;
  create table simulated_provider.orders (
    key text primary key,
    ref text,
    quantity integer not null check (quantity > 0),
    state text not null check (state in ('held', 'confirmed', 'released', 'cancelled')),
    holds integer not null check (holds >= 0),
    cancels integer not null default 0 check (cancels >= 0),
    fee_cents bigint not null default 0 check (fee_cents >= 0),
    expires_at timestamptz not null
  );
  create index orders_ref on simulated_provider.orders (ref);
  grant usage on schema simulated_provider to public;
  grant select, insert, update on simulated_provider.orders to public`;

/**
 * Creates the storage of the simulated provider, outside production. It represents the system of another company, so it is not
 * part of the migrated schema.
 */
export async function createSimulatedProvider(query: OwnerQuery): Promise<void> {
  const missing = (await query(IS_MISSING)) as unknown[];
  if (missing.length > 0) await query(CREATE);
}
