import type { TableRights } from '../platform/database/service-role.js';

const READ: TableRights = ['select'];
const APPEND: TableRights = ['select', 'insert'];
const CHANGE: TableRights = ['select', 'insert', 'update'];
const DELETE: TableRights = ['select', 'insert', 'update', 'delete'];

/**
 * What the role of the service may do with each table of the schema `public`, if that is not SELECT, INSERT and UPDATE. A new
 * table is added here if its rows are never changed, or are deleted. Nothing needs TRUNCATE.
 */
const RIGHTS: Readonly<Record<string, TableRights>> = {
  // Written by migrations.
  migrations: READ,
  migration_checksums: READ,
  schema_compatibility: READ,
  typeorm_metadata: READ,

  // Written by the function ledger_append, which runs with the rights of the owner.
  action_ledger_entries: READ,
  ledger_heads: READ,
  // A trigger permits the erasure of both sides, and nothing else.
  ledger_payloads: ['select', 'update (before)', 'update (after)'],
  ledger_reversals: [
    'select',
    'insert',
    'update (state)',
    'update (outcome)',
    'update (attempts)',
    'update (failure)',
    'update (finished_at)',
  ],

  rejected_logins_recorded: ['select', 'update'],

  ledger_erasures: APPEND,
  ledger_checkpoints: APPEND,
  vault_audit: APPEND,
  allotment_movements: APPEND,
  invoice_issuers: APPEND,
  exchange_rates: APPEND,
  accounting_period_figures: ['select', 'insert', 'delete'],
  booking_item_history: APPEND,
  booking_status_history: APPEND,
  invoice_tax_lines: APPEND,
  payment_allocations: APPEND,
  payment_schedule_history: APPEND,
  document_date_releases: APPEND,
  supplier_invoice_history: APPEND,
  trip_component_events: APPEND,

  // Retention, expiry, and rows that a person may delete.
  account_links: DELETE,
  catalog_document: DELETE,
  catalog_search_document: DELETE,
  catalog_search_index: DELETE,
  catalog_search_lease: DELETE,
  catalog_search_stem: DELETE,
  catalog_search_value: DELETE,
  catalog_search_vector: DELETE,
  catalog_search_vector_index: DELETE,
  catalog_search_word: DELETE,
  catalog_synonym: DELETE,
  daily_budgets: DELETE,
  device_tokens: DELETE,
  disk_probes: DELETE,
  failure_limits: DELETE,
  idempotency_keys: DELETE,
  installment_reductions: DELETE,
  invoice_lines: DELETE,
  invoice_number_counters: DELETE,
  invoice_number_series: DELETE,
  invoices: DELETE,
  login_challenges: DELETE,
  number_gaps: DELETE,
  oauth_access_tokens: DELETE,
  outbox_events: DELETE,
  policy_rules: DELETE,
  realtime_channels: DELETE,
  realtime_messages: DELETE,
  recovery_codes: DELETE,
  review_source_names: DELETE,
  second_factors: DELETE,
  security_events: ['select', 'insert', 'delete'],
  service_keys: DELETE,
  staff_sessions: DELETE,
  supplier_invoice_lines: DELETE,
  tax_code_rates: DELETE,
  tax_codes: DELETE,
};

/** The rights of the service's role on a table. The job queue changes and deletes its own rows. */
export function serviceRightsOf({ schema, name }: { schema: string; name: string }): TableRights {
  if (schema === 'graphile_worker') return name === 'migrations' ? READ : DELETE;
  return (Object.hasOwn(RIGHTS, name) ? RIGHTS[name] : undefined) ?? CHANGE;
}
