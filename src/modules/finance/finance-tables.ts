import { APPEND, declareTables, DELETE } from '../../platform/database/table-declarations.js';

declareTables({
  accounting_period_figures: { rights: ['select', 'insert', 'delete'], impersonal: ['name'] },
  document_date_releases: { rights: APPEND, personal: { accounting: ['reason'] } },
  installment_reductions: { rights: DELETE },
  integrity_report: { impersonal: ['checks'] },
  invoice_issuers: { rights: APPEND, personal: { accounting: ['issuer'] } },
  invoice_number_counters: { rights: DELETE },
  invoice_tax_lines: { rights: APPEND, impersonal: ['mention'] },
  number_gaps: { rights: DELETE, personal: { accounting: ['reason'] } },
  payment_schedule_history: { rights: APPEND },
  supplier_invoice_history: { rights: APPEND },
});
