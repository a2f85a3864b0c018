import { declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  realtime_channel_counts: { impersonal: ['publisher'] },
});
