import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  contracts: { personal: { contract: ['search_text'] } },
  policy_rules: { rights: DELETE },
});
