import { DELETE, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  webhook_attempts: { rights: DELETE },
  webhook_events: { rights: DELETE },
  webhook_health: { rights: DELETE },
  webhook_queues: { rights: DELETE, impersonal: ['subject'] },
});
