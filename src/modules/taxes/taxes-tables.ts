import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  tax_code_rates: { rights: DELETE },
});
