interface DataClass {
  content: string;
  purpose: string;
  kept: string;
  /** What deletes it after its retention period. */
  deletedBy: string;
}

/** The classes of personal data, with the periods for which they are kept. */
const CLASSES = {
  accounting: {
    content: 'payers of invoices, recipients of commissions, references of payments, supplier invoices',
    purpose: 'bookkeeping and taxes',
    kept: 'end of the year + 10 years (`ACCOUNTING_RETENTION_YEARS`)',
    deletedBy:
      'the job `action-ledger.retention` erases the snapshots of the records; nothing deletes the records: the first period ends with the year 2036, and issued invoices are frozen by triggers until then',
  },
  contract: {
    content: 'customers and notes of bookings, recipients and texts of contracts',
    purpose: 'performing and proving a contract',
    kept: 'last service + 3 years (`CONTRACT_RETENTION_MONTHS`)',
    deletedBy:
      'the job `bookings.retention` replaces name, address and free texts of a booking and of its contracts; `legal.contracts.retention` does so for contracts without a booking, after their last change and expiry',
  },
  contact: {
    content: 'titles, parties and reasons of trips',
    purpose: 'planning a trip before it is booked',
    kept: 'last contact + 3 years (`CONTACT_RETENTION_MONTHS`)',
    deletedBy: 'the job `trips.retention`; a booked trip follows its booking',
  },
  messages: {
    content: 'recipient, subject and text of e-mails',
    purpose: 'sending, and answering questions about what was sent',
    kept: '24 months (`MESSAGE_RETENTION_MONTHS`)',
    deletedBy: 'the job `notifications.messages.retention`; id, kind, times and outcome stay',
  },
  partner: {
    content: 'names and contacts of channels, ground operators, suppliers and facilities',
    purpose: 'working with a business partner',
    kept: 'as long as the business relation',
    deletedBy: 'staff, by changing or deleting the record',
  },
  account: {
    content: 'name, e-mail address and password hash of staff and invited people, names of their tokens',
    purpose: 'access to the service',
    kept: 'as long as the account, and then as long as the ledger refers to it',
    deletedBy: 'staff deactivate accounts; the ledger keeps the user id',
  },
  company: {
    content: 'addresses, telephone numbers and bank accounts of the company itself',
    purpose: 'naming the seller on documents',
    kept: 'as long as the company uses the service; copies on invoices as long as those',
    deletedBy: 'staff, by changing the profile',
  },
  security: {
    content: 'network address and user agent of logins and changes of credentials',
    purpose: 'detecting and investigating misuse of accounts',
    kept: '90 days',
    deletedBy: 'the job `identity.security-events.purge`',
  },
  ledger: {
    content: 'snapshots of records before and after each change, and the reason that staff gave',
    purpose: 'proving who changed what',
    kept: 'as the record that was changed, at most end of the year + 10 years (`ACCOUNTING_RETENTION_YEARS`)',
    deletedBy:
      'the jobs that erase bookings, contracts and trips, with the record; the job `action-ledger.retention`; earlier `platform ledger erase`. Each leaves the digest and records the erasure',
  },
  replay: {
    content: 'responses to requests with an `Idempotency-Key`, encrypted',
    purpose: 'answering a repeated request',
    kept: '24 hours',
    deletedBy: 'the job `platform.idempotency.purge`',
  },
  published: {
    content: 'messages that partners publish; events of the service itself contain ids only',
    purpose: 'delivery to subscribers',
    kept: '72 hours, at most 10,000 messages of a channel',
    deletedBy: 'the job `realtime.retention`',
  },
} as const satisfies Record<string, DataClass>;

type ClassName = keyof typeof CLASSES | 'impersonal';

/**
 * The class of each column that can hold text or bytes, by table. A test compares it with the migrated database: a new
 * column has a class, or is declared impersonal because it contains ids, codes, hashes, keys or texts about no person.
 */
