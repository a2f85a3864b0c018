import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  review_source_names: { rights: DELETE, impersonal: ['name'] },
});
