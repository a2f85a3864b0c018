import { APPEND, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  allotment_movements: { rights: APPEND, impersonal: ['cause'] },
});