export const COLUMN_CLASSES: Record<string, Partial<Record<ClassName, string>>> = {
  account_links: { impersonal: 'id purpose invitation_id user_id' },
  accounting_period_figures: { impersonal: 'period name currency' },
  accounting_periods: { impersonal: 'period status closed_by filed_by filing_reference' },
  action_ledger_entries: {
    ledger: 'reason',
    impersonal:
      'id action subject_type subject_id actor_type actor_id reverses_entry_id correlation_id server_request_id digest hash',
  },
  allotment_movements: { impersonal: 'id slot_id kind cause booking_item_id' },
  allotment_release_steps: { impersonal: 'allotment_id' },
  allotment_slots: { impersonal: 'id allotment_id departure_id time_zone' },
  allotments: { impersonal: 'id channel_id product_id type release_mode unsold_action notes' },
  api_tokens: { account: 'name', impersonal: 'id kind public_id secret_hash scopes user_id parent_id operator_id' },
  booking_item_history: { impersonal: 'item_id tax_code_id cost_currency' },
  booking_items: {
    contract: 'title cancel_reason',
    impersonal:
      'id booking_id currency type status cost_currency pricing_treatment departure_id allotment_id supplier_status tax_code_id tax_code tax_kind fee_of_item_id',
  },
  booking_status_history: { impersonal: 'booking_id status' },
  bookings: {
    contract: 'customer_name customer_email notes cancel_reason search_text',
    impersonal: 'id number status currency payment_policy channel_id terms terms_sha256',
  },
  cancellation_settlements: {
    accounting: 'fee_reason',
    impersonal:
      'id booking_id currency status initiator lines warnings outcome plan_before fee_schedule_id fee_invoice_id refund_id',
  },
  catalog_document: { impersonal: 'id fields content_hash' },
  catalog_embedding: { impersonal: 'content_hash model vector' },
  catalog_reindex: { impersonal: 'id status embeddings slice_ids' },
  catalog_search_document: { impersonal: 'id keys bounds words fields' },
  catalog_search_index: { impersonal: 'revision' },
  catalog_search_lease: { impersonal: 'owner' },
  catalog_search_stem: { impersonal: 'lexeme' },
  catalog_search_value: { impersonal: 'kind value' },
  catalog_search_vector: { impersonal: 'id embedding' },
  catalog_search_vector_index: { impersonal: 'model' },
  catalog_search_word: { impersonal: 'surface stem variants' },
  catalog_slice: { impersonal: 'vertical locale market embedding_model' },
  catalog_synonym: { impersonal: 'id language input terms' },
  channels: {
    partner: 'name description website contact_name contact_email metadata',
    impersonal: 'id kind status system_key',
  },
  commission_lines: {
    accounting: 'recipient_name payout_reference void_reason notes',
    impersonal:
      'id booking_id booking_item_id currency recipient_type recipient_id channel_id commission_model basis payable_trigger status reverses_id adjust_reason',
  },
  connector_providers: { impersonal: 'key name description capabilities application_form_schema operator_id' },
  contract_page_tokens: { impersonal: 'token_sha256 contract_id' },
  contracts: {
    contract: 'title body recipient_name recipient_email metadata void_reason search_text',
    impersonal: 'id status contract_number body_sha256 language scope public_id booking_id',
  },
  daily_budgets: { impersonal: 'name subject' },
  departures: { impersonal: 'id product_id time_zone currency facility_id status tax_code_id cutoff' },
  device_tokens: { impersonal: 'id user_id token_hash' },
  disk_probes: { impersonal: 'content' },
  document_date_releases: { accounting: 'reason', impersonal: 'invoice_id series_id period_key' },
  exchange_rates: { impersonal: 'id from_currency to_currency source' },
  facilities: {
    partner: 'description address_line1 address_line2',
    impersonal:
      'id name code kind status parent_facility_id time_zone address_city address_region address_postal_code address_country tags',
  },
  failure_limits: { impersonal: 'subject' },
  finance_settings: { impersonal: 'id base_currency cancellation_fee_tax' },
  ground_operators: {
    partner: 'name contact_name contact_email contact_phone license_number notes',
    impersonal: 'id code facility_id service_areas time_zone',
  },
  idempotency_keys: { replay: 'sealed_answer', impersonal: 'principal key fingerprint token' },
  installation_steps: { impersonal: 'step' },
  integrity_report: { impersonal: 'checks' },
  invitations: { account: 'email name', impersonal: 'id roles status invited_by user_id' },
  installment_reductions: { impersonal: 'booking_item_id schedule_id' },
  invoice_issuers: { accounting: 'issuer', impersonal: 'invoice_id' },
  invoice_lines: {
    accounting: 'description',
    impersonal: 'invoice_id booking_item_id price_basis tax_code_id tax_code tax_kind mention',
  },
  invoice_number_counters: { impersonal: 'series_id period_key' },
  invoice_number_series: { impersonal: 'id name prefix pattern document_type reset_period' },
  invoice_renditions: { impersonal: 'id invoice_id format language status storage_key sha256 failure' },
  invoice_tax_lines: { impersonal: 'invoice_id tax_code_id tax_code tax_kind mention' },
  invoices: {
    accounting: 'payer_name payer_address payer_tax_id void_reason reason_text search_text',
    impersonal:
      'id type booking_id schedule_id original_invoice_id status number series_id period_key reason purpose lines_source payer_source drawn_from seller_name seller_address seller_tax_id currency base_currency exchange_rate',
  },
  ledger_checkpoints: { impersonal: 'digest' },
  ledger_erasures: { impersonal: 'entry_id erasure_id' },
  ledger_heads: { impersonal: 'hash' },
  ledger_payloads: { ledger: 'before after', impersonal: 'entry_id digest' },
  ledger_reversals: { impersonal: 'id original_id reversal_id state outcome failure' },
  login_challenges: { impersonal: 'id_hash user_id' },
  migration_checksums: { impersonal: 'name checksum' },
  migrations: { impersonal: 'name' },
  notification_messages: {
    messages: 'recipient subject text error',
    impersonal: 'id kind run_id contract_id account_link_id status reason recipient_kind suppression_group',
  },
  number_gaps: { accounting: 'reason', impersonal: 'series_id period_key' },
  oauth_access_tokens: { impersonal: 'public_id secret_hash client scopes secret' },
  oauth_client_secrets: { impersonal: 'id client hash' },
  oauth_clients: { impersonal: 'id operator_id client_id name scopes grant_id parent_client parent_key revoked_by' },
  operator_grants: { impersonal: 'id operator_id status scopes' },
  operators: { partner: 'name', impersonal: 'id status' },
  organization_profile: {
    company: 'address email phone emergency_phone bank_accounts',
    impersonal:
      'id legal_name trade_name country website registration_number licence_number tax_id vat_id insolvency_protection footer_text default_language logo',
  },
  organization_settings: { impersonal: 'id' },
  outbox_events: { impersonal: 'id channel event data' },
  payment_allocations: { impersonal: 'id payment_id schedule_id invoice_id supplier_invoice_id refund_id reverses_id' },
  payment_plans: { impersonal: 'id booking_id policy source' },
  payment_policies: { impersonal: 'id steps' },
  payment_schedule_history: { impersonal: 'schedule_id type' },
  payment_schedules: {
    contract: 'label notes waive_reason',
    impersonal: 'id booking_id plan_id currency type basis status date_source',
  },
  payment_schedules_overdue: { impersonal: 'schedule_id' },
  payments: {
    accounting: 'reference reason reversal_reason failure_reason',
    impersonal:
      'id direction kind booking_id supplier_invoice_id commission_id method currency source status reversal_kind transfer_id receipt_id replaces_payment_id',
  },
  policies: { impersonal: 'id kind name slug language' },
  policy_assignments: { impersonal: 'id policy_id kind scope target_id removed_by channel_id' },
  policy_rules: { impersonal: 'version_id type refund_type currency' },
  policy_versions: { impersonal: 'id policy_id title body status sha256' },
  realtime_channel_counts: { impersonal: 'publisher' },
  realtime_channels: { impersonal: 'name created_by' },
  realtime_messages: { published: 'data', impersonal: 'id event published_by' },
  recovery_codes: { impersonal: 'id user_id code_hash' },
  release_executions: { impersonal: 'slot_id status' },
  reminder_plannings: { impersonal: 'rule_id last_target_id' },
  reminder_rules: { impersonal: 'id name trigger send_time suppression_group' },
  reminder_runs: {
    messages: 'recipient',
    impersonal: 'id rule_id stage_id channel booking_id schedule_id invoice_id target_id status reason',
  },
  reminder_stage_channels: { messages: 'config', impersonal: 'stage_id' },
  reminder_stages: { impersonal: 'id rule_id name' },
  reservation_plans: { impersonal: 'id envelope_id status' },
  reservation_steps: {
    impersonal: 'id plan_id envelope_id component_id provider provider_key status offer failure',
  },
  review_source_names: { impersonal: 'name source_key' },
  review_sources: { impersonal: 'key languages' },
  row_counts: { impersonal: 'relation part' },
  second_factors: { impersonal: 'user_id sealed_secret' },
  security_events: {
    security: 'address user_agent',
    impersonal: 'id kind user_id actor_id subject_id server_request_id',
  },
  service_keys: { impersonal: 'use kek_id wrapped_key' },
  provider_quotes: { impersonal: 'component_id request quote' },
  simulated_orders: { impersonal: 'key ref state' },
  simulated_products: { impersonal: 'ref behaviour' },
  staff_sessions: { security: 'address user_agent', impersonal: 'id public_id secret_hash user_id device_id' },
  supplier_invoice_history: { impersonal: 'invoice_id' },
  supplier_invoice_lines: { accounting: 'description', impersonal: 'invoice_id service_type' },
  tax_code_rates: { impersonal: 'tax_code_id kind' },
  tax_codes: { impersonal: 'id code name country kind mention' },
  supplier_invoices: {
    accounting: 'supplier_name supplier_key notes void_reason',
    impersonal: 'id invoice_number number_key currency base_currency applied_rate status approved_by entered_by',
  },
  trip_attentions: { contact: 'note', impersonal: 'id envelope_id component_id step_id code resolution' },
  trip_component_events: { impersonal: 'component_id envelope_id plan_id from_status to_status' },
  trip_components: {
    contact: 'title',
    impersonal: 'id envelope_id kind status departure_id provider_ref currency booking_item_id warnings tax_code_id',
  },
  trip_envelopes: {
    contact: 'title traveler_party cancel_reason search_text',
    impersonal: 'id status currency booking_id',
  },
  typeorm_metadata: { impersonal: 'type database schema table name value' },
  users: { account: 'email name password_hash search_text', impersonal: 'id roles language' },
  vault_audit: { impersonal: 'id actor_type actor_id vault_id operation request_id server_request_id outcome' },
  vault_key_versions: { impersonal: 'vault_id state kek_id wrapped_key' },
  vaults: { impersonal: 'id slug name operator_id' },
};

