import { declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  scheduled_departures: { impersonal: ['local_time'] },
});
