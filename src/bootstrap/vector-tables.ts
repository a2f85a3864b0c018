import type { OwnerQuery } from '../platform/database/service-role.js';

/**
 * Requires pgvector 0.8, which continues the scan of an index until enough rows match the filters. The role may lack the right
 * to create tables.
 */
const ARE_MISSING = `
  select from pg_extension
  where extname = 'vector' and string_to_array(substring(extversion from '^\\d+\\.\\d+'), '.')::int[] >= array[0, 8]
    and to_regclass('public.catalog_search_vector') is null and has_schema_privilege('public', 'create')`;

/**
 * The vectors of SEARCH_ADAPTER=postgres (docs/adr/0029), which are derived from the vectors of `catalog_embedding`. Vectors of
 * several models may have different lengths; an HNSW index has one, so each length has its own index. The service must not
 * create indexes; the function does so with the rights of the owner, before there is a row of that length.
 */
const CREATE = `
  create table catalog_search_vector (
    index_id bigint not null,
    id text collate "C" not null,
    embedding halfvec not null,
    primary key (index_id, id)
  );
  create table catalog_search_vector_index (
    index_id bigint primary key,
    model text not null,
    dimensions integer check (dimensions > 0),
    floor double precision not null,
    documents bigint not null default 0 check (documents >= 0),
    documents_at_floor bigint not null default 0
  );
  create function catalog_search_index_vectors(dimensions integer) returns void language plpgsql
  security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
      if dimensions not between 1 and 4000 or to_regclass(format('catalog_search_vector_%s', dimensions)) is not null then
        return;
      end if;
      execute format(
        'create index catalog_search_vector_%1$s on catalog_search_vector
           using hnsw ((embedding::halfvec(%1$s)) halfvec_ip_ops) where vector_dims(embedding) = %1$s',
        dimensions);
    end
  $$;
  revoke execute on function catalog_search_index_vectors from public`;

/**
 * Creates the tables that require pgvector. They are not part of a migration, because the extension may be installed after all
 * migrations have run.
 */
export async function createVectorTables(query: OwnerQuery): Promise<void> {
  const missing = (await query(ARE_MISSING)) as unknown[];
  if (missing.length > 0) await query(CREATE);
}
