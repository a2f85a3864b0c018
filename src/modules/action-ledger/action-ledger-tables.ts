import { APPEND, READ, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  action_ledger_entries: { rights: READ, personal: { ledger: ['reason'] } },
  ledger_checkpoints: { rights: APPEND },
  ledger_erasures: { rights: APPEND },
  ledger_heads: { rights: READ },
  ledger_payloads: {
    rights: ['select', 'update (before)', 'update (after)'],
    personal: { ledger: ['before', 'after'] },
  },
  ledger_reversals: {
    rights: [
      'select',
      'insert',
      'update (state)',
      'update (outcome)',
      'update (attempts)',
      'update (failure)',
      'update (finished_at)',
    ],
    impersonal: ['failure'],
  },
});
