import { declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  rejected_logins_recorded: { rights: ['select', 'update'] },
  users: { personal: { account: ['search_text'] } },
});