const INTRODUCTION = `# Personal data

Generated by \`npm run docs\` from \`src/bootstrap/personal-data.ts\`. A test walks every column of the migrated database that can hold text or
bytes, and fails if one has no class and is not declared impersonal.

`;

const ELSEWHERE = `
## Elsewhere

- **Vault.** The service stores no plaintext and no ciphertext of the vault: callers keep what they encrypt.
- **Files.** The folder or bucket of files holds rendered invoices (class accounting) and logos.
- **Jobs.** The queue (schema \`graphile_worker\`) keeps the payload of a job until it has succeeded. Payloads contain ids only.
- **Traces, metrics and error reports**, if configured, contain no personal data: route templates, statement texts without values, codes.
- **Logs** contain ids of users and requests, and the network address of the client in the line of each request, of each rejected login
  and of each request that cannot be parsed: without it, misuse could be neither found nor stopped. They contain no names, postal or mail
  addresses, texts or values of requests. Whoever collects the logs decides how long they are kept; as security events, 90 days are
  enough. The log of the embedded server contains no parameters of statements and no rejected values.
- **Events** contain ids, states and amounts.
- **Ledger.** Snapshots of bookings, contracts, invoices, channels, ground operators and users contain the members of those records,
  because a reversal restores them. They are kept apart from the entry, so that they can be erased without breaking its chain.
- **Backups** keep what they contained: an erasure does not reach them before they expire.
`;

/** `docs/personal-data.md`: classes with purpose and retention, and where each of them is. */
export function personalDataPage(): string {
  const rows = Object.entries(CLASSES).map(
    ([name, { content, purpose, kept, deletedBy }]) =>
      `| ${name} | ${content} | ${purpose} | ${kept} | ${deletedBy} |\n`,
  );
  const places = Object.keys(CLASSES).map((name) => `| ${name} | ${placesOf(name as ClassName)} |\n`);
  return `${INTRODUCTION}## Classes

| Class | Content | Purpose | Kept | Deleted by |
|---|---|---|---|---|
${rows.join('')}
## Location

| Class | Columns |
|---|---|
${places.join('')}${ELSEWHERE}`;
}

function placesOf(name: ClassName): string {
  return Object.entries(COLUMN_CLASSES)
    .flatMap(([table, classes]) =>
      (classes[name] ?? '')
        .split(' ')
        .filter(Boolean)
        .map((column) => `\`${table}.${column}\``),
    )
    .join(', ');
}
