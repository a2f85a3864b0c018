import { declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  customers: { personal: { contact: ['search_text'] } },
  customer_erasure_steps: { impersonal: ['module'] },
});
