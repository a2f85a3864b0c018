import { APPEND, declareTables, DELETE } from '../../platform/database/table-declarations.js';

declareTables({
  departure_check_ins: { rights: DELETE },
  departure_room_travelers: { rights: DELETE },
  departure_rooms: { rights: DELETE, personal: { travel: ['label', 'note'] } },
  import_references: { rights: APPEND, impersonal: ['reference'] },
  note_revisions: { rights: APPEND, personal: { contact: ['text'] } },
});
