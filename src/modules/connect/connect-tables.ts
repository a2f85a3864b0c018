import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  oauth_access_tokens: { rights: DELETE, impersonal: ['client', 'secret'] },
});
