import { declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  reminder_stage_channels: { personal: { messages: ['config'] } },
  reminder_stages: { impersonal: ['name'] },
});
