import { APPEND, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  vault_audit: { rights: APPEND },
});
