import { DELETE, READ, declareTables } from './table-declarations.js';

declareTables({
  daily_budgets: { rights: DELETE, impersonal: ['name', 'subject'] },
  disk_probes: { rights: DELETE, impersonal: ['content'] },
  failure_limits: { rights: DELETE, impersonal: ['subject'] },
  idempotency_keys: {
    rights: DELETE,
    personal: { replay: ['sealed_answer'] },
    impersonal: ['principal', 'fingerprint'],
  },
  installation_steps: { impersonal: ['step'] },
  invoices: { personal: { accounting: ['search_text'] } },
  last_backup: { rights: READ },
  migration_checksums: { rights: READ, impersonal: ['name', 'checksum'] },
  migrations: { rights: READ, impersonal: ['name'] },
  outbox_events: { rights: DELETE, impersonal: ['data'] },
  row_counts: { impersonal: ['relation', 'part'] },
  schema_compatibility: { rights: READ },
  service_keys: { rights: DELETE, impersonal: ['use'] },
  typeorm_metadata: { rights: READ, impersonal: ['database', 'schema', 'table', 'name', 'value'] },
});
