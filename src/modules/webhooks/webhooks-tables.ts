import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  webhook_attempts: { rights: DELETE, impersonal: ['error'] },
  webhook_events: { rights: DELETE, impersonal: ['data', 'subject'] },
  webhook_health: { rights: DELETE },
  webhook_queues: { rights: DELETE, impersonal: ['subject'] },
});
