import { APPEND, declareTables } from '../../platform/database/table-declarations.js';

declareTables({
  booking_item_history: { rights: APPEND },
  booking_status_history: { rights: APPEND },
  bookings: { personal: { contract: ['search_text'] } },
});
