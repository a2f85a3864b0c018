import { APPEND, declareTables, DELETE } from '../../platform/database/table-declarations.js';

declareTables({
  departure_check_ins: { rights: DELETE },
  note_revisions: { rights: APPEND, personal: { contact: ['text'] } },
});
