import { declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  products: { impersonal: ['search_text'] },
});
